// SPDX-License-Identifier: Apache-2.0
#include "fills_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json positive_or_null(double value) {
    return value > 0 ? ordered_json(value) : ordered_json{};
}

ordered_json place_json(const filled_place& row, double program_cpu_ns) {
    ordered_json callers = ordered_json::array();
    for (const symbol_frame& caller : row.callers) {
        callers.push_back(frame_json(caller));
    }
    return {{"label", row.label},
            {"type", row.type},
            {"container", text_or_null(row.container)},
            {"named_by", to_string(row.named_by)},
            {"place", frame_json(row.place)},
            {"callers", callers},
            {"written_by", row.written_by.empty() ? ordered_json{} : frame_json(row.written_by.front())},
            {"fills", row.fills},
            {"bytes", row.bytes},
            {"time_ns", row.time_ns},
            {"share", program_cpu_ns > 0 ? ordered_json(row.time_ns / program_cpu_ns) : ordered_json{}},
            {"candidate", row.is_candidate},
            {"mend", row.fix},
            {"change", text_or_null(row.change)}};
}

} // namespace

std::string fills_json(const fill_report& report, const trace_info& info, const std::string& file) {
    ordered_json json{{"schema", "linn.fills/1"},
                      {"version", version_text()},
                      {"verdict", report.verdict},
                      {"file", file},
                      {"command", info.command},
                      {"started", info.started},
                      {"machine", info.machine},
                      {"ending", text_or_null(info.ending)},
                      {"smallest_fill", info.smallest_fill},
                      {"program_cpu_ns", positive_or_null(report.program_cpu_ns)},
                      {"fills", report.fills},
                      {"bytes", report.bytes},
                      {"time_ns", report.time_ns},
                      {"dropped", info.dropped},
                      {"places", ordered_json::array()},
                      {"notes", report.notes}};
    for (const filled_place& row : report.places) {
        json["places"].push_back(place_json(row, report.program_cpu_ns));
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
