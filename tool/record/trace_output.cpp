// SPDX-License-Identifier: Apache-2.0
#include "trace_output.hpp"

#include "../trace/reader.hpp"

#include <fmt/format.h>

namespace linn::tool {

std::string trace_output::open() {
    if (std::string problem = trace_.open(options_.file, version_for(options_.sample_bytes));
        !problem.empty()) {
        return problem;
    }
    if (!options_.is_aggregate) {
        return {};
    }
    events_.emplace(options_.level);
    return events_->open(options_.file);
}

void trace_output::begin(const recording_start& start) {
    trace_.write_start(start);
    if (events_) {
        events_->writer().write_start(start);
    }
    taker_ = std::make_unique<file_taker>(events_ ? events_->writer() : trace_);
}

void trace_output::finish(const recording_end& end) {
    taker_->finish(end);
    if (events_) {
        try {
            const std::string statistics = events_->statistics();
            trace_.write_aggregate(
                {reinterpret_cast<const unsigned char*>(statistics.data()), statistics.size()});
        } catch (const unusable_trace&) {
            // Not even the first frame could be written: problem() says why.
        }
        trace_.write_end(end);
    }
}

std::string trace_output::problem() {
    const std::string why = events_ && trace_.problem().empty() ? taker_->problem() : trace_.problem();
    return why.empty()
               ? why
               : fmt::format(
                     "{}. The recording ends there, the program went on; what was recorded before can "
                     "be used",
                     why);
}

} // namespace linn::tool
