// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Distances between the samples of a thread: random, so that no pattern of the program is always met at the same place.
namespace linn::tool::preload {

/// The state of a generator, from a reading of the counter. Never 0.
inline std::uint32_t seed_of(std::uint64_t ticks) noexcept {
    return static_cast<std::uint32_t>(ticks >> 4) * 0x9e37'79b9u | 1;
}

/// From 1 on, uniform, with this mean. Marsaglia's xorshift. @pre `state` is not 0
inline std::int32_t random_distance(std::uint32_t& state, std::uint32_t mean) noexcept {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return static_cast<std::int32_t>((state >> 8) % (2 * mean - 1) + 1);
}

} // namespace linn::tool::preload
