// SPDX-License-Identifier: Apache-2.0
#include "bench_report.hpp"

#include "../../bench/judgement.hpp"
#include "../../measure/process.hpp"
#include "../plots/bench_plots.hpp"
#include "../version.hpp"
#include "report_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::report {
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

void begin_with_headline(document& d, const headline_result& h) {
    d.lead = fmt::format("{}", fmt::join(h.verdict, "\n"));
    d.add(paragraph{"Trust: " + h.trust});
    d.add(headline_table(h));
}

code next_commands() {
    return {"linn run -- ./prog                               would another allocator help your program?\n"
            "linn record -- ./prog && linn advise prog.linn   which of its types need a pool?\n"
            "linn bench --all                                 every scenario, in the time that it needs\n"};
}

namespace {

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
    d.add(
        picture{[&](html::id_source& ids) { return html::overview_plot(ids, result); },
                "Medians of all rounds; right of the line Linn is faster; the name is that of the best other "
                "contender. The bar is two standard errors. Grey: a tie, or too few rounds to tell. Where a "
                "scenario has several comparisons the first is shown; its section has all."});
    d.add(std::move(more));
    if (first) {
        d.add(next_commands());
    }
}

/// What was measured on what, and what was not.
void add_contenders(document& d, const bench_result& result, list notes) {
    const bool is_short = is_headline_alone(result);
    section& s = d.add_section("contenders", "Contenders", forms::html);
    s.add(paragraph{"Every process reports which file serves its memory functions; one that cannot be "
                    "proven is left out."},
          forms::html);
    table t{"What was measured, and who provided memory in its processes",
            {{.heading = "contender", .is_text = true},
             {.heading = "kind", .is_text = true},
             {.heading = "library", .is_text = true},
             {.heading = "proven provider", .is_text = true},
             {.heading = "notes", .is_text = true}}};
    for (const contender& c : result.contenders) {
        t.add({c.title, to_string(c.kind), c.library.empty() ? "–" : c.library.string(),
               providers_text(c.proof.files), fmt::format("{}", fmt::join(c.notes, "; "))},
              c.name == linn_name ? emphasis::ours : emphasis::none);
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
    note_marks marks;
    list notes;
    for (const contender& c : result.contenders) {
        if (c.kind != contender_kind::in_process && !c.notes.empty()) {
            const auto mark = static_cast<unsigned>(notes.notes.size() + 1);
            notes.notes.push_back({fmt::format("{}: {}", c.title, fmt::join(c.notes, "; ")), mark});
            marks[c.name] = mark;
        }
    }
    for (const scenario_result& s : result.scenarios) {
        if (s.most_rounds != 0) {
            d.sections.push_back(scenario_section(result, s, marks));
        }
    }
    add_contenders(d, result, std::move(notes));
    d.add_section("machine", "Machine and options")
        .add(facts_of(result), is_headline_alone(result) ? forms::documents : forms::html);
    d.add_section("reading", "How to read this report").add(reading_of_bench(), forms::html);
    d.provenance = provenance_of(result);
    d.data = [&result] { return bench_data(result); };
    return d;
}

} // namespace linn::tool::report
