// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../advise/advice.hpp"

#include <string>
#include <vector>

namespace linn::tool {

/// The figures of a type as every form of the report shows them.
struct advise_cells {
    std::string type;
    std::string count;
    std::string share;
    std::string size;
    std::string peak_live;
    std::string median_life;
    std::string remote;
    std::string gain; ///< with "~" in front where it is estimated
    std::string
        measured; ///< with --try: "9-12 %", in parentheses where others were measured with it, "-"; else empty
    std::string use;
};

advise_cells cells_of(const advised_type& type);

/// "./app 100: 15.05 M events by 2 threads in 0.41 s of CPU time".
std::string run_line(const advice& a);

/// How many of the gains are estimates, and why: a sentence for each reason. Empty where all were measured.
std::string estimates_line(const advice& a);

/// With --try: what was measured of the type, or why it was not; empty without.
std::string tried_text(const advised_type& type);

/// With --try: what `linn try` says, in sentences that stand behind the verdict.
std::vector<std::string> trial_sentences(const advice& a);

/// Where the ceiling and the gains come from, and how far to trust them, in sentences.
std::string method_line(const advice& a);

} // namespace linn::tool
