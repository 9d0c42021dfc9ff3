// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn::tool {

/// Which blocks of a recording are shown.
enum class block_filter : std::uint8_t {
    all,
    peak,      ///< live when all together had the most bytes live
    temporary, ///< released by the very next call of their own thread
    leaks,     ///< never released
};

/// A stable word: "all", "peak", "temporary", "leaks".
constexpr const char* to_string(block_filter f) noexcept {
    constexpr const char* words[] = {"all", "peak", "temporary", "leaks"};
    return words[static_cast<std::size_t>(f)];
}

/// As a sentence calls such blocks: "allocated", "live at the peak", "temporary", "never released".
constexpr const char* words_of(block_filter f) noexcept {
    constexpr const char* words[] = {"allocated", "live at the peak", "temporary", "never released"};
    return words[static_cast<std::size_t>(f)];
}

/// Blocks, and their bytes together.
struct block_counts {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;

    block_counts& operator+=(const block_counts& more) noexcept {
        blocks += more.blocks;
        bytes += more.bytes;
        return *this;
    }
};

} // namespace linn::tool
