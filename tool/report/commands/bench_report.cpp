// SPDX-License-Identifier: Apache-2.0
#include "../../bench/judgement.hpp"
#include "../../bench/results.hpp"
#include "../../measure/process.hpp"
#include "../document/document.hpp"
#include "../plots/bench_plots.hpp"
#include "bench_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {
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
            {"budget_s", positive_or_null(o.budget_s)},
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
    json["library"] = text_or_null(c.library.string());
    json["proof"] = {{"preload_mapped", c.proof.preload_mapped}, {"providers", c.proof.files}};
    json["notes"] = c.notes;
    json["environment"] = c.environment;
    return json;
}

/// A number, or null where there is none: of too few rounds, of a phase that was not measured.
ordered_json or_null(const std::optional<double>& value) {
    return known_or_null(value.has_value(), value.value_or(0));
}

/// What was published for this row and phase, in the scenario's published unit; null where nothing was.
ordered_json published_figure(const bench_result& result, const scenario_result& s, const tool::row& r,
                              std::size_t p) {
    const published_row* published =
        s.find_published(result.contenders[r.contender].name, s.variant_of(r).name);
    // Some were published by platform and not by phase.
    const bool by_phase = published != nullptr && published->figures.size() == s.what->phases.size();
    return by_phase && s.what->published_unit != "unstated" && published->figures[p] != 0
               ? ordered_json(published->figures[p])
               : ordered_json{};
}

ordered_json cliffs_json(const scenario& s, const tool::row& r) {
    return list_json(r.cliffs, [&](const cliff& c) {
        return ordered_json{{"threads", s.phases[c.phase].threads},
                            {"bytes", s.phases[c.phase].bytes},
                            {"phase", s.phases[c.phase].name},
                            {"factor", c.factor},
                            {"page_faults", r.in(c.phase)->faults}};
    });
}

/// Bounds that are not known are null.
ordered_json timing_json(const timing& t) {
    return {
        {"median", t.median.middle}, {"low", t.median.low}, {"high", t.median.high}, {"minimum", t.minimum}};
}

ordered_json phase_json(const bench_result& result, const scenario_result& s, const tool::row& r,
                        std::size_t p) {
    const phase_figures* const f = r.in(p);
    if (f == nullptr) {
        return {};
    }
    ordered_json json{{"cycles", timing_json(f->cycles)},
                      {"ns", timing_json(f->ns)},
                      {"page_faults", f->faults},
                      {"ratio_to_glibc", or_null(f->ratio)}};
    json["cycles"]["samples"] = r.cycles(p);
    for (const auto& [name, value] : f->metrics) {
        json["metrics"][name] = value;
    }
    json["published"] = published_figure(result, s, r, p);
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
        json["noise_floor"][phase] = or_null(s.noise[p].floor);
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
        if (s.what->has_curves()) {
            entry["cliffs"] = cliffs_json(*s.what, r);
        }
        for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
            entry["phases"][std::string{s.what->phases[p].name}] = phase_json(result, s, r, p);
        }
        json["rows"].push_back(std::move(entry));
    }
    json["comparisons"] = comparisons_json(result, s);
    json["published"] = list_json(s.published, [&](const published_row& row) {
        return ordered_json{{"contender", row.contender},
                            {"source", row.source},
                            {"variant", row.variant},
                            {"figures", row.figures},
                            {"unit", s.what->published_unit}};
    });
    return json;
}

/// A line for each phase of a row, for CSV.
data_table bench_data(const bench_result& result) {
    ordered_json lines = ordered_json::array();
    for (const scenario_result& s : result.scenarios) {
        for (const tool::row& r : s.rows) {
            for (std::size_t p = 0; p != s.what->phases.size(); ++p) {
                if (r.in(p) == nullptr) {
                    continue;
                }
                ordered_json line = row_json(result, s, r);
                line.update(phase_json(result, s, r, p));
                // "receiver_idle=0.25;worker_idle=0": each scenario has its own, so they share a column.
                std::string metrics;
                for (const auto& [name, value] : r.in(p)->metrics) {
                    metrics += fmt::format("{}{}={}", metrics.empty() ? "" : ";", name, value);
                }
                line.update({{"scenario", s.what->name},
                             {"phase", s.what->phases[p].name},
                             {"operation", s.what->operation},
                             {"noise_floor", or_null(s.noise[p].floor)},
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

} // namespace

std::string bench_json(const bench_result& result) {
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
    json["left_out"] = list_json(result.missing, [](const left_out& l) {
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
    return result_text("linn.bench/2", json);
}

namespace {

std::string ties_remark(const headline_result& h) {
    const std::size_t judged = h.wins + h.losses + h.ties;
    return judged == 0 ? std::string{} : fmt::format("ties: {} of {}; {}", h.ties, judged, tie_rule());
}

std::string ranking_remark(const headline_result& h) {
    constexpr std::size_t most = 3;
    std::vector<std::string> named;
    for (const ranked_allocator& a : h.ranking) {
        if (named.size() != most) {
            named.push_back(fmt::format("{} {}", figure_of(unit::times, a.speed).text(), a.title));
        }
    }
    if (h.ranking.size() < 2) {
        return {};
    }
    return fmt::format("x glibc (geometric mean): {}{}", fmt::join(named, ", "),
                       h.ranking.size() > most ? fmt::format("; {} more", h.ranking.size() - most)
                                               : std::string{});
}

std::string unmeasured_remark(const headline_result& h) {
    return h.unmeasured.empty()
               ? std::string{}
               : fmt::format("not measured: {} (linn allocators says why)", fmt::join(h.unmeasured, ", "));
}

} // namespace

table headline_table(const headline_result& h) {
    table t{"Linn's pools and the best other allocator in each test",
            {{.heading = "test", .is_text = true},
             {.heading = "Linn"},
             {.heading = "best other", .is_text = true, .droppable = 1, .shorten = cut::end, .least = 15},
             {.heading = "its time", .droppable = 2},
             {.heading = "result", .is_text = true}}};
    for (const headline_test& test : h.tests) {
        t.add({test.what->title, figure_of(unit::nanoseconds, test.ours_ns), test.other,
               figure_of(unit::nanoseconds, test.other_ns), cell{test.result()}.styled(style_of(test.says))});
    }
    for (std::string remark : {ties_remark(h), ranking_remark(h), unmeasured_remark(h)}) {
        if (!remark.empty()) {
            t.remarks.push_back(std::move(remark));
        }
    }
    return t;
}

namespace {

/// Makes the headline the beginning of the document: the verdict, how far to trust it, and the table.
void begin_with_headline(document& d, const headline_result& h) {
    d.lead = fmt::format("{}", fmt::join(h.verdict, "\n"));
    d.add(paragraph{"Trust: " + h.trust});
    d.add(headline_table(h));
}

std::string alert_of(const bench_result& result) {
    std::string alert;
    if (!result.complete()) {
        alert = fmt::format("partial: stopped by {} after {} of {}; what is missing is not shown. ",
                            signal_name(result.interrupted_by), result.complete_rounds,
                            counted(result.options.rounds, "complete round"));
    }
    if (result.machine.build == "not optimised") {
        alert += "The worker was built without optimisation: these figures mean nothing.";
    }
    return alert;
}

/// Only the headline was measured: a terminal shows the first screen and no more.
bool is_headline_alone(const bench_result& result) {
    return result.scenarios.size() == 1 && result.scenarios.front().what->name == headline_name;
}

/// The answer; the other findings lead to the scenario that they begin with.
void add_findings(document& d, const bench_result& result) {
    const bench_findings& said = result.said;
    const std::optional<headline_result>& first = said.headline;
    if (first) {
        begin_with_headline(d, *first);
    } else {
        if (!said.reliability.empty()) {
            d.warnings.push_back(said.reliability);
        }
        d.lead = said.list.front().sentence();
    }
    list more;
    for (const finding& f : std::span{said.list}.subspan(1)) {
        note& n = more.notes.emplace_back(note{f.text});
        if (f.about != nullptr) {
            n.subject = f.about->name;
            n.section = "scenario-" + n.subject;
        }
    }
    d.add(picture{[&](html::id_source& ids) { return html::overview_plot(ids, result); },
                  "Medians of all rounds; right of the line Linn is faster; the name is that of the best "
                  "other contender. The bar is two standard errors. Grey: a tie, or too few rounds to tell. "
                  "Where a scenario has several comparisons the first is shown; its section has all."});
    d.add(std::move(more));
    if (first) {
        d.add(code{
            "linn run -- ./prog                               would another allocator help your program?\n"
            "linn record -- ./prog && linn advise prog.linn   which of its types need a pool?\n"
            "linn bench --all                                 every scenario, in the time that it needs\n"});
    }
}

/// Without those that the budget had no room for.
std::vector<const contender*> measured_contenders(const bench_result& result) {
    std::vector<const contender*> measured;
    for (const contender& c : result.contenders) {
        const auto is_its = [&](const tool::row& r) { return &result.contenders[r.contender] == &c; };
        if (std::ranges::any_of(result.scenarios, [&](const scenario_result& s) {
                return std::ranges::any_of(s.rows, is_its);
            })) {
            measured.push_back(&c);
        }
    }
    return measured;
}

/// What was measured on what, and what was not.
void add_contenders(document& d, const bench_result& result, const std::vector<const contender*>& measured,
                    list notes) {
    const bool is_short = is_headline_alone(result);
    section& s = d.add_section("contenders", "Contenders", left_out_of_text::title);
    s.add(paragraph{"Every process reports which file serves its memory functions; one that cannot be proven "
                    "is left out."},
          forms::html);
    table t{"What was measured, and who provided memory in its processes",
            {{.heading = "contender", .is_text = true},
             {.heading = "kind", .is_text = true},
             {.heading = "library", .is_text = true},
             {.heading = "proven provider", .is_text = true},
             {.heading = "notes", .is_text = true}}};
    for (const contender* c : measured) {
        t.add({c->title, to_string(c->kind), c->library.empty() ? "–" : c->library.string(),
               providers_text(c->proof.files), fmt::format("{}", fmt::join(c->notes, "; "))},
              c->name == linn_name ? emphasis::ours : emphasis::none);
    }
    s.add(std::move(t), forms::html);
    s.add(std::move(notes), is_short ? forms::markdown : forms::text);
    list missing;
    for (const left_out& l : result.missing) {
        missing.notes.push_back(
            {fmt::format("left out: {}{}{}: {}", l.name, l.scenario.empty() ? "" : " in " + l.scenario,
                         l.variant.empty() ? "" : ", " + l.variant, l.reason)});
    }
    s.add(std::move(missing), is_short ? forms::documents : forms::everywhere);
}

/// "quick: 3 of 10 rounds fitted in 240 s, 25 % of the usual work; took 3 min 47 s".
std::string effort_text(const bench_result& result) {
    const bench_options& o = result.options;
    return fmt::format("{}: {}{}; took {}", o.full ? "full" : "quick",
                       result.budget_spent() ? fmt::format("{} of {} fitted in {} s", result.complete_rounds,
                                                           counted(o.rounds, "round"),
                                                           figures::written(unit::count, o.budget_s))
                                             : counted(result.complete_rounds, "round"),
                       o.work == 100 ? "" : fmt::format(", {} % of the usual work", o.work),
                       figures::elapsed_text(result.seconds));
}

std::string pinning_text(const bench_options& o) {
    return o.cpu == "none"   ? "not pinned"
           : o.cpu == "auto" ? "each process pinned to the CPU it started on"
                             : "pinned to CPU " + o.cpu;
}

facts facts_of(const bench_result& result) {
    const bench_options& o = result.options;
    facts f{machine_entries(result.machine)};
    f.entries.emplace_back("Rounds", effort_text(result));
    f.entries.emplace_back("Warm-up", o.warm_up_rounds == 0 ? "" : counted(o.warm_up_rounds, "round"));
    f.entries.emplace_back("CPU", pinning_text(o));
    f.entries.emplace_back("Seed of the order", std::to_string(o.seed));
    f.entries.emplace_back("Started", date_text(result.started));
    return f;
}

std::string provenance_of(const bench_result& result) {
    const machine_info& m = result.machine;
    if (is_headline_alone(result)) {
        return fmt::format("linn {}; {}, {} CPUs; {}; seed {}", version_text(), m.cpu_model, m.cpus,
                           figures::elapsed_text(result.seconds), result.options.seed);
    }
    // A run that was stopped at once has not asked the worker yet.
    const std::string worker =
        m.build.empty() ? "" : fmt::format("worker: compiler {}, {}; ", m.compiler, m.build);
    const std::string environment =
        m.environment.empty()
            ? ""
            : fmt::format("environment that steers allocators: {}; ", fmt::join(m.environment, " "));
    return provenance_text(result.started, m,
                           fmt::format("{}{}; cycles: {}; {}{}; seed {}", worker,
                                       pinning_text(result.options), clock_text(m), environment,
                                       effort_text(result), result.options.seed));
}

list reading_of_bench() {
    return sentences({
        "Each contender runs in processes of its own, once a round; every round has its own random order, so "
        "that a slow minute of the machine makes no contender slow.",
        "glibc is measured twice. What its two copies differ by is the noise floor, the shaded band of the "
        "plots: a difference that small means nothing.",
        "In a strip plot each dot is one process, moved a little up or down so that none hides another. The "
        "upright mark is their median, the bar through it the interval that holds the median at 95 %. Two "
        "bars that are far apart are a difference; two that overlap are none that this run can show.",
        "Axes are logarithmic: 0.5 and 2 lie equally far from 1.",
        "cycles are those of the constant time-stamp counter: time, not executed instructions.",
        "A figure holds for this machine, this compiler and this load. Ratios travel better than times; your "
        "own program decides (linn run).",
    });
}

} // namespace

document bench_document(const bench_result& result) {
    document d;
    const std::string date = date_text(result.started);
    d.command = "linn bench";
    d.title = "linn bench, " + date;
    d.heading = "What allocators and pools cost on this machine";
    d.kicker = fmt::format("linn bench · {} · {}", date, result.machine.cpu_model);
    d.alert = alert_of(result);
    add_findings(d, result);
    const std::vector<const contender*> measured = measured_contenders(result);
    marked_notes notes;
    for (const contender* c : measured) {
        if (c->kind != contender_kind::in_process) {
            notes.add(c->name, c->title, c->notes);
        }
    }
    for (const scenario_result& s : result.scenarios) {
        if (s.most_rounds != 0) {
            d.sections.push_back(scenario_section(result, s, notes));
        }
    }
    add_contenders(d, result, measured, std::move(notes.notes));
    d.add_section("machine", "Machine and options")
        .add(facts_of(result), is_headline_alone(result) ? forms::documents : forms::html);
    d.add_section("reading", "How to read this report", left_out_of_text::all).add(reading_of_bench());
    d.provenance = provenance_of(result);
    d.data = [&result] { return bench_data(result); };
    return d;
}

} // namespace linn::tool::report
