// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PAGES_POSIX_HPP
#define LINN_DETAIL_OS_PAGES_POSIX_HPP

#include <linn/config.hpp>
#include <linn/detail/os/leak_roots.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Pages straight from the kernel: zeroed, untouched until used, returned on request.
/// @threads any thread
struct system_pages {
    static constexpr bool zeroed = true;

    /// Pages: what the kernel aligns to, and what an offset is a multiple of.
    static constexpr std::size_t offset_step = 4096;

    /// Memory that begins `offset` behind a multiple of `align`. Null when the system refuses. @complexity three system calls
    [[LINN_DETAIL_COLD]] static void* map(std::size_t bytes, std::size_t align,
                                          std::size_t offset = 0) noexcept {
        // The kernel aligns to pages only: take more, and cut both ends off.
        const std::size_t spare = align > offset_step ? align - offset_step : 0;
        const std::size_t wide = bytes + spare;
        if (wide < bytes) {
            return nullptr;
        }
        void* raw = ::mmap(nullptr, wide, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (raw == MAP_FAILED) {
            return nullptr;
        }
        auto* begin = static_cast<std::byte*>(raw);
        const std::size_t head = (align + offset - reinterpret_cast<std::uintptr_t>(raw) % align) % align;
        if (head != 0) {
            ::munmap(begin, head);
        }
        if (spare != head) {
            ::munmap(begin + head + bytes, spare - head);
        }
        process_leak_roots.add(begin + head, bytes);
        return begin + head;
    }

    [[LINN_DETAIL_COLD]] static void unmap(void* p, std::size_t bytes, std::size_t) noexcept {
        process_leak_roots.remove(p, bytes);
        ::munmap(p, bytes);
    }

    /// The addresses stay ours and read as zero; the memory goes back. False where the system refuses, as Linux does for
    /// locked memory; part of it may be gone then. Leaves errno alone: a free may come here.
    [[LINN_DETAIL_COLD]] static bool discard(void* p, std::size_t bytes) noexcept {
        const int before = errno;
#if defined(__linux__)
        const bool gone = ::madvise(p, bytes, MADV_DONTNEED) == 0;
#else
        const bool gone = ::mmap(p, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) != MAP_FAILED;
#endif
        errno = before;
        return gone;
    }

    static void prefer_huge([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
        ::madvise(p, bytes, MADV_HUGEPAGE);
#endif
    }

    /// Whether `p`, which may be any address, lies in memory that can be read. @pre aligned to pages
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const int before = errno;
#if defined(__linux__)
        constexpr int populate_read = 22; // MADV_POPULATE_READ, which not every C library names
        // Unlike mincore it refuses guard pages too, with the error of Linux before 5.14, which does
        // not know it: a page that can certainly be read tells the two apart.
        bool yes = ::madvise(const_cast<void*>(p), 1, populate_read) == 0;
        if (!yes && errno == EINVAL && ::madvise(page_of(&before), 1, populate_read) != 0) {
            yes = is_mapped(p);
        }
#else
        const bool yes = is_mapped(p);
#endif
        errno = before;
        return yes;
    }

#if defined(__linux__)
    /// Whether a page is in memory now. @pre it is mapped; `p` is aligned to pages
    [[LINN_DETAIL_COLD]] static bool is_resident(const void* p) noexcept {
        const int before = errno;
        unsigned char resident = 0;
        const bool known = ::mincore(const_cast<void*>(p), 1, &resident) == 0;
        errno = before;
        return known && (resident & 1U) != 0;
    }
#endif

private:
    static void* page_of(const void* p) noexcept {
        const auto size = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) & ~(size - 1));
    }

    static bool is_mapped(const void* p) noexcept {
#if defined(__linux__)
        unsigned char resident = 0;
#else
        char resident = 0;
#endif
        return ::mincore(const_cast<void*>(p), 1, &resident) == 0;
    }

#if defined(MAP_NORESERVE)
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#endif
};

} // namespace linn::inline LINN_ABI::detail

#endif
