// SPDX-License-Identifier: Apache-2.0
#include "../../bench/bench.hpp"
#include "../../measure/process.hpp"
#include "../plots/plots.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using html::row_group;

emphasis style_of(outcome o) noexcept {
    return o == outcome::win ? emphasis::good : o == outcome::loss ? emphasis::bad : emphasis::none;
}

bool is_speed(const column_info& c) {
    return c.shows == figure::time || c.shows == figure::rate;
}

/// A number as exact as the column shows it.
quantity number_in(const column_info& c, double value) {
    return {.what = unit::number, .value = value, .decimals = c.decimals};
}

cell figure_cell(const bench_result& result, const tool::row& r, const column_info& c) {
    const std::optional<double> value = result.shown(r, c);
    if (!value) {
        return "-";
    }
    switch (c.shows) {
    case figure::metric:
        return figure_of(unit::share, *value);
    case figure::memory:
        return figure_of(unit::bytes, *value, {{}, 1 / c.factor, 1});
    default:
        return number_in(c, *value);
    }
}

/// The columns of the scenario between the name and what all scenarios have.
table empty_table(const bench_result& result, const scenario& s) {
    table t{capitalised(heading_of(result.options, s)),
            {{.heading = "contender", .is_text = true, .shorten = cut::end, .least = 26}}};
    for (const column_info& c : s.columns) {
        t.columns.push_back(
            {.heading = std::string{c.title}, .group = std::string{c.group}, .droppable = c.droppable});
    }
    t.columns.push_back({.heading = "x glibc", .droppable = 2});
    if (!s.shows_memory()) {
        t.columns.push_back({.heading = "MiB", .droppable = 1});
    }
    return t;
}

void add_row(table& t, const bench_result& result, const scenario_result& s, const row_group& g,
             const tool::row& r) {
    std::vector<cell> cells{html::label_of(result, s, g, r)};
    for (const column_info& c : s.what->columns) {
        cells.push_back(figure_cell(result, r, c));
    }
    cells.push_back(r.ratio > 0 ? cell{figure_of(unit::times, r.ratio)} : cell{"-"});
    if (!s.what->shows_memory()) {
        cells.push_back(figure_of(unit::bytes, r.peak_rss_bytes, mebibytes));
    }
    t.add(std::move(cells), html::style_of(result, r));
}

table figures_table(const bench_result& result, const scenario_result& s) {
    table t = empty_table(result, *s.what);
    for (const row_group& g : html::group_rows(s)) {
        t.add_heading(g.note.empty() ? g.heading : fmt::format("{}: {}", g.heading, g.note));
        for (const tool::row* r : g.rows) {
            add_row(t, result, s, g, *r);
        }
    }
    return t;
}

/// The speed of each of Linn's variants by the best rival's, column by column.
void add_speeds(table& t, const bench_result& result, const scenario_result& s) {
    std::string_view last;
    for (std::size_t i = 0; i != s.comparisons.size(); ++i) {
        const std::vector<comparison>& all = s.comparisons[i];
        const comparison_info& info = s.what->comparisons[i];
        if (all.empty()) {
            continue;
        }
        std::vector<cell> speeds{info.rivals_title};
        std::vector<cell> errors{"  +-"};
        for (const column_info& c : s.what->columns) {
            const auto found =
                std::ranges::find_if(all, [&](const comparison& one) { return one.phase == c.phase; });
            const bool is_there = is_speed(c) && found != all.end();
            speeds.push_back(is_there
                                 ? cell{figure_of(unit::times, found->speed_up)}.styled(style_of(found->says))
                                 : cell{});
            errors.push_back(is_there ? cell{figure_of(unit::share, found->uncertainty)} : cell{});
        }
        speeds.resize(t.columns.size());
        errors.resize(t.columns.size());
        if (last != info.ours) {
            t.add_heading(
                fmt::format("speed of {} by the best of", result.title_of(s, s.rows[all.front().ours])));
        }
        last = info.ours;
        t.add(std::move(speeds), emphasis::ours);
        if (std::ranges::any_of(all, [](const comparison& c) { return c.says != outcome::not_judged; })) {
            t.add(std::move(errors));
        }
    }
}

/// "0.4 to 12 %", of all phases; empty where none is known.
std::string noise_text(const scenario_result& s) {
    std::vector<double> floors;
    for (const phase_noise& n : s.noise) {
        if (n.floor) {
            floors.push_back(*n.floor);
        }
    }
    if (floors.empty()) {
        return {};
    }
    const auto [least, most] = std::ranges::minmax(floors);
    return bounds_of(unit::share, least, most).text(lettering::prose);
}

std::vector<std::string> remarks_of(const bench_result& result, const scenario_result& s) {
    std::vector<std::string> lines(s.what->remarks.begin(), s.what->remarks.end());
    if (const tool::row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline)) {
        lines.push_back(fmt::format(
            "x glibc: geometric mean over all phases of the medians by those of {}; MiB: peak resident size",
            result.title_of(s, *baseline)));
    }
    if (const std::string noise = noise_text(s); !noise.empty()) {
        lines.push_back(fmt::format("noise floor, glibc against glibc again: {}{}", noise,
                                    why_not_judged(result).empty() ? "; " + tie_rule() : std::string{}));
    }
    if (s.repeated != 0) {
        lines.push_back(
            fmt::format("repeated because the machine was disturbed: {}; kept although disturbed: {}",
                        counted(s.repeated, "sample"), s.disturbed));
    }
    return lines;
}

/// "What allocation costs: 100 000 objects of 64 bytes; ns a pair; 10 rounds."
std::string what_it_measures(const bench_result& result, const scenario_result& s) {
    const std::string heading = heading_of(result.options, *s.what);
    std::string text{s.what->summary};
    if (heading != s.what->summary) {
        text += ": " + heading;
    }
    if (result.options.work != 100) {
        text += fmt::format("; {} % of the full work", result.options.work);
    }
    const std::string rounds = counted(s.most_rounds, "round");
    return capitalised(s.least_rounds == s.most_rounds
                           ? fmt::format("{}; {}.", text, rounds)
                           : fmt::format("{}; {} to {}.", text, s.least_rounds, rounds));
}

std::string plots_caption(const bench_result& result, const scenario_result& s) {
    if (s.what->has_curves()) {
        return fmt::format("Nanoseconds by {} over the size of the block, both axes logarithmic and the same "
                           "everywhere. Solid: one thread; dashed: two.",
                           s.what->operation);
    }
    const tool::row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    return fmt::format("Time by the median of {}, on a logarithmic axis; left is faster. A dot is a process, "
                       "the upright mark the median, written at the end of the line, the bar its 95 % "
                       "interval. Shaded: the noise floor.",
                       baseline == nullptr ? std::string{baseline_name} : result.title_of(s, *baseline));
}

section scenario_section(const bench_result& result, const scenario_result& s) {
    section part{"scenario-" + std::string{s.what->name}, std::string{s.what->name}};
    // Text has the short table of the headline already.
    const forms shown_in = s.what->name == headline_name ? forms::page : forms::everywhere;
    part.add(paragraph{what_it_measures(result, s)}, shown_in);
    part.add(picture{[&] { return html::scenario_plots(result, s); }, plots_caption(result, s)});
    table figures = figures_table(result, s);
    figures.remarks = remarks_of(result, s);
    add_speeds(figures, result, s);
    part.add(std::move(figures), shown_in);
    return part;
}

std::vector<std::string> remarks_of(const headline_result& h) {
    std::vector<std::string> lines;
    if (const std::size_t judged = h.wins + h.losses + h.ties; judged != 0) {
        lines.push_back(fmt::format("ties: {} of {}; {}", h.ties, judged, tie_rule()));
    }
    if (!h.unmeasured.empty()) {
        lines.push_back(
            fmt::format("not measured: {} (linn allocators says why)", fmt::join(h.unmeasured, ", ")));
    }
    return lines;
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
    t.remarks = remarks_of(h);
    return t;
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
        d.lead = fmt::format("{}", fmt::join(first->verdict, "\n"));
        d.add(paragraph{"Trust: " + first->trust});
        d.add(headline_table(*first));
    } else {
        if (!said.reliability.empty()) {
            d.warnings.push_back(said.reliability);
        }
        d.lead = said.list.front();
    }
    d.add(list{{said.list.begin() + 1, said.list.end()}});
    if (first) {
        d.add(code{
            "linn run -- ./prog                               would another allocator help your program?\n"
            "linn record -- ./prog && linn advise prog.linn   which of its types need a pool?\n"
            "linn bench --all                                 every scenario, in the time that it needs\n"});
    }
}

/// Everything that it did may have failed.
bool was_measured(const bench_result& result, const contender& c) {
    return std::ranges::any_of(result.scenarios, [&](const scenario_result& s) {
        return std::ranges::any_of(s.rows,
                                   [&](const tool::row& r) { return &result.contenders[r.contender] == &c; });
    });
}

void add_contenders(document& d, const bench_result& result) {
    const bool is_short = is_headline_alone(result);
    section& s = d.add_section("contenders", "Contenders", forms::page);
    s.add(paragraph{"Every process reports which file serves its memory functions; one that cannot be proven "
                    "is left out."},
          forms::page);
    table t{"What was measured, and who provided memory in its processes",
            {{.heading = "contender", .is_text = true},
             {.heading = "kind", .is_text = true},
             {.heading = "library", .is_text = true},
             {.heading = "proven provider", .is_text = true},
             {.heading = "notes", .is_text = true}}};
    list notes;
    for (const contender& c : result.contenders) {
        if (!was_measured(result, c)) {
            continue;
        }
        if (c.kind != contender_kind::in_process && !c.notes.empty()) {
            notes.lines.push_back(fmt::format("{}: {}", c.title, fmt::join(c.notes, "; ")));
        }
        t.add({c.title, to_string(c.kind), c.library.empty() ? "–" : c.library.string(),
               providers_text(c.proof.files), fmt::format("{}", fmt::join(c.notes, "; "))},
              c.name == linn_name ? emphasis::ours : emphasis::none);
    }
    s.add(std::move(t), forms::page);
    if (!is_short) {
        s.add(std::move(notes), forms::text);
    }
    list missing;
    for (const left_out_contender& l : result.missing) {
        missing.lines.push_back(fmt::format("left out: {}{}{}: {}", l.name,
                                            l.scenario.empty() ? "" : " in " + l.scenario,
                                            l.variant.empty() ? "" : ", " + l.variant, l.reason));
    }
    s.add(std::move(missing), is_short ? forms::page : forms::everywhere);
}

/// "quick: 6 of 10 rounds fitted in 240 s, 25 % of the full work; took 3 min 47 s".
std::string effort_text(const bench_result& result) {
    const bench_options& o = result.options;
    return fmt::format("{}: {}{}; took {}", o.full ? "full" : "quick",
                       result.budget_spent() ? fmt::format("{} of {} fitted in {} s", result.complete_rounds,
                                                           counted(o.rounds, "round"),
                                                           figures::written(unit::count, o.budget_s))
                                             : counted(result.complete_rounds, "round"),
                       o.work == 100 ? "" : fmt::format(", {} % of the full work", o.work),
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

} // namespace

document bench_document(const bench_result& result) {
    document d{.command = "linn bench",
               .question = "What allocators and pools cost on this machine",
               .started = result.started,
               .machine = result.machine.cpu_model,
               .alert = alert_of(result),
               .provenance = provenance_of(result),
               .json = [&result] { return bench_json(result); },
               .data = [&result] { return bench_data(result); }};
    add_findings(d, result);
    for (const scenario_result& s : result.scenarios) {
        if (s.most_rounds != 0) {
            d.sections.push_back(scenario_section(result, s));
        }
    }
    add_contenders(d, result);
    d.add_section("machine", "Machine and options").add(facts_of(result), forms::page);
    return d;
}

} // namespace linn::tool::report
