// SPDX-License-Identifier: Apache-2.0
#include "../../advise/verdict.hpp"
#include "../version.hpp"
#include "report_parts.hpp"
#include "run_report.hpp"
#include "try_report.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json candidate_json(const try_result& result, std::size_t i) {
    const try_candidate& c = result.candidates.list[i];
    const std::optional<double> routed = result.routed(i);
    const pool_plan plan = arm_of_types(result.candidates, {i}).plan;
    return {{"label", c.label},
            {"types", c.types},
            {"addresses", list_json(c.addresses, text_or_null)},
            {"allocations", c.allocations},
            {"share", c.share},
            {"time_share", positive_or_null(c.time_share)},
            {"sites", c.sites.size()},
            {"pools", c.pools.size()},
            {"hits", i < result.hits.size() ? ordered_json(result.hits[i]) : ordered_json{}},
            {"routed", known_or_null(routed.has_value(), routed.value_or(0))},
            {"huge_pages", std::ranges::any_of(plan.pools, &plan_pool::wants_huge_pages)}};
}

ordered_json saving_json(const saving& s) {
    const auto bound = [&](double value) { return known_or_null(s.is_known(), value); };
    return {{"saved", s.middle}, {"low", bound(s.low)}, {"high", bound(s.high)}};
}

ordered_json best_json(const std::optional<best_arm>& best) {
    if (!best) {
        return {};
    }
    ordered_json json = saving_json(best->saved);
    json["row"] = best->name;
    json["rounds"] = best->rounds;
    json["unanimous"] = best->is_unanimous;
    return json;
}

ordered_json saving_or_null(const std::optional<saving>& s) {
    return s ? saving_json(*s) : ordered_json{};
}

/// The form that they vary is in both lists of rows, and has no entry of its own.
ordered_json arms_json(const try_result& result) {
    ordered_json all = ordered_json::array();
    for (const std::vector<try_arm>* list : {&result.arms, &result.parts}) {
        for (const try_arm& arm : *list) {
            all.push_back({{"row", arm.name},
                           {"part", list == &result.arms ? "deciding" : "explaining"},
                           {"title", arm.title},
                           {"why", text_or_null(arm.why)},
                           {"mode", arm.mode},
                           {"pools", arm.mode == "sizes" ? arm.plan.sites.size() : arm.plan.pools.size()},
                           {"candidates", arm.served}});
        }
    }
    return all;
}

ordered_json litter_json(const try_result& result) {
    const run_row* plain = result.littered();
    if (plain == nullptr) {
        return {};
    }
    const probe::litter& one = plain->samples.front().littered;
    return {{"blocks", one.blocks},
            {"freed", one.freed},
            {"bytes", one.bytes},
            {"resident_bytes", one.resident_bytes},
            {"cpu_ns", one.user_ns + one.sys_ns}};
}

ordered_json run_or_null(const run_result& run) {
    return run.rows.empty() ? ordered_json{} : run_fields(run);
}

} // namespace

std::string try_json(const try_result& result, const std::vector<std::string>& command) {
    const try_judgement& judged = result.judged;
    ordered_json json{{"schema", "linn.try/2"},
                      {"version", version_text()},
                      {"command", command},
                      {"trace", text_or_null(result.trace)},
                      {"complete", result.interrupted_by == 0},
                      {"problem", text_or_null(result.problem)},
                      {"verdict", try_verdict(result)},
                      {"answer", to_string(judged.answer)},
                      {"open", text_or_null(to_string(judged.open))},
                      {"threshold", worth_a_pool},
                      {"gain", best_json(judged.pools)},
                      {"allocator", best_json(judged.allocator)},
                      {"over", saving_or_null(judged.over)},
                      {"over_allocator", saving_or_null(judged.over_allocator)},
                      {"better", best_json(judged.better)},
                      {"findings", try_findings(result)},
                      {"warnings", try_warnings(result)}};
    json["candidates"] = ordered_json::array();
    for (std::size_t i = 0; i != result.candidates.list.size(); ++i) {
        json["candidates"].push_back(candidate_json(result, i));
    }
    json["left_out"] = list_json(result.candidates.left_out, [](const try_left_out& l) {
        return ordered_json{
            {"type", l.type}, {"address", text_or_null(l.address)}, {"reason", l.reason}, {"share", l.share}};
    });
    json["plan"] = result.plan.sites.empty() ? ordered_json{} : ordered_json(plan_text(result.plan));
    json["plan_row"] = text_or_null(result.plan_arm);
    json["plan_mode"] = result.plan_mode;
    json["arms"] = arms_json(result);
    json["screening"] = run_or_null(result.screening);
    json["deciding"] = run_or_null(result.deciding);
    json["explaining"] = run_or_null(result.explaining);
    json["litter"] = litter_json(result);
    return file_text(json);
}

} // namespace linn::tool::report
