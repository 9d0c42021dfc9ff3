// SPDX-License-Identifier: Apache-2.0
#include "profile_parts.hpp"

#include "../../symbols/cxx_name.hpp"
#include "report_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {

nlohmann::ordered_json frame_json(const symbol_frame& f) {
    return {{"function", text_or_null(f.function)},
            {"file", text_or_null(f.file)},
            {"line", known_or_null(f.line != 0, f.line)},
            {"column", known_or_null(f.column != 0, f.column)},
            {"library", text_or_null(f.library())}};
}

nlohmann::ordered_json profile_frame_json(const symbol_frame& frame) {
    return {{"function", function_name(frame)},
            {"file", text_or_null(frame.file)},
            {"line", known_or_null(frame.line != 0, frame.line)},
            {"library", text_or_null(frame.library())}};
}

nlohmann::ordered_json row_name_json(const profile_row& row) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    if (!row.label.empty()) {
        json["type"] = row.label;
    }
    if (row.label.empty() || !row.stack.empty()) {
        json["place"] = profile_frame_json(row.place);
    }
    if (!row.stack.empty()) {
        json["stack"] = list_json(row.stack, profile_frame_json);
    }
    return json;
}

nlohmann::ordered_json line_of(const char* what, nlohmann::ordered_json row) {
    row["what"] = what;
    if (row.contains("stack")) {
        std::string functions;
        for (const nlohmann::ordered_json& frame : row["stack"]) {
            functions += (functions.empty() ? "" : ";") + frame["function"].get<std::string>();
        }
        row["stack"] = functions;
    }
    return row;
}

namespace {

std::string lines_of(std::span<const symbol_frame> calls) {
    constexpr std::size_t letters = 56; // of a function
    std::string lines;
    for (const symbol_frame& f : calls) {
        lines += fmt::format("{}{}{}\n", lines.empty() ? "" : "from ", short_type(function_name(f), letters),
                             f.file.empty() ? "" : ", " + place_name(f));
    }
    return lines;
}

} // namespace

fold stack_lines(const std::vector<symbol_frame>& stack, const symbol_frame& place) {
    constexpr std::size_t few = 6;
    std::span<const symbol_frame> calls{stack};
    const auto begin =
        std::ranges::find_if(calls, [&](const symbol_frame& f) { return frame_key(f) == frame_key(place); });
    if (begin != calls.end()) {
        calls = {begin, calls.end()};
    }
    // What starts main() is the same in every program.
    const auto start = std::ranges::find(calls, "main", &symbol_frame::function);
    if (start != calls.end()) {
        calls = {calls.begin(), start + 1};
    }
    std::string brief = lines_of(calls.first(std::min(calls.size(), few)));
    if (calls.size() > few) {
        brief += fmt::format("and {} more\n", calls.size() - few);
    }
    return {"stack", {block{code{lines_of(stack)}}}, std::move(brief)};
}

facts recording_facts(const trace_info& info) {
    const auto time = [](double ns) { return ns > 0 ? cell{figure_of(unit::nanoseconds, ns)} : cell{}; };
    return {{{"Recorded", info.started.empty() ? cell{}
                                               : cell{fmt::format("{} in {}, on {}", date_text(info.started),
                                                                  info.directory, info.machine)}},
             {"Ended", info.ending.empty() ? "not known: the recording was cut off" : info.ending},
             {"Wall time", time(static_cast<double>(info.duration_ns))},
             {"CPU time, recording included", time(info.user_ns + info.system_ns)},
             {"CPU time without", time(info.baseline.cpu_ns)}}};
}

nlohmann::ordered_json recorded_json(const trace_info& info) {
    const nlohmann::ordered_json attached{
        {"pid", info.attached_pid}, {"age_ns", info.attached_age_ns}, {"ran_on", info.ran_on}};
    return {{"command", info.command},
            {"directory", info.directory},
            {"started", info.started},
            {"machine", info.machine},
            {"ending", text_or_null(info.ending)},
            {"attached", known_or_null(info.attached_pid != 0, attached)},
            {"duration_ns", info.duration_ns},
            {"user_ns", info.user_ns},
            {"system_ns", info.system_ns}};
}

nlohmann::ordered_json sample_json(const sample_spread& spread, double bytes) {
    if (spread.blocks == 0) {
        return {};
    }
    const sample_bounds b = bounds_of_sample(bytes, spread);
    return {{"blocks", spread.blocks}, {"bytes_low", b.low}, {"bytes_high", b.high}};
}

} // namespace linn::tool::report
