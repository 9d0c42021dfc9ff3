// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_POSIX_SYSTEM_HPP
#define LINN_DETAIL_OS_POSIX_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/leak_roots.hpp>
#include <linn/detail/os/posix/threads.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>

// What systems of the POSIX family have in common.

namespace linn::inline LINN_ABI::detail {

/// Milliseconds from some moment on, never backwards. Cheap rather than precise: a few nanoseconds,
/// good to some ten milliseconds. Without <chrono>, which costs more to compile than all of a pool.
struct coarse_clock {
    static std::uint64_t now_ms() noexcept {
        ::timespec t{};
#if defined(CLOCK_MONOTONIC_COARSE)
        ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#else
        ::clock_gettime(CLOCK_MONOTONIC, &t);
#endif
        return static_cast<std::uint64_t>(t.tv_sec) * 1000 + static_cast<std::uint64_t>(t.tv_nsec) / 1000000;
    }
};

/// Nanoseconds from some moment on, never backwards.
struct precise_clock {
    static std::uint64_t now_ns() noexcept {
        ::timespec t{};
        ::clock_gettime(CLOCK_MONOTONIC, &t);
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
    }
};

/// Brings errno back when it goes: pools are used where a caller is about to read it.
class errno_kept {
public:
    errno_kept() noexcept = default;
    errno_kept(const errno_kept&) = delete;
    errno_kept& operator=(const errno_kept&) = delete;
    ~errno_kept() { errno = before_; }

private:
    int before_ = errno;
};

/// Stops the calling thread for some microseconds. Unlike a yield it also lets threads of lower
/// priority run. Leaves errno alone, and is no place where a thread is cancelled.
inline void sleep_briefly(long microseconds = 50) noexcept {
    const uncancelled until_the_end;
    const errno_kept keep;
    const ::timespec time{0, microseconds * 1000};
    ::nanosleep(&time, nullptr);
}

/// New memory of the kernel that begins `offset` behind a multiple of `align`. Null when it refuses. @complexity three system calls
[[LINN_DETAIL_COLD]] inline std::byte* map_aligned(std::size_t bytes, std::size_t align, std::size_t offset,
                                                   int flags) noexcept {
    // The kernel aligns to pages only: take more, and cut both ends off.
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t spare = align > page ? align - page : 0;
    const std::size_t whole = (bytes + page - 1) & ~(page - 1);
    const std::size_t wide = whole + spare;
    if (whole < bytes || wide < whole) {
        return nullptr;
    }
    void* raw = ::mmap(nullptr, wide, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (raw == MAP_FAILED) {
        return nullptr;
    }
    auto* begin = static_cast<std::byte*>(raw);
    const std::size_t head =
        spare != 0 ? (align + offset - reinterpret_cast<std::uintptr_t>(raw) % align) % align : 0;
    if (head != 0) {
        ::munmap(begin, head);
    }
    if (spare != head) {
        ::munmap(begin + head + whole, spare - head);
    }
    return begin + head;
}

/// Pages straight from the kernel: zeroed, untouched until used, returned on request. A kernel's page may be larger than
/// `page_bytes`, of which the engine's sizes and addresses are multiples.
/// @threads any thread
struct posix_pages {
    static constexpr bool zeroed = true;

    /// The kernel's page: what it aligns to, and what an offset is a multiple of.
    static std::size_t offset_step() noexcept { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

    /// Memory that begins `offset` behind a multiple of `align`. Null when the system refuses. @complexity three system calls
    [[LINN_DETAIL_COLD]] static void* map(std::size_t bytes, std::size_t align,
                                          std::size_t offset = 0) noexcept {
        void* const p = map_aligned(bytes, align, offset, flags);
        if (p != nullptr) {
            process_leak_roots.add(p, bytes);
        }
        return p;
    }

    [[LINN_DETAIL_COLD]] static void unmap(void* p, std::size_t bytes, std::size_t) noexcept {
        process_leak_roots.remove(p, bytes);
        ::munmap(p, bytes);
    }

    static void prefer_huge([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_HUGEPAGE)
        ::madvise(p, bytes, MADV_HUGEPAGE);
#endif
    }
    /// Leaves errno alone: a free may come here.
    [[LINN_DETAIL_COLD]] static void prefer_small([[maybe_unused]] void* p,
                                                  [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(MADV_NOHUGEPAGE)
        const errno_kept keep;
        ::madvise(p, bytes, MADV_NOHUGEPAGE);
#endif
    }

    /// The addresses stay ours and read as zero; the memory goes back.
    [[LINN_DETAIL_COLD]] static bool discard(void* p, std::size_t bytes) noexcept {
        return discard_inside(p, bytes, offset_step(), &map_again);
    }

protected:
    /// The beginning of the kernel's page that `p` lies in.
    static void* page_of(const void* p) noexcept {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) & ~(offset_step() - 1));
    }

    /// What `discard` of these bytes is, where `give_back(begin, size)` does it for whole pages of the kernel, of `page` bytes: the
    /// rest of the first and of the last page is filled with zeros. Leaves errno alone: a free may come here.
    template <class GiveBack>
    static bool discard_inside(void* p, std::size_t bytes, std::size_t page, GiveBack&& give_back) noexcept {
        auto* const begin = static_cast<std::byte*>(p);
        const std::size_t head = (page - reinterpret_cast<std::uintptr_t>(p) % page) % page;
        if (head >= bytes || bytes - head < page) {
            return false;
        }
        const std::size_t inside = (bytes - head) & ~(page - 1);
        const errno_kept keep;
        const bool gone = give_back(begin + head, inside);
        if (gone && inside != bytes) {
            zero(begin, head);
            zero(begin + head + inside, bytes - head - inside);
        }
        return gone;
    }

    // Free slots are poisoned: no memset, which AddressSanitizer watches.
    [[LINN_DETAIL_NOINLINE]] LINN_DETAIL_UNCHECKED("address") static void zero(std::byte* p,
                                                                               std::size_t bytes) noexcept {
        for (; bytes != 0; --bytes, ++p) {
            *static_cast<volatile std::byte*>(p) = std::byte{0};
        }
    }

    /// A new mapping in the place of these pages: reads as zero on every system, which advice does on some only. macOS'
    /// MADV_FREE_REUSABLE keeps what was there, and asks for a call before the pages are used again.
    static bool map_again(void* p, std::size_t bytes) noexcept {
        return ::mmap(p, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) != MAP_FAILED;
    }

#if defined(MAP_NORESERVE)
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#else
    static constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#endif
};

} // namespace linn::inline LINN_ABI::detail

#endif
