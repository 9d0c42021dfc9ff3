// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace linn::tool::unwind {

/// What was learned of code holds as long as this word stays equal: above, how often all was forgotten; below, how many
/// are unloading a file just now. While it is not steady nothing may be looked up nor kept.
struct epoch_word {
    static constexpr unsigned unloading_bits = 16;

    static constexpr bool steady(std::uint64_t word) {
        return (word & ((std::uint64_t{1} << unloading_bits) - 1)) == 0;
    }
    static constexpr std::uint32_t number(std::uint64_t word) {
        return static_cast<std::uint32_t>(word >> unloading_bits);
    }
};

extern std::atomic<std::uint64_t> current_epoch;

} // namespace linn::tool::unwind
