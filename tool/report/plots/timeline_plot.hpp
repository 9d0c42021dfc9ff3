// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../analysis/trace_analysis.hpp"
#include "figure.hpp"

namespace linn::tool::html {

/// Live bytes, live blocks and events over the run, each in a panel of its own, one above the other. The script reads them out
/// at the pointer or, by the arrow keys, at a mark. Nothing where the trace has no time.
markup run_over_time(id_source& ids, const trace_analysis& t);

} // namespace linn::tool::html
