// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"
#include "choice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// Why the answer is not known.
enum class open_question {
    none,
    no_candidate,     ///< no type can be tried
    does_not_work,    ///< the program fails or writes something else with every form of the pools
    too_few_rounds,   ///< for an interval
    too_wide,         ///< the interval, or what two copies of the plain program differ by
    incomplete_trace, ///< there may be types that it does not know
};

const char* to_string(open_question why) noexcept;

/// What was measured, judged once. Terminal, page, JSON and exit status say the same because they read it here.
struct try_judgement {
    pool_answer answer = pool_answer::not_known;
    open_question open = open_question::none;
    /// The best form of the pools, and what it saves of the plain program's CPU time.
    std::optional<best_arm> pools;
    bool saves = false; ///< certain: the test and the interval say so
    bool costs = false; ///< the same
    /// The best general allocator, if one was measured, and what it saves of the plain program's.
    std::optional<best_arm> allocator;
    std::optional<saving> over;           ///< the pools in front of it: of the plain program's
    std::optional<saving> over_allocator; ///< the same, of what the allocator takes alone
    /// The form or the part of the pools that certainly saves more than they do, and what it saves of what they take.
    std::optional<best_arm> better;
    bool is_of_better = false; ///< `answer` and `pools` are those of `better`
};

/// Judges the rows that decide: `arms` are the forms of all pools together, the plainest first.
try_judgement judge_decision(const run_result& deciding, const std::vector<std::string>& arms,
                             const choice_options& options = {});

/// Adds what the explaining rows say: the pools over an allocator, and the best of `parts`, which are parts and other forms of the
/// pools of `chosen_arm`. If one of these is certainly better and the answer is not yes, the answer is its own.
void judge_explanation(try_judgement& judged, const run_result& explaining,
                       const std::vector<std::string>& parts);

/// Whether further rounds would not change the answer: the threshold lies far outside the interval.
bool is_clear(const try_judgement& judged) noexcept;

/// Whether further rounds would hardly change the figure.
bool is_precise(const try_judgement& judged) noexcept;

} // namespace linn::tool
