// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_LINUX_SYSTEM_HPP
#define LINN_DETAIL_OS_LINUX_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>

namespace linn::inline LINN_ABI::detail {

/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Leaves errno alone.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    constexpr std::uint64_t year = 31'536'000; // may return early
    const errno_kept keep;
    // As this call has it: in a program of 32 bits the timespec of the C library may be another one.
    const long time[2] = {static_cast<long>(ns / second < year ? ns / second : year),
                          static_cast<long>(ns % second)};
    ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &time, nullptr, 0);
}

inline void futex_wake_one(const void* word) noexcept {
    const errno_kept keep;
    ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

inline bool membarrier_succeeds(int command) noexcept {
    const errno_kept keep;
    return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

/// Prepares `thread_barrier` for this process. @returns false where the system has no such thing, or
/// a sandbox forbids it; then `thread_barrier` must not be called
inline bool enable_thread_barrier() noexcept {
    return membarrier_succeeds(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/// Makes every thread of the process that runs at this moment execute a full memory barrier; those that
/// do not run had one when they were stopped. About a microsecond a running thread.
/// @pre `enable_thread_barrier` returned true
inline void thread_barrier() noexcept {
    if (membarrier_succeeds(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) {
        return;
    }
    // A sandbox was closed since. What a barrier would order at once, a processor orders in its own time:
    // no store stays unseen for a millisecond, let alone twenty.
    sleep_briefly(20'000);
}

struct system_pages : posix_pages {
    /// The addresses stay ours and read as zero; the memory goes back. False where the system refuses, as Linux does for
    /// locked memory; part of it may be gone then.
    [[LINN_DETAIL_COLD]] static bool discard(void* p, std::size_t bytes) noexcept {
        return discard_inside(p, bytes, offset_step(), [](void* from, std::size_t size) noexcept {
            return ::madvise(from, size, MADV_DONTNEED) == 0;
        });
    }

    /// Whether `p`, which may be any address, lies in memory that can be read.
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const errno_kept keep;
        constexpr int populate_read = 22; // MADV_POPULATE_READ, which not every C library names
        // Unlike mincore it refuses guard pages too, with the error of Linux before 5.14, which does
        // not know it: a page that can certainly be read tells the two apart.
        bool yes = ::madvise(page_of(p), 1, populate_read) == 0;
        if (!yes && errno == EINVAL && ::madvise(page_of(&keep), 1, populate_read) != 0) {
            unsigned char resident = 0;
            yes = ::mincore(page_of(p), 1, &resident) == 0;
        }
        return yes;
    }

    /// Whether a page is in memory now. @pre it is mapped
    [[LINN_DETAIL_COLD]] static bool is_resident(const void* p) noexcept {
        const errno_kept keep;
        unsigned char resident = 0;
        return ::mincore(page_of(p), 1, &resident) == 0 && (resident & 1U) != 0;
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
