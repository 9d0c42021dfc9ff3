// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn::tool::worker {

enum class touch { none, byte, lines, all, check };

/// Of a larger block this much is touched line by line: programs reserve what they never write.
inline constexpr std::size_t most_touched_by_line = std::size_t{1} << 20;

/// A pattern that no other block of the same time has.
inline void write_pattern(void* block, std::size_t from, std::size_t bytes, std::uint64_t key) noexcept {
    auto* const p = static_cast<unsigned char*>(block);
    for (std::size_t i = from; i != bytes; ++i) {
        p[i] = static_cast<unsigned char>(key >> (i % 8 * 8));
    }
}

inline bool has_pattern(const void* block, std::size_t bytes, std::uint64_t key) noexcept {
    const auto* const p = static_cast<const unsigned char*>(block);
    for (std::size_t i = 0; i != bytes; ++i) {
        if (p[i] != static_cast<unsigned char>(key >> (i % 8 * 8))) {
            return false;
        }
    }
    return true;
}

/// Writes to the part of a block from `from` on, as a program does that has just got it.
template <touch How>
inline void touch_block(void* block, std::size_t from, std::size_t bytes, std::uint64_t key) noexcept {
    auto* const p = static_cast<unsigned char*>(block);
    if constexpr (How == touch::byte) {
        if (from == 0) {
            *p = 1;
        }
    } else if constexpr (How == touch::lines) {
        const std::size_t end = std::min(bytes, most_touched_by_line);
        for (std::size_t i = from; i < end; i += 64) {
            p[i] = 1;
        }
    } else if constexpr (How == touch::all) {
        if (from < bytes) {
            std::memset(p + from, 1, bytes - from);
        }
    } else if constexpr (How == touch::check) {
        write_pattern(block, 0, bytes, key);
    }
}

} // namespace linn::tool::worker
