// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

inline std::uint64_t ticks_now() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    return __builtin_ia32_rdtsc();
#else
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
}

/// Does nothing for so long.
inline void wait_ticks(std::uint64_t count) noexcept {
    for (const std::uint64_t begin = ticks_now(); ticks_now() - begin < count;) {
    }
}
