// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "type_groups.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// Blocks of one type, from one place of the user's code, that zeros were written into right after they were allocated.
struct filled_place {
    std::string label;     ///< the type as the table calls it: "std::shared_ptr<Line>"
    std::string type;      ///< "Line"
    std::string container; ///< "std::shared_ptr<Line>"; empty: none
    type_rule named_by = type_rule::none;
    symbol_frame place;
    std::vector<symbol_frame> callers;    ///< from the place outwards
    std::vector<symbol_frame> written_by; ///< the stack of the memset, innermost first
    std::uint64_t fills = 0;
    std::uint64_t bytes = 0;  ///< zeros written
    double time_ns = 0;       ///< measured while the program ran
    bool is_candidate = true; ///< false where the zeros are needed, by all that is known
    std::string fix;          ///< "std::make_shared_for_overwrite<Line>()", or why there is none
    std::string change;       ///< lines that begin with "-", "+" and "@@"; empty: none
};

/// What `linn advise` says of a trace of `linn record --fills`.
struct fill_report {
    std::string verdict; ///< one sentence
    std::uint64_t fills = 0;
    std::uint64_t bytes = 0;
    double time_ns = 0;
    double program_cpu_ns = 0;        ///< 0: not known
    std::vector<filled_place> places; ///< most bytes first
    std::vector<std::string> notes;   ///< what could not be seen, and what weakens the rest
};

/// Reads the fills of a trace out of its analysis.
fill_report report_fills(const trace_analysis& analysis, const naming& names, const source_reader& sources);

} // namespace linn::tool
