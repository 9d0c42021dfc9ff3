// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_WINDOWS_SYSTEM_HPP
#define LINN_DETAIL_OS_WINDOWS_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/windows/api.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace linn::inline LINN_ABI::detail {

/// Milliseconds from some moment on, never backwards; good to 16 milliseconds.
struct coarse_clock {
    static std::uint64_t now_ms() noexcept { return ::GetTickCount64(); }
};

/// Nanoseconds from some moment on, never backwards; good to 16 milliseconds.
struct precise_clock {
    static std::uint64_t now_ns() noexcept { return ::GetTickCount64() * 1'000'000; }
};

/// Stops the calling thread for a millisecond or more.
inline void sleep_briefly(long microseconds = 50) noexcept {
    ::Sleep(static_cast<unsigned long>((microseconds + 999) / 1000));
}

/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Windows 8 has a futex of its own; before that a
/// sleeper looks once a millisecond.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t day = 86'400'000; // may return early
    const std::uint64_t ms = ns / 1'000'000 + 1;
    static const auto wait = windows::kernel_function<int __stdcall(
        const volatile void*, const void*, linn_windows_size, unsigned long)>("WaitOnAddress");
    if (wait != nullptr) {
        wait(word, &expected, sizeof expected, static_cast<unsigned long>(ms < day ? ms : day));
    } else {
        ::Sleep(1);
    }
}

inline void futex_wake_one(const void* word) noexcept {
    static const auto wake = windows::kernel_function<void __stdcall(const void*)>("WakeByAddressSingle");
    if (wake != nullptr) {
        wake(word);
    }
}

/// False on Wine, where FlushProcessWriteBuffers did nothing until version 8 at least.
inline bool enable_thread_barrier() noexcept {
    return !windows::is_wine();
}
/// Makes every thread of the process that runs at this moment execute a full memory barrier.
/// @pre `enable_thread_barrier` returned true
inline void thread_barrier() noexcept {
    ::FlushProcessWriteBuffers();
}

/// Pages straight from Windows: zeroed, untouched until used, returned on request. All of a mapping
/// counts against the system's commit limit from the start.
/// @threads any thread
struct system_pages {
    static constexpr bool zeroed = true;

    static constexpr std::size_t offset_step() noexcept { return windows::allocation_granularity; }

    /// Memory that begins `offset` behind a multiple of `align`. Null when the system refuses. @complexity one system call, or
    /// about three
    static void* map(std::size_t bytes, std::size_t align, std::size_t offset = 0) noexcept {
        if (align <= windows::allocation_granularity) {
            return commit(nullptr, bytes);
        }
        const std::size_t wide = bytes + align - windows::allocation_granularity;
        if (wide < bytes) {
            return nullptr;
        }
        // Windows takes back whole reservations only, so no ends can be cut off: look for room, let go
        // of it, and ask for the aligned part. Another thread may be faster.
        for (int attempt = 0; attempt < 8; ++attempt) {
            void* room = ::VirtualAlloc(nullptr, wide, windows::mem_reserve, windows::page_noaccess);
            if (room == nullptr) {
                return nullptr;
            }
            ::VirtualFree(room, 0, windows::mem_release);
            if (void* p = commit(aligned_in(room, align, offset), bytes)) {
                return p;
            }
        }
        // Too much going on: the ends stay reserved, which costs addresses only.
        void* room = ::VirtualAlloc(nullptr, wide, windows::mem_reserve, windows::page_noaccess);
        if (room == nullptr) {
            return nullptr;
        }
        void* p = ::VirtualAlloc(aligned_in(room, align, offset), bytes, windows::mem_commit,
                                 windows::page_readwrite);
        if (p == nullptr) {
            ::VirtualFree(room, 0, windows::mem_release);
        }
        return p;
    }

    static void unmap(void* p, std::size_t, std::size_t) noexcept {
        windows::region r;
        if (windows::query(p, r)) {
            ::VirtualFree(r.allocation_base, 0, windows::mem_release);
        }
    }

    /// The addresses stay ours and read as zero; the memory goes back.
    static bool discard(void* p, std::size_t bytes) noexcept {
        if (::VirtualFree(p, bytes, windows::mem_decommit) == 0) {
            return false;
        }
        // Objects will be put here without another call, so it must be committed again. What was let go a
        // moment ago is refused only if another process needed the very last of it meanwhile.
        for (int attempt = 0; attempt < 1000; ++attempt) {
            if (::VirtualAlloc(p, bytes, windows::mem_commit, windows::page_readwrite) != nullptr) {
                return true;
            }
            ::Sleep(1);
        }
        std::abort();
    }

    static void prefer_huge(void*, std::size_t) noexcept {}
    static void prefer_small(void*, std::size_t) noexcept {}

    /// Whether `p`, which may be any address, lies in memory that can be read.
    static bool readable(const void* p) noexcept {
        windows::region r;
        return windows::query(p, r) && r.state == windows::mem_commit && r.protect != 0 &&
               (r.protect & (windows::page_noaccess | windows::page_guard)) == 0;
    }

private:
    static void* commit(void* at, std::size_t bytes) noexcept {
        return ::VirtualAlloc(at, bytes, windows::mem_reserve | windows::mem_commit, windows::page_readwrite);
    }
    static void* aligned_in(void* room, std::size_t align, std::size_t offset) noexcept {
        const auto from = reinterpret_cast<std::uintptr_t>(room) - offset;
        return reinterpret_cast<void*>(((from + align - 1) & ~(align - 1)) + offset);
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
