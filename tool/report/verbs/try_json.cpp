// SPDX-License-Identifier: Apache-2.0
#include "try_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "run_json.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json addresses_json(const try_candidate& c) {
    ordered_json all = ordered_json::array();
    for (const std::string& address : c.addresses) {
        all.push_back(text_or_null(address));
    }
    return all;
}

ordered_json candidate_json(const try_result& result, std::size_t i) {
    const try_candidate& c = result.candidates.list[i];
    const std::optional<double> routed = result.routed(i);
    const pool_plan plan = plan_of_candidates(result.candidates, {i});
    const bool is_measured_alone = !result.alone.rows.empty();
    return {{"label", c.label},
            {"types", c.types},
            {"addresses", addresses_json(c)},
            {"allocations", c.allocations},
            {"share", c.share},
            {"sites", c.sites.size()},
            {"pools", c.pools.size()},
            {"hits", i < result.hits.size() ? ordered_json(result.hits[i]) : ordered_json{}},
            {"routed", routed ? ordered_json(*routed) : ordered_json{}},
            {"row", is_measured_alone ? ordered_json(arm_alone(i)) : ordered_json{}},
            {"huge_pages", std::any_of(plan.pools.begin(), plan.pools.end(),
                                       [](const plan_pool& p) { return p.wants_huge_pages; })},
            {"chosen", std::find(result.chosen.begin(), result.chosen.end(), i) != result.chosen.end()}};
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
    return run.rows.empty() ? ordered_json{} : run_document(run);
}

} // namespace

std::string try_json(const try_result& result, const std::vector<std::string>& command) {
    ordered_json json{{"schema", "linn.try/1"},
                      {"version", version_text()},
                      {"command", command},
                      {"trace", text_or_null(result.trace)},
                      {"complete", result.interrupted_by == 0},
                      {"problem", text_or_null(result.problem)},
                      {"verdict", result.verdict},
                      {"answer", to_string(result.answer)},
                      {"findings", result.findings},
                      {"warnings", result.warnings},
                      {"gained_alone", result.has_gained_alone}};
    json["candidates"] = ordered_json::array();
    for (std::size_t i = 0; i != result.candidates.list.size(); ++i) {
        json["candidates"].push_back(candidate_json(result, i));
    }
    json["left_out"] = ordered_json::array();
    for (const try_left_out& l : result.candidates.left_out) {
        json["left_out"].push_back({{"type", l.type},
                                    {"address", text_or_null(l.address)},
                                    {"reason", l.reason},
                                    {"share", l.share}});
    }
    json["plan"] = result.plan.sites.empty() ? ordered_json{} : ordered_json(plan_text(result.plan));
    json["alone"] = run_or_null(result.alone);
    json["together"] = run_or_null(result.together);
    json["further"] = run_or_null(result.further);
    json["variants"] = ordered_json::array();
    for (const try_variant& v : result.variants) {
        std::vector<std::string> types;
        for (const std::size_t i : v.served) {
            const try_candidate& c = result.candidates.list[i];
            types.insert(types.end(), c.types.begin(), c.types.end());
        }
        json["variants"].push_back({{"row", v.name}, {"title", v.title}, {"why", v.why}, {"types", types}});
    }
    json["plan_variant"] = text_or_null(result.plan_variant);
    json["litter"] = litter_json(result);
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
