// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../document/document.hpp"
#include "report_parts.hpp"

namespace linn::tool::report {

/// How a comparison looks: won and lost ones stand out.
inline emphasis style_of(outcome o) noexcept {
    return o == outcome::win ? emphasis::good : o == outcome::loss ? emphasis::bad : emphasis::none;
}

/// What a report of `linn bench` says of one scenario: its plots, its table, who wins and every sample. `notes`: of contenders. @pre it
/// has samples
section scenario_section(const bench_result& result, const scenario_result& s, const marked_notes& notes);

} // namespace linn::tool::report
