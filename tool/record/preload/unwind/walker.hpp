// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame_start.hpp"
#include "rule_table.hpp"
#include "stack_memory.hpp"

#include <cstdint>

namespace linn::tool::unwind {

/// A word of the stack that a walk read, in 64 bits: how far above the first stack pointer, in words, and what it held.
/// What is as far as `far` or farther is followed by its distance. Addresses of programs have 47 bits.
struct stack_word {
    static constexpr unsigned value_bits = 48;
    static constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;
    static constexpr std::uint64_t far = 0xffff;
};

/// Words of a walk: a return address a frame, a saved frame pointer a frame, and a few that lie far away.
constexpr unsigned most_words(unsigned depth) {
    return 2 * depth + 4;
}

/// What a walk found, and everything that it depended on besides the rules: the caller's return address and stack
/// pointer, its frame pointer if that was used, and the words, in the order in which they were read.
struct walk {
    enum class outcome : std::uint8_t {
        complete, ///< depth or the outermost frame was reached
        cut,      ///< a frame cannot be followed, or it would have read what is no stack
    };
    outcome result = outcome::complete;
    bool used_frame_pointer = false;
    bool used_row = false;      ///< a frame had no rule: a signal's, or one larger than a rule can say
    bool words_complete = true; ///< else there were more or others than fit
    unsigned frame_count = 0;
    unsigned word_count = 0; ///< of `words`
    std::uintptr_t frames[most_frames];
    std::uint64_t words[most_words(most_frames)];
};

/// Follows the rules from `start` outwards; `table` and `near` keep what it compiles, null for nowhere.
void walk_stack(const frame_start& start, unsigned depth, rule_table* table, near_rules* near,
                readable_pages memory, walk& into) noexcept;

} // namespace linn::tool::unwind
