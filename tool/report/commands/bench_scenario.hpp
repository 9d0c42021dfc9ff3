// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../document/document.hpp"

#include <map>
#include <string>

namespace linn::tool::report {

/// The marks of the contenders that have notes, by name.
using note_marks = std::map<std::string, unsigned>;

/// What a report of `linn bench` says of one scenario: its plots, its table, who wins and every sample. @pre it has samples
section scenario_section(const bench_result& result, const scenario_result& s, const note_marks& marks);

} // namespace linn::tool::report
