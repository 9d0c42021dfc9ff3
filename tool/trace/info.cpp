// SPDX-License-Identifier: Apache-2.0
#include "info.hpp"

namespace linn::tool {
namespace {

/// Recording never is all of it: where the subtraction says so, an event cost less than was thought.
constexpr double least_share = 0.1;

program_cost without_recording(double recorded_ns, double recording_ns, program_cost::source from) {
    if (recorded_ns <= 0) {
        return {};
    }
    const double rest = recorded_ns - recording_ns;
    const bool is_guess = rest < recorded_ns * least_share;
    return {is_guess ? recorded_ns * least_share : rest, from, is_guess};
}

} // namespace

bool is_recorder(std::string_view path) {
    const std::string_view file = path.substr(path.rfind('/') + 1);
    return file == "liblinn-record.so" || file == "liblinn-sample.so";
}

program_cost cost_of_program(const trace_info& info) {
    if (info.baseline_cpu_ns > 0) {
        return {info.baseline_cpu_ns, program_cost::source::baseline, false};
    }
    const double recording = static_cast<double>(info.events) * info.event_cost_ns;
    if (info.user_ns + info.system_ns > 0) {
        return without_recording(info.user_ns + info.system_ns, recording,
                                 program_cost::source::less_recording);
    }
    return without_recording(static_cast<double>(info.duration_ns), recording,
                             program_cost::source::wall_time);
}

} // namespace linn::tool
