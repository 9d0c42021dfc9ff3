// SPDX-License-Identifier: Apache-2.0
#include "replay_json.hpp"

#include "../../replay/replay_client.hpp"
#include "../replay_figures.hpp"
#include "../version.hpp"
#include "json_parts.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json row_json(const replay_result& result, const replay_row& row) {
    ordered_json json{{"name", row.name},
                      {"title", row.title},
                      {"version", text_or_null(row.version)},
                      {"library", text_or_null(row.library.string())},
                      {"failure", text_or_null(row.failure)},
                      {"seconds", row.seconds}};
    if (!is_measured(row)) {
        return json;
    }
    json["median"] = row.median;
    json["low"] = row.low;
    json["high"] = row.high;
    json["ratio"] = row.ratio;
    json["ratio_low"] = row.ratio_low;
    json["ratio_high"] = row.ratio_high;
    json["call"] = row.call == replay_call::not_judged ? ordered_json{} : ordered_json(to_string(row.call));
    const auto cost = cost_of_request(result, row);
    json["ns_per_request"] = cost ? ordered_json(*cost) : ordered_json{};
    const auto share = [&](double value) {
        return result.program_cpu_seconds > 0 ? ordered_json(value) : ordered_json{};
    };
    json["change"] = share(row.change);
    json["change_low"] = share(row.change_low);
    json["change_high"] = share(row.change_high);
    json["peak_rss_bytes"] = row.peak_rss_bytes;
    json["wait_seconds"] = row.wait_seconds;
    return json;
}

ordered_json options_json(const replay_options& o) {
    return {{"only", o.only},
            {"rounds", o.rounds},
            {"budget_s", o.budget.count()},
            {"touch", to_string(o.touch)},
            {"most_events", o.most_events},
            {"level", o.level},
            {"seed", o.seed}};
}

ordered_json trace_json(const replay_result& result) {
    return {{"file", result.options.trace.string()},
            {"command", result.command},
            {"process", text_or_null(result.process)},
            {"recorded_events", result.recorded_events},
            {"events", result.events},
            {"allocations", result.allocations},
            {"by_operator_new", result.by_operator_new},
            {"threads", result.threads},
            {"hand_overs", result.hand_overs},
            {"skipped", result.skipped},
            {"peak_live_blocks", result.peak_live_blocks},
            {"peak_live_bytes", result.peak_live_bytes},
            {"program_cpu_seconds",
             result.program_cpu_seconds > 0 ? ordered_json(result.program_cpu_seconds) : ordered_json{}}};
}

ordered_json agreement_json(const replay_agreement& a) {
    if (!a.is_made()) {
        return {};
    }
    ordered_json json{{"file", a.file},
                      {"metric", a.metric},
                      {"problem", text_or_null(a.problem)},
                      {"verdict", a.verdict},
                      {"agrees", a.agrees()},
                      {"tau", a.tau},
                      {"pairs", a.pairs},
                      {"same", a.same},
                      {"undecided", a.undecided},
                      {"rows", ordered_json::array()},
                      {"contradictions", ordered_json::array()}};
    for (const replay_agreement_row& r : a.rows) {
        json["rows"].push_back({{"name", r.name}, {"predicted", r.predicted}, {"measured", r.measured}});
    }
    for (const replay_disagreement& d : a.contradictions) {
        json["contradictions"].push_back({{"first", d.first},
                                          {"second", d.second},
                                          {"measured_gap", d.measured_gap},
                                          {"predicted_gap", d.predicted_gap}});
    }
    return json;
}

} // namespace

std::string replay_json(const replay_result& result) {
    ordered_json json{
        {"schema", "linn.replay/1"},
        {"version", version_text()},
        {"started", result.started},
        {"seconds", result.seconds},
        {"preparation_seconds", result.preparation_seconds},
        {"complete", result.interrupted_by == 0},
        {"complete_rounds", result.complete_rounds},
        {"problem", text_or_null(result.problem)},
        {"verdict", result.verdict},
        {"ceiling", result.program_cpu_seconds > 0 ? ordered_json(result.ceiling()) : ordered_json{}},
        {"noise_floor", result.noise_floor},
        {"trace", trace_json(result)},
        {"options", options_json(result.options)},
        {"machine", machine_json(result.machine)},
        {"remarks", result.remarks},
        {"warnings", result.warnings},
        {"rows", ordered_json::array()},
        {"types", ordered_json::array()},
        {"left_out", result.left_out},
        {"agreement", agreement_json(result.agreement)}};
    for (const replay_row& row : result.rows) {
        json["rows"].push_back(row_json(result, row));
    }
    for (const replay_row& row : result.groups) {
        json["types"].push_back(row_json(result, row));
    }
    // Paths come from outside and may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
