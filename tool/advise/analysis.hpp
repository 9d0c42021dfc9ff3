// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/accumulator.hpp"
#include "../analysis/trace_analysis.hpp"
#include "../trace/reader.hpp"

#include <functional>

namespace linn::tool {

/// Reads a trace in one pass. Memory: in proportion to live blocks and to distinct stacks. Throws what the reader throws.
trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress = {},
                             const analysis_wishes& wishes = {});

} // namespace linn::tool
