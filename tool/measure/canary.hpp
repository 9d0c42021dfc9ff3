// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ticks.hpp"

#include <cstdint>

namespace linn::tool {

/// Ticks a step of a fixed chain of dependent multiplications: slow when something else shares the core, which no
/// figure of the system shows on a virtual machine.
inline double canary() noexcept {
    constexpr std::uint64_t steps =
        1'000'000; // one to two milliseconds: longer than a scheduler's wake-up, short compared with a phase
    std::uint64_t x = 88'172'645'463'325'252u;
    const std::uint64_t start = ticks();
    for (std::uint64_t i = 0; i != steps; ++i) {
        x = x * 6'364'136'223'846'793'005u + i;
        asm volatile("" : "+r"(x));
    }
    return static_cast<double>(ticks() - start) / static_cast<double>(steps);
}

} // namespace linn::tool
