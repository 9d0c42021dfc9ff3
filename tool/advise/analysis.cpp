// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

namespace linn::tool {

trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress,
                             const analysis_wishes& wishes) {
    accumulator counted{trace.info(), wishes};
    trace.read([&](std::span<const event> events) { counted.take(events); }, progress);
    return counted.finish(trace.info());
}

} // namespace linn::tool
