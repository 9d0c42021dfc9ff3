// SPDX-License-Identifier: Apache-2.0
#include "trace_json.hpp"

#include "../version.hpp"
#include "json_parts.hpp"
#include "sample_json.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const trace_counts& counts) {
    ordered_json json = ordered_json::object();
    for (std::size_t k = 0; k != trace_counts::kinds; ++k) {
        ordered_json calls = ordered_json::object();
        for (std::size_t c = 1; c != trace_counts::calls; ++c) {
            if (counts.of_call[k][c] != 0) {
                calls[to_string(static_cast<allocation_call>(c))] = counts.of_call[k][c];
            }
        }
        json[to_string(static_cast<event_kind>(k))] = {{"count", counts.of_kind[k]}, {"calls", calls}};
    }
    return json;
}

ordered_json processes_json(const trace_info& info) {
    constexpr const char* origins[] = {"start", "fork", "exec"};
    ordered_json json = ordered_json::array();
    for (const trace_process& p : info.processes) {
        json.push_back({{"pid", p.pid},
                        {"parent", p.parent},
                        {"began", origins[static_cast<std::size_t>(p.began) % 3]},
                        {"began_at_ns", p.began_at},
                        {"executable", p.executable},
                        {"arguments", p.arguments},
                        {"events", p.events},
                        {"dropped", p.dropped}});
    }
    return json;
}

} // namespace

std::string trace_json(const std::string& file, const trace_info& info, const trace_counts& counts) {
    ordered_json json{{"schema", "linn.trace/1"},
                      {"version", version_text()},
                      {"file", file},
                      {"file_bytes", info.file_bytes},
                      {"format", info.version},
                      {"whole", info.missing.empty()},
                      {"damage", info.missing},
                      {"command", info.command},
                      {"directory", info.directory},
                      {"started", info.started},
                      {"machine", info.machine},
                      {"ending", info.ending.empty() ? ordered_json{} : ordered_json(info.ending)},
                      {"attached", info.attached_pid == 0 ? ordered_json{}
                                                          : ordered_json{{"pid", info.attached_pid},
                                                                         {"age_ns", info.attached_age_ns},
                                                                         {"ran_on", info.ran_on}}},
                      {"duration_ns", info.duration_ns},
                      {"user_ns", info.user_ns},
                      {"system_ns", info.system_ns}};
    json["baseline"] = info.baseline_cpu_ns > 0 ? ordered_json{{"cpu_ns", info.baseline_cpu_ns},
                                                               {"wall_ns", info.baseline_wall_ns},
                                                               {"system_ns", info.baseline_system_ns},
                                                               {"page_faults", info.baseline_page_faults}}
                                                : ordered_json{};
    json["recording"] = {{"depth", info.depth},
                         {"clock", info.clock},
                         {"unwinder", info.unwinder},
                         {"contents", info.contents},
                         {"smallest_fill", info.smallest_fill},
                         {"sample_bytes", info.sample_bytes},
                         {"event_cost_ns", info.event_cost_ns},
                         {"event_cost_samples", info.event_cost_samples}};
    json["events"] = counts.events;
    json["dropped"] = info.dropped;
    json["requested_bytes"] = counts.bytes;
    json["sample"] = sample_json(counts.spread, counts.estimated_bytes);
    if (counts.spread.blocks != 0) {
        json["sample"]["allocations"] = counts.estimated_allocations;
        json["sample"]["bytes"] = counts.estimated_bytes;
    }
    json["kinds"] = counts_json(counts);
    json["stacks"] = info.stacks.empty() ? 0 : info.stacks.size() - 1;
    json["cut_stacks"] = info.cut_stacks;
    json["processes"] = processes_json(info);
    ordered_json& threads = json["threads"] = ordered_json::array();
    for (const trace_thread& t : info.threads) {
        threads.push_back({{"process", t.process}, {"tid", t.tid}, {"name", t.name}, {"events", t.events}});
    }
    ordered_json& modules = json["modules"] = ordered_json::array();
    for (const trace_module& m : info.modules) {
        modules.push_back(
            {{"path", m.path}, {"build_id", m.build_id.empty() ? ordered_json{} : ordered_json(m.build_id)}});
    }
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
