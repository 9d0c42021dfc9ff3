// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_BUFFER_PAGES_HPP
#define LINN_DETAIL_OS_BUFFER_PAGES_HPP

#include <linn/config.hpp>
#include <linn/detail/os/leak_roots.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/types/huge_page_use.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

inline constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

struct buffer_request {
    std::size_t bytes; ///< a multiple of the page; of a huge page for `reserved`
    std::size_t align; ///< a power of two, at least a page
    huge_page_use huge;
};

/// Memory of one large buffer.
struct buffer_mapping {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t align = 0;
    std::size_t guard_bytes = 0; ///< behind `bytes`: touching them is an error that shows
    huge_page_use huge = huge_page_use::off;
};

#if defined(__unix__) || defined(__APPLE__)

/// Large buffers straight from the kernel. Counted against the system's limits from the start, so that
/// a refusal comes here and not, as with MAP_NORESERVE, when the memory is touched.
///
/// A mapping is *closed* (idle) or *open* (in use): checkers are told the difference. A new one
/// is closed. Every function leaves errno alone.
/// @threads any thread
struct system_buffer_pages {
    static constexpr bool zeroed = true;

    static std::size_t page_bytes() noexcept { return system_pages::offset_step(); }

    /// False when the system refuses. For want of huge pages it takes others, and says so in
    /// `out.huge`. @complexity a few system calls
    static bool map(const buffer_request& r, buffer_mapping& out) noexcept {
        const errno_kept keep;
        if ((r.huge != huge_page_use::reserved || !map_reserved(r, out)) && !map_pages(r, out)) {
            return false;
        }
        poison(out.data, out.bytes + out.guard_bytes); // as if it had been used before: open undoes it
        return true;
    }

    /// @pre closed
    static void unmap(const buffer_mapping& m) noexcept {
        unpoison(m.data, m.bytes + m.guard_bytes);
        ::munmap(m.data, m.bytes + m.guard_bytes);
    }

    /// Makes all pages present. False when there is no memory for them. @pre open
    static bool prefault(const buffer_mapping& m) noexcept {
#if defined(__linux__)
        constexpr int populate_write = 23; // MADV_POPULATE_WRITE, which not every C library names
        const errno_kept keep;
        const bool populated = ::madvise(m.data, m.bytes, populate_write) == 0;
        if (populated || errno == ENOMEM) {
            return populated;
        }
        // Linux before 5.14 does not know it.
#endif
        const std::size_t step = page_bytes();
        for (std::size_t at = 0; at < m.bytes; at += step) {
            static_cast<volatile std::byte*>(m.data)[at] = std::byte{0};
        }
        return true;
    }

    /// Opens the memory for a user. `was_protected` as in the previous close; false for a new mapping.
    /// @returns false when the system cannot lift the protection
    static bool open(const buffer_mapping& m, bool was_protected) noexcept {
        if (was_protected && !protect(m, read_write)) {
            return false;
        }
        unpoison(m.data, m.bytes);
        process_leak_roots.add(m.data, m.bytes);
        return true;
    }

    /// Closes the memory, which stays mapped. With `protect_it` an access ends the program.
    static void close(const buffer_mapping& m, bool protect_it) noexcept {
        process_leak_roots.remove(m.data, m.bytes);
        poison(m.data, m.bytes);
        if (protect_it) {
            protect(m, PROT_NONE);
        }
    }

private:
    static constexpr int read_write = PROT_READ | PROT_WRITE;
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;

    /// Without a guard, which would need a huge page of its own.
    static bool map_reserved([[maybe_unused]] const buffer_request& r,
                             [[maybe_unused]] buffer_mapping& out) noexcept {
#if defined(MAP_HUGETLB)
        constexpr int two_mib = 21 << 26; // MAP_HUGE_2MB, which older headers lack
        void* p = ::mmap(nullptr, r.bytes, read_write, flags | MAP_HUGETLB | two_mib, -1, 0);
        if (p == MAP_FAILED) {
            return false;
        }
        if (reinterpret_cast<std::uintptr_t>(p) % r.align != 0) {
            ::munmap(p, r.bytes); // the rare request for more alignment than a huge page has
            return false;
        }
        out = {.data = static_cast<std::byte*>(p), .bytes = r.bytes, .align = r.align, .huge = r.huge};
        return true;
#else
        return false;
#endif
    }

    static bool map_pages(const buffer_request& r, buffer_mapping& out) noexcept {
        const bool huge = r.huge != huge_page_use::off && r.bytes >= huge_page_bytes;
        const std::size_t align = huge && r.align < huge_page_bytes ? huge_page_bytes : r.align;
        const std::size_t guard = checked_build || sanitizer_poison ? page_bytes() : 0;
        std::byte* const data =
            r.bytes + guard >= r.bytes ? map_aligned(r.bytes + guard, align, 0, flags) : nullptr;
        if (data == nullptr) {
            return false;
        }
        out = {.data = data, .bytes = r.bytes, .align = r.align, .guard_bytes = guard};
        if (huge) {
            out.huge = huge_page_use::transparent;
            system_pages::prefer_huge(data, r.bytes);
        }
        if (guard != 0 && !sanitizer_poison) { // ASan's report is better than a crash
            ::mprotect(data + r.bytes, guard, PROT_NONE);
        }
        return true;
    }

    [[LINN_DETAIL_NOINLINE]] static bool protect(const buffer_mapping& m, int access) noexcept {
        const errno_kept keep;
        return ::mprotect(m.data, m.bytes, access) == 0;
    }
};

#else

/// Over `operator new`, for systems whose own calls Linn does not know here: no huge pages and no protection, all else as above.
struct system_buffer_pages {
    static constexpr bool zeroed = false;

    static std::size_t page_bytes() noexcept { return 4096; }

    static bool map(const buffer_request& r, buffer_mapping& out) noexcept {
        void* p = ::operator new(r.bytes, std::align_val_t{r.align}, std::nothrow);
        out = {.data = static_cast<std::byte*>(p), .bytes = r.bytes, .align = r.align};
        return p != nullptr;
    }
    static void unmap(const buffer_mapping& m) noexcept {
        unpoison(m.data, m.bytes);
        ::operator delete(m.data, std::align_val_t{m.align});
    }
    static bool prefault(const buffer_mapping& m) noexcept {
        for (std::size_t at = 0; at < m.bytes; at += page_bytes()) {
            static_cast<volatile std::byte*>(m.data)[at] = std::byte{0};
        }
        return true;
    }
    static bool open(const buffer_mapping& m, bool) noexcept {
        unpoison(m.data, m.bytes);
        return true;
    }
    static void close(const buffer_mapping& m, bool) noexcept { poison(m.data, m.bytes); }
};

#endif

} // namespace linn::inline LINN_ABI::detail

#endif
