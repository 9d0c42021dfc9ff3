// SPDX-License-Identifier: Apache-2.0
#include "trace_view_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "stack_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const block_counts& counts) {
    return {{"blocks", counts.blocks}, {"bytes", counts.bytes}};
}

ordered_json row_json(const view_row& r) {
    ordered_json json = row_name_json(r.label, r.place, r.stack);
    json.update(counts_json(r.counts));
    json["allocated"] = counts_json(r.allocated);
    return json;
}

ordered_json rows_json(const std::vector<view_row>& rows) {
    ordered_json json = ordered_json::array();
    for (const view_row& r : rows) {
        json.push_back(row_json(r));
    }
    return json;
}

ordered_json rule_json(const trace_view& view) {
    if (view.filter != block_filter::temporary) {
        return {};
    }
    const auto& between = view.temporary.allocations_between;
    return {{"rule", between ? "allocations-between" : "next-call"},
            {"most", between ? ordered_json(*between) : ordered_json{}}};
}

} // namespace

std::string trace_view_json(const trace_profile& profile, const trace_view& view) {
    const trace_info& info = profile.analysis.info;
    ordered_json json{{"schema", "linn.trace-view/1"},
                      {"version", version_text()},
                      {"file", profile.path.string()},
                      {"command", info.command},
                      {"started", info.started},
                      {"duration_ns", info.duration_ns},
                      {"incomplete", why_incomplete(info)},
                      {"attached", info.attached_pid != 0},
                      {"ran_on", info.ran_on},
                      {"filter", to_string(view.filter)},
                      {"temporary", rule_json(view)},
                      {"peak",
                       {{"at_ns", profile.analysis.peak_ns},
                        {"bytes", profile.analysis.all.peak_live_bytes},
                        {"blocks", profile.analysis.all.live_at_peak}}},
                      {"sample_bytes", info.sample_bytes}};
    json.update(counts_json(view.all));
    json["allocated"] = counts_json(view.allocated);
    ordered_json& kept = json["kept_by_runtime"] = ordered_json::array();
    for (const runtime_blocks& blocks : profile.kept_by_runtime) {
        kept.push_back({{"rule", blocks.rule}, {"blocks", blocks.count}, {"bytes", blocks.bytes}});
    }
    json["missing_symbols"] = view.missing_symbols;
    json["types"] = rows_json(view.types);
    json["places"] = rows_json(view.places);
    json["stacks"] = rows_json(view.stacks);
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
