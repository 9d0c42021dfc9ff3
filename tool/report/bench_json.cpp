// SPDX-License-Identifier: Apache-2.0
#include "bench_json.hpp"

#include "../bench/statistics.hpp"
#include "../bench/summary.hpp"
#include "version.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json machine_json(const machine_info& m) {
    return {{"cpu", m.cpu_model},          {"cpus", m.cpus},
            {"kernel", m.kernel},          {"transparent_huge_pages", m.huge_pages},
            {"compiler", m.compiler},      {"build", m.build},
            {"counter", m.counter},        {"cycles_per_ns", m.ticks_per_ns},
            {"environment", m.environment}};
}

ordered_json options_json(const bench_options& o) {
    return {{"rounds", o.rounds},
            {"warm_up_rounds", o.warm_up_rounds},
            {"seed", o.seed},
            {"cpu", o.cpu},
            {"timeout_s", o.timeout.count()},
            {"container", o.container},
            {"n", o.n},
            {"objects", o.objects},
            {"object_bytes", o.object_bytes}};
}

ordered_json contender_json(const contender& c) {
    ordered_json json{{"name", c.name}, {"title", c.title}, {"kind", to_string(c.kind)}};
    json["library"] = c.library.empty() ? ordered_json{} : ordered_json(c.library.string());
    json["proof"] = {{"preload_mapped", c.proof.preload_mapped}, {"providers", c.proof.files}};
    json["notes"] = c.notes;
    return json;
}

ordered_json phase_json(const bench_result& result, const scenario_result& s, const row& r, std::size_t p) {
    const std::vector<double> cycles = r.cycles(p);
    const double rate = result.machine.ticks_per_ns;
    const double middle = median(cycles);
    const double least = minimum(cycles);
    ordered_json json{{"cycles", {{"median", middle}, {"minimum", least}, {"samples", cycles}}},
                      {"ns", {{"median", middle / rate}, {"minimum", least / rate}}},
                      {"page_faults", median(r.faults(p))}};
    const row* baseline = s.find(result.contenders, baseline_name);
    json["ratio_to_glibc"] =
        baseline == nullptr ? ordered_json{} : ordered_json(middle / median(baseline->cycles(p)));
    const bool is_published_container =
        s.what->name != "containers" || result.options.container == "unordered_set";
    const published_row* published = find_published(*s.what, result.contenders[r.contender].name);
    const bool has_published = is_published_container && published != nullptr && published->cycles[p] != 0;
    json["published_cycles"] = has_published ? ordered_json(published->cycles[p]) : ordered_json{};
    return json;
}

ordered_json scenario_json(const bench_result& result, const scenario_result& s) {
    ordered_json json{{"name", s.what->name}, {"summary", s.what->summary}, {"operation", s.what->operation}};
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const std::string phase{s.what->phases[p].name};
        const auto floor = noise_floor(result, s, p);
        json["noise_floor"][phase] = floor ? ordered_json(*floor) : ordered_json{};
        json["claim_threshold"][phase] = claim_threshold(result, s, p);
    }
    json["rows"] = ordered_json::array();
    for (const row& r : s.rows) {
        ordered_json entry{{"contender", result.contenders[r.contender].name},
                           {"rounds", r.samples.size()},
                           {"repeated", r.repeated},
                           {"disturbed", r.disturbed},
                           {"peak_rss_bytes", r.peak_rss_bytes()},
                           {"ratio_to_glibc", ratio_to_baseline(result, s, r)}};
        for (std::size_t p = 0; p != s.what->phases.size(); ++p)
            entry["phases"][std::string{s.what->phases[p].name}] = phase_json(result, s, r, p);
        json["rows"].push_back(std::move(entry));
    }
    json["linn_by_best_other"] = ordered_json::object();
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        if (const auto c = compare_linn(result, s, p))
            json["linn_by_best_other"][std::string{s.what->phases[p].name}] = {
                {"best_other", result.contenders[c->best_other].name},
                {"speed_up", c->speed_up},
                {"uncertainty", c->uncertainty}};
    json["published"] = ordered_json::array();
    for (const published_row& row : s.what->published)
        json["published"].push_back({{"contender", row.contender},
                                     {"source", row.source},
                                     {"cycles", std::vector<double>(row.cycles.begin(), row.cycles.end())}});
    return json;
}

} // namespace

std::string bench_json(const bench_result& result) {
    ordered_json json{{"schema", "linn.bench/1"},
                      {"version", version_text()},
                      {"started", result.started},
                      {"seconds", result.seconds},
                      {"complete", result.complete()},
                      {"complete_rounds", result.complete_rounds},
                      {"options", options_json(result.options)},
                      {"machine", machine_json(result.machine)}};
    json["contenders"] = ordered_json::array();
    for (const contender& c : result.contenders)
        json["contenders"].push_back(contender_json(c));
    json["scenarios"] = ordered_json::array();
    for (const scenario_result& s : result.scenarios)
        json["scenarios"].push_back(scenario_json(result, s));
    json["left_out"] = ordered_json::array();
    for (const left_out& l : result.missing)
        json["left_out"].push_back(
            {{"name", l.name},
             {"scenario", l.scenario.empty() ? ordered_json{} : ordered_json(l.scenario)},
             {"reason", l.reason}});
    json["summary"] = summarise(result);
    // Paths and names come from outside and may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
