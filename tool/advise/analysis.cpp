// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"

#include "../analysis/analysis_text.hpp"

#include <optional>
#include <utility>

namespace linn::tool {

trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress,
                             const analysis_wishes& wishes) {
    if (!trace.aggregate().empty()) {
        std::optional<trace_analysis> read = read_analysis_text(trace.aggregate(), trace.info());
        if (!read) {
            throw unusable_trace{
                "the statistics in this trace are damaged, or of a newer version of linn; record the "
                "program again"};
        }
        return std::move(*read);
    }
    accumulator counted{trace.info(), wishes};
    trace.read([&](std::span<const event> events) { counted.take(events); }, progress);
    return counted.finish(trace.info());
}

} // namespace linn::tool
