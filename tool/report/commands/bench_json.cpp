// SPDX-License-Identifier: Apache-2.0
#include "../../bench/bench.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json measured_machine_json(const machine_info& m) {
    ordered_json json = machine_json(m);
    json.update({{"compiler", m.compiler},
                 {"build", m.build},
                 {"counter", m.counter},
                 {"cycles_per_ns", m.ticks_per_ns}});
    return json;
}

ordered_json options_json(const bench_options& o) {
    return {{"mode", o.full ? "full" : "quick"},
            {"rounds", o.rounds},
            {"least_rounds", o.least_rounds},
            {"budget_s", positive_or_null(o.budget_s)},
            {"warm_up_rounds", o.warm_up_rounds},
            {"seed", o.seed},
            {"cpu", o.cpu},
            {"timeout_s", o.timeout.count()},
            {"container", o.container},
            {"work", o.work}};
}

ordered_json contender_json(const contender& c) {
    return {{"name", c.name},
            {"title", c.title},
            {"kind", to_string(c.kind)},
            {"library", text_or_null(c.library.string())},
            {"proof", {{"preload_mapped", c.proof.preload_mapped}, {"providers", c.proof.files}}},
            {"notes", c.notes},
            {"environment", c.environment}};
}

/// Bounds that are not known are null.
ordered_json timing_json(const timing& t) {
    return {
        {"median", t.median.middle}, {"low", t.median.low}, {"high", t.median.high}, {"minimum", t.minimum}};
}

ordered_json phase_json(const tool::row& r, std::size_t p) {
    const phase_figures* const f = r.in(p);
    if (f == nullptr) {
        return {};
    }
    ordered_json json{{"cycles", timing_json(f->cycles)},
                      {"ns", timing_json(f->ns)},
                      {"page_faults", f->faults},
                      {"ratio_to_glibc", value_or_null(f->ratio)}};
    json["cycles"]["samples"] = r.cycles(p);
    if (!f->metrics.empty()) {
        json["metrics"] = f->metrics;
    }
    return json;
}

ordered_json comparison_json(const bench_result& result, const scenario_result& s, const comparison& c) {
    const tool::row& other = s.rows[c.other];
    return {{"best_other", result.contenders[other.contender].name},
            {"best_other_variant", s.variant_of(other).name},
            {"speed_up", c.speed_up},
            {"uncertainty", c.uncertainty},
            {"outcome", known_or_null(c.says != outcome::not_judged, to_string(c.says))}};
}

ordered_json comparisons_json(const bench_result& result, const scenario_result& s) {
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
        const comparison_info& info = s.what->comparisons[i];
        ordered_json entry{
            {"variant", info.ours}, {"rivals", info.rivals}, {"phases", ordered_json::object()}};
        for (const comparison& c : s.comparisons[i]) {
            entry["phases"][std::string{s.what->phases[c.phase].name}] = comparison_json(result, s, c);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

ordered_json row_json(const bench_result& result, const scenario_result& s, const tool::row& r) {
    return {{"contender", result.contenders[r.contender].name},
            {"variant", s.variant_of(r).name},
            {"rounds", r.samples.size()},
            {"repeated", r.repeated},
            {"disturbed", r.disturbed},
            {"peak_rss_bytes", r.peak_rss_bytes},
            {"ratio_to_glibc", r.ratio}};
}

ordered_json scenario_json(const bench_result& result, const scenario_result& s) {
    ordered_json json{{"name", s.what->name}, {"summary", s.what->summary}, {"operation", s.what->operation}};
    json["group"] = known_or_null(!s.what->group.empty(), s.what->group);
    json["phases"] = list_json(s.what->phases, [](const phase_info& p) {
        return ordered_json{{"name", p.name},
                            {"title", p.title},
                            {"bytes", known_or_null(p.bytes != 0, p.bytes)},
                            {"threads", known_or_null(p.bytes != 0, p.threads)}};
    });
    for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
        const std::string phase{s.what->phases[p].name};
        json["noise_floor"][phase] = value_or_null(s.noise[p].floor);
        json["claim_threshold"][phase] = s.noise[p].threshold;
    }
    json["baseline"] = s.what->baseline;
    json["variants"] = list_json(s.what->variants, [](const variant_info& v) {
        return ordered_json{{"name", v.name},
                            {"title", v.title},
                            {"contender", known_or_null(!v.contender.empty(), v.contender)},
                            {"note", v.note}};
    });
    json["rows"] = ordered_json::array();
    for (const tool::row& r : s.rows) {
        ordered_json entry = row_json(result, s, r);
        for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
            entry["phases"][std::string{s.what->phases[p].name}] = phase_json(r, p);
        }
        json["rows"].push_back(std::move(entry));
    }
    json["comparisons"] = comparisons_json(result, s);
    return json;
}

} // namespace

data_table bench_data(const bench_result& result) {
    ordered_json lines = ordered_json::array();
    for (const scenario_result& s : result.scenarios) {
        for (const tool::row& r : s.rows) {
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                if (r.in(p) == nullptr) {
                    continue;
                }
                ordered_json line = row_json(result, s, r);
                line.update(phase_json(r, p));
                // "receiver_idle=0.25;worker_idle=0": each scenario has its own, so they share a column.
                std::string metrics;
                for (const auto& [name, value] : r.in(p)->metrics) {
                    metrics += fmt::format("{}{}={}", metrics.empty() ? "" : ";", name, value);
                }
                line.update({{"scenario", s.what->name},
                             {"phase", s.what->phases[p].name},
                             {"operation", s.what->operation},
                             {"noise_floor", value_or_null(s.noise[p].floor)},
                             {"claim_threshold", s.noise[p].threshold},
                             {"metrics", metrics},
                             {"complete", result.complete()},
                             {"started", result.started},
                             {"version", version_text()},
                             {"cpu", result.machine.cpu_model}});
                lines.push_back(std::move(line));
            }
        }
    }
    return data_of(
        lines,
        "scenario variant contender phase operation rounds ns_median=ns/median ns_low=ns/low ns_high=ns/high "
        "ns_min=ns/minimum cycles_median=cycles/median cycles_min=cycles/minimum ratio_to_glibc noise_floor "
        "claim_threshold page_faults peak_rss_bytes repeated disturbed metrics complete started version cpu");
}

ordered_json bench_json(const bench_result& result) {
    ordered_json json{{"started", result.started},
                      {"seconds", result.seconds},
                      {"complete", result.complete()},
                      {"complete_rounds", result.complete_rounds},
                      {"budget_spent", result.budget_spent()},
                      {"options", options_json(result.options)},
                      {"machine", measured_machine_json(result.machine)}};
    json["contenders"] = list_json(result.contenders, contender_json);
    json["scenarios"] =
        list_json(result.scenarios, [&](const scenario_result& s) { return scenario_json(result, s); });
    json["left_out"] = list_json(result.missing, [](const left_out_contender& l) {
        return ordered_json{{"name", l.name},
                            {"scenario", text_or_null(l.scenario)},
                            {"variant", text_or_null(l.variant)},
                            {"reason", l.reason}};
    });
    json["headline"] = nullptr;
    json["trust"] = nullptr;
    if (const std::optional<headline_result>& first = result.said.headline) {
        json["headline"] = fmt::format("{}", fmt::join(first->verdict, " "));
        json["trust"] = {{"level", first->is_trusted ? "good" : "low"}, {"reason", first->trust}};
    }
    const std::vector<std::string> said = result.said.sentences();
    json["summary"] = fmt::format("{}", fmt::join(said, " "));
    json["findings"] = said;
    return result_json("linn.bench/2", json);
}

} // namespace linn::tool::report
