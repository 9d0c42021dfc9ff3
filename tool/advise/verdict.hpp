// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <cstddef>
#include <string>

namespace linn::tool {

/// What decides, as a share of the run: less is not worth the change of a program. A pool takes away about half of what
/// allocation costs, so no answer is yes where allocation is far below 5 % of a profile: docs/guide/choosing.md.
inline constexpr double worth_a_pool = 0.02;

/// No verdict is longer, whatever the types are called.
inline constexpr std::size_t most_verdict_letters = 160;

struct advice_verdict {
    pool_answer answer = pool_answer::not_known;
    gain_range
        pools; ///< what all pools that are advised would save together; with the error of the run's CPU time
    std::string sentence; ///< at most `most_verdict_letters`
    std::string to_know;  ///< what would make the answer known; empty where it is
};

/// The answer, and the sentence that comes first. Every form of the report takes both from here: yes where the pools that
/// are advised would save at least `worth_a_pool` together, by the lower end of their range; no where they would not by the
/// upper end; otherwise it is not known. Where the pools were tried, what was measured decides, and the sentence says so.
/// `pools` is predicted all the same. @pre types have their gains and are in order
advice_verdict verdict_of(const advice& a);

/// Writes the verdict into the advice. Where it is no, the types for which a pool was advised are advised none, by the rule
/// `no-gain`: no row contradicts the sentence.
void take_verdict(advice& a);

/// Whether the advice is sure of saving that share of the run: all pools together, or one other change. `--fail-over` asks it.
bool saves_at_least(const advice& a, double share);

} // namespace linn::tool
