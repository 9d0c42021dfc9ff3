// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../bench/results.hpp"
#include "../plots/figure.hpp"
#include "../render/page.hpp"

namespace linn::tool::html {

/// One scenario: what it measures, its plots, its tables and what a reader must know of them.
section scenario_section(id_source& ids, const bench_result& result, const scenario_result& s);

} // namespace linn::tool::html
