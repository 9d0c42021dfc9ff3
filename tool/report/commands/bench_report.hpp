// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../document/document.hpp"

#include <map>
#include <string>

namespace linn::tool::report {

/// The report of `linn bench`: what to take away, then each scenario. @pre `judge` has run, and `result` outlives it
document bench_document(const bench_result& result);

/// Every test of the headline, with what is said of all of them together: fifteen lines of at most 100 characters.
table headline_table(const headline_result& h);

/// Makes the headline the beginning of the document: the verdict, how far to trust it, and the table.
void begin_with_headline(document& d, const headline_result& h);

/// What a reader may do next.
code next_commands();

/// A line for each phase of a row, for CSV. @pre `judge` has run
data_table bench_data(const bench_result& result);

/// The run in the schema "linn.bench/2" (docs/reference/bench-json.md), ended by a newline.
std::string bench_json(const bench_result& result);

/// How a comparison looks: won and lost ones stand out.
inline emphasis style_of(outcome o) noexcept {
    return o == outcome::win ? emphasis::good : o == outcome::loss ? emphasis::bad : emphasis::none;
}

/// The marks of the contenders that have notes, by name.
using note_marks = std::map<std::string, unsigned>;

/// What a report of `linn bench` says of one scenario: its plots, its table, who wins and every sample. @pre it has samples
section scenario_section(const bench_result& result, const scenario_result& s, const note_marks& marks);

} // namespace linn::tool::report
