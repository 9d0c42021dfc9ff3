// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_DARWIN_SYSTEM_HPP
#define LINN_DETAIL_OS_DARWIN_SYSTEM_HPP

#include <linn/config.hpp>
#include <linn/detail/os/posix/system.hpp>

#include <Availability.h>
#include <mach/mach_init.h>
#include <mach/vm_map.h>
#include <mach/vm_region.h>

// macOS 14.4 and iOS 17.4 have a futex for everybody. What it is made of, and what the system's own libc++ waits by, is older.
#if __has_include(<os/os_sync_wait_on_address.h>)
#if defined(__MAC_OS_X_VERSION_MIN_REQUIRED)
#define LINN_DETAIL_OS_SYNC (__MAC_OS_X_VERSION_MIN_REQUIRED >= 140400)
#elif defined(__IPHONE_OS_VERSION_MIN_REQUIRED)
#define LINN_DETAIL_OS_SYNC (__IPHONE_OS_VERSION_MIN_REQUIRED >= 170400)
#endif
#endif
#ifndef LINN_DETAIL_OS_SYNC
#define LINN_DETAIL_OS_SYNC 0
#endif

#if LINN_DETAIL_OS_SYNC
#include <os/os_sync_wait_on_address.h>
#else
extern "C" int __ulock_wait(std::uint32_t, void*, std::uint64_t, std::uint32_t);
extern "C" int __ulock_wake(std::uint32_t, void*, std::uint64_t);
#endif

namespace linn::inline LINN_ABI::detail {

#if LINN_DETAIL_OS_SYNC
/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Leaves errno alone.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t hour = 3'600'000'000'000; // may return early
    const errno_kept keep;
    ::os_sync_wait_on_address_with_timeout(const_cast<void*>(word), expected, sizeof expected,
                                           OS_SYNC_WAIT_ON_ADDRESS_NONE, OS_CLOCK_MACH_ABSOLUTE_TIME,
                                           (ns < hour ? ns : hour) + 1);
}

inline void futex_wake_one(const void* word) noexcept {
    const errno_kept keep;
    ::os_sync_wake_by_address_any(const_cast<void*>(word), sizeof(std::uint32_t),
                                  OS_SYNC_WAKE_BY_ADDRESS_NONE);
}
#else
inline constexpr std::uint32_t ulock_word = 0x01000001; // UL_COMPARE_AND_WAIT, ULF_NO_ERRNO

/// Sleeps while `*word` is `expected`, for `ns` nanoseconds at most; may return early. Leaves errno alone.
inline void futex_wait(const void* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    constexpr std::uint64_t hour = 3'600'000'000; // may return early
    const std::uint64_t us = ns / 1000 + 1;
    ::__ulock_wait(ulock_word, const_cast<void*>(word), expected,
                   static_cast<std::uint32_t>(us < hour ? us : hour));
}

inline void futex_wake_one(const void* word) noexcept {
    ::__ulock_wake(ulock_word, const_cast<void*>(word), 0);
}
#endif

/// The system has no such thing.
inline bool enable_thread_barrier() noexcept {
    return false;
}
inline void thread_barrier() noexcept {}

struct system_pages : posix_pages {
    /// Whether `p`, which may be any address, lies in memory that can be read. mincore says yes of every address.
    [[LINN_DETAIL_COLD]] static bool readable(const void* p) noexcept {
        const auto wanted = reinterpret_cast<std::uintptr_t>(p);
        ::vm_address_t begin = wanted;
        ::vm_size_t bytes = 0;
        ::vm_region_basic_info_data_64_t region{};
        ::mach_msg_type_number_t words = VM_REGION_BASIC_INFO_COUNT_64;
        ::mach_port_t object = MACH_PORT_NULL;
        // The region that the address lies in; or the next one.
        return ::vm_region_64(mach_task_self(), &begin, &bytes, VM_REGION_BASIC_INFO_64,
                              reinterpret_cast<::vm_region_info_t>(&region), &words,
                              &object) == KERN_SUCCESS &&
               begin <= wanted && (region.protection & VM_PROT_READ) != 0;
    }
};

} // namespace linn::inline LINN_ABI::detail

#undef LINN_DETAIL_OS_SYNC
#endif
