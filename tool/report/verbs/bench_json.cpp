// SPDX-License-Identifier: Apache-2.0
#include "bench_json.hpp"

#include "../../bench/cliffs.hpp"
#include "../../bench/headline.hpp"
#include "../../bench/summary.hpp"
#include "../../measure/statistics.hpp"
#include "../version.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool {
namespace {

using nlohmann::ordered_json;

ordered_json measured_machine_json(const machine_info& m) {
    return {{"cpu", m.cpu_model},          {"cpus", m.cpus},
            {"kernel", m.kernel},          {"transparent_huge_pages", m.huge_pages},
            {"compiler", m.compiler},      {"build", m.build},
            {"counter", m.counter},        {"cycles_per_ns", m.ticks_per_ns},
            {"environment", m.environment}};
}

ordered_json options_json(const bench_options& o) {
    return {{"mode", o.full ? "full" : "quick"},
            {"rounds", o.rounds},
            {"least_rounds", o.least_rounds},
            {"budget_s", o.budget_s > 0 ? ordered_json(o.budget_s) : ordered_json{}},
            {"warm_up_rounds", o.warm_up_rounds},
            {"seed", o.seed},
            {"cpu", o.cpu},
            {"timeout_s", o.timeout.count()},
            {"container", o.container},
            {"n", o.n},
            {"objects", o.objects},
            {"object_bytes", o.object_bytes},
            {"work", o.work}};
}

ordered_json contender_json(const contender& c) {
    ordered_json json{{"name", c.name}, {"title", c.title}, {"kind", to_string(c.kind)}};
    json["library"] = c.library.empty() ? ordered_json{} : ordered_json(c.library.string());
    json["proof"] = {{"preload_mapped", c.proof.preload_mapped}, {"providers", c.proof.files}};
    json["notes"] = c.notes;
    json["environment"] = c.environment;
    return json;
}

/// What was published for this row and phase, in the scenario's published unit; null where nothing was.
ordered_json published_figure(const bench_result& result, const scenario_result& s, const row& r,
                              std::size_t p) {
    const published_row* published =
        find_published(*s.what, result.contenders[r.contender].name, s.variant_of(r));
    // Some were published by platform and not by phase.
    const bool by_phase = published != nullptr && published->figures.size() == s.what->phases.size();
    return by_phase && s.what->published_unit != "unstated" && published->figures[p] != 0
               ? ordered_json(published->figures[p])
               : ordered_json{};
}

ordered_json cliffs_json(const scenario_result& s, const row& r) {
    ordered_json list = ordered_json::array();
    for (const unsigned threads : {1u, 2u})
        for (const cliff& c : find_cliffs(*s.what, r, threads))
            list.push_back({{"threads", threads},
                            {"bytes", s.what->phases[c.phase].bytes},
                            {"phase", s.what->phases[c.phase].name},
                            {"factor", c.factor},
                            {"page_faults", median(r.faults(c.phase))}});
    return list;
}

ordered_json phase_json(const bench_result& result, const scenario_result& s, const row& r, std::size_t p) {
    const std::vector<double> cycles = r.cycles(p);
    if (!r.has(p))
        return {};
    const double rate = result.machine.ticks_per_ns;
    const double middle = median(cycles);
    const double least = minimum(cycles);
    ordered_json json{{"cycles", {{"median", middle}, {"minimum", least}, {"samples", cycles}}},
                      {"ns", {{"median", middle / rate}, {"minimum", least / rate}}},
                      {"page_faults", median(r.faults(p))}};
    const row* baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    json["ratio_to_glibc"] = baseline == nullptr || !baseline->has(p)
                                 ? ordered_json{}
                                 : ordered_json(middle / median(baseline->cycles(p)));
    if (s.what->has_variants()) {
        for (const auto& [name, value] : r.samples.front().metrics[p])
            json["metrics"][name] = r.metric(p, name).value_or(value);
        json["published"] = published_figure(result, s, r, p);
        return json;
    }
    const bool is_published_container =
        s.what->name != "containers" || result.options.container == "unordered_set";
    const published_row* published = find_published(*s.what, result.contenders[r.contender].name);
    const bool has_published = is_published_container && published != nullptr && published->figures[p] != 0;
    json["published_cycles"] = has_published ? ordered_json(published->figures[p]) : ordered_json{};
    return json;
}

ordered_json comparison_json(const bench_result& result, const scenario_result& s, std::size_t phase,
                             const comparison& c) {
    const outcome o = judge(result, s, phase, c);
    ordered_json json{{"best_other", result.contenders[c.best_other->contender].name},
                      {"speed_up", c.speed_up},
                      {"uncertainty", c.uncertainty},
                      {"outcome", o == outcome::not_judged ? ordered_json{} : ordered_json(to_string(o))}};
    if (s.what->has_variants())
        json["best_other_variant"] = s.variant_of(*c.best_other);
    return json;
}

void add_variants(ordered_json& json, const scenario& s) {
    json["baseline"] = s.baseline;
    json["variants"] = ordered_json::array();
    for (const variant_info& v : s.variants)
        json["variants"].push_back(
            {{"name", v.name},
             {"title", v.title},
             {"contender", v.contender.empty() ? ordered_json{} : ordered_json(v.contender)},
             {"note", v.note}});
}

void add_comparisons(ordered_json& json, const bench_result& result, const scenario_result& s) {
    json["comparisons"] = ordered_json::array();
    for (const comparison_info& info : s.what->comparisons) {
        ordered_json entry{
            {"variant", info.ours}, {"rivals", info.rivals}, {"phases", ordered_json::object()}};
        for (std::size_t p = 0; p != s.what->phases.size(); ++p)
            if (const auto c = compare(result, s, info, p))
                entry["phases"][std::string{s.what->phases[p].name}] = comparison_json(result, s, p, *c);
        json["comparisons"].push_back(std::move(entry));
    }
}

ordered_json scenario_json(const bench_result& result, const scenario_result& s) {
    ordered_json json{{"name", s.what->name}, {"summary", s.what->summary}, {"operation", s.what->operation}};
    json["group"] = s.what->group.empty() ? ordered_json{} : ordered_json(s.what->group);
    json["phases"] = ordered_json::array();
    for (const phase_info& p : s.what->phases)
        json["phases"].push_back({{"name", p.name},
                                  {"title", p.title},
                                  {"bytes", p.bytes != 0 ? ordered_json(p.bytes) : ordered_json{}},
                                  {"threads", p.bytes != 0 ? ordered_json(p.threads) : ordered_json{}}});
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const std::string phase{s.what->phases[p].name};
        const auto floor = noise_floor(result, s, p);
        json["noise_floor"][phase] = floor ? ordered_json(*floor) : ordered_json{};
        json["claim_threshold"][phase] = claim_threshold(result, s, p);
    }
    if (s.what->has_variants())
        add_variants(json, *s.what);
    json["rows"] = ordered_json::array();
    for (const row& r : s.rows) {
        ordered_json entry{
            {"contender", result.contenders[r.contender].name},
            {"variant", s.what->has_variants() ? ordered_json(s.variant_of(r)) : ordered_json{}},
            {"rounds", r.samples.size()},
            {"repeated", r.repeated},
            {"disturbed", r.disturbed},
            {"peak_rss_bytes", r.peak_rss_bytes()},
            {"ratio_to_glibc", ratio_to_baseline(result, s, r)}};
        if (s.what->has_curves())
            entry["cliffs"] = cliffs_json(s, r);
        for (std::size_t p = 0; p != s.what->phases.size(); ++p)
            entry["phases"][std::string{s.what->phases[p].name}] = phase_json(result, s, r, p);
        json["rows"].push_back(std::move(entry));
    }
    json["linn_by_best_other"] = ordered_json::object();
    if (s.what->has_variants())
        add_comparisons(json, result, s);
    else
        for (std::size_t p = 0; p != s.what->phases.size(); ++p)
            if (const auto c = compare_linn(result, s, p))
                json["linn_by_best_other"][std::string{s.what->phases[p].name}] =
                    comparison_json(result, s, p, *c);
    json["published"] = ordered_json::array();
    for (const published_row& row : s.what->published) {
        const std::vector<double> figures(row.figures.begin(), row.figures.end());
        ordered_json entry{{"contender", row.contender}, {"source", row.source}};
        if (!row.variant.empty())
            entry["variant"] = row.variant;
        entry[s.what->published_unit == "cycles" ? "cycles" : "figures"] = figures;
        entry["unit"] = s.what->published_unit;
        json["published"].push_back(std::move(entry));
    }
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
                      {"budget_spent", result.budget_spent()},
                      {"options", options_json(result.options)},
                      {"machine", measured_machine_json(result.machine)}};
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
             {"variant", l.variant.empty() ? ordered_json{} : ordered_json(l.variant)},
             {"reason", l.reason}});
    const std::string first = headline(result);
    json["headline"] = first.empty() ? ordered_json{} : ordered_json(first);
    json["summary"] = summarise(result);
    json["findings"] = findings(result);
    // Paths and names come from outside and may hold bytes that are no UTF-8.
    return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace linn::tool
