// SPDX-License-Identifier: Apache-2.0
#include "bench_html.hpp"

#include "../../bench/summary.hpp"
#include "../../measure/process.hpp"
#include "../plots/bench_plots.hpp"
#include "../plots/numbers.hpp"
#include "../render/html_table.hpp"
#include "../render/page.hpp"
#include "../verbs/provenance.hpp"
#include "bench_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool {
namespace {

using namespace html;

section contenders_section(const bench_result& result) {
    html_table table{"What was measured, and who provided memory in its processes",
                     {{"contender", {}, true},
                      {"kind", {}, true},
                      {"library", {}, true},
                      {"proven provider", {}, true},
                      {"notes", {}, true}}};
    for (const contender& c : result.contenders)
        table.add_row({words_cell(c.title), words_cell(to_string(c.kind)),
                       words_cell(c.library.empty() ? std::string{"–"} : c.library.string()),
                       words_cell(providers_text(c.proof.files)),
                       words_cell(fmt::format("{}", fmt::join(c.notes, "; ")))},
                      c.name == linn_name ? emphasis::ours : emphasis::none);
    markup content =
        paragraph("Every process reports which file serves its memory functions; one that cannot be "
                  "proven is left out.");
    if (!table.empty())
        content += table.draw();
    html_table missing{"Left out, and why",
                       {{"contender", {}, true}, {"where", {}, true}, {"reason", {}, true}}};
    for (const left_out& l : result.missing) {
        std::string where = l.scenario.empty() ? "everywhere" : l.scenario;
        if (!l.variant.empty())
            where += ", " + l.variant;
        missing.add_row({words_cell(l.name), words_cell(where), words_cell(l.reason)});
    }
    if (!missing.empty())
        content += missing.draw();
    return {"contenders", "Contenders", content};
}

section machine_section(const bench_result& result) {
    const bench_options& o = result.options;
    auto entries = machine_entries(result.machine);
    entries.emplace_back("Rounds", fmt::format("{} complete of {}, after {} to warm up",
                                               result.complete_rounds, o.rounds, o.warm_up_rounds));
    entries.emplace_back("CPU", o.cpu == "none"   ? "not pinned"
                                : o.cpu == "auto" ? "each process pinned to the one it started on"
                                                  : "pinned to " + o.cpu);
    entries.emplace_back("Work", o.work == 100 ? "" : fmt::format("{} % of the usual operations", o.work));
    entries.emplace_back("Seed of the order", std::to_string(o.seed));
    entries.emplace_back("Started", date_text(result.started));
    entries.emplace_back("Took", elapsed_text(result.seconds));
    return {"machine", "Machine and options", description_list(entries)};
}

section reading_of_bench() {
    return {
        "reading", "How to read this report",
        bullet_list({
            "Each contender runs in processes of its own, once a round; every round has its own random "
            "order, so "
            "that a slow minute of the machine makes nobody slow.",
            "glibc is measured twice. What its two copies differ by is the noise floor, the shaded band of "
            "the "
            "plots: a difference that small means nothing.",
            "In a strip plot each dot is one process, moved a little up or down so that none hides another. "
            "The "
            "upright mark is their median, the bar through it the interval that holds the median at 95 % "
            "(bootstrap). Two bars that are far apart are a difference; two that overlap are none that "
            "this run can show.",
            "Axes are logarithmic: 0.5 and 2 lie equally far from 1.",
            "cycles are those of the constant time-stamp counter: time, not executed instructions.",
            "A figure holds for this machine, this compiler and this load. Ratios travel better than times; "
            "your own program decides (linn run).",
        })};
}

/// The findings, the name of a scenario before each leading to its section.
markup findings_list(const bench_result& result, const std::vector<std::string>& lines) {
    markup list;
    for (const std::string& line : lines) {
        markup item = text(line);
        for (const scenario_result& s : result.scenarios)
            if (const std::string start = std::string{s.what->name} + ':'; line.starts_with(start))
                item =
                    element("a", {{"href", "#scenario-" + std::string{s.what->name}}}, text(s.what->name)) +
                    text(line.substr(start.size() - 1));
        list += element("li", item);
    }
    return list.empty() ? list : element("ul", {{"class", "prose"}}, list);
}

std::string alert_of(const bench_result& result) {
    std::string alert;
    if (!result.complete())
        alert = fmt::format(
            "Partial: stopped by {} after {} of {} complete rounds. What is missing is not shown.",
            signal_name(result.interrupted_by), result.complete_rounds, result.options.rounds);
    if (result.machine.build == "not optimised")
        alert += fmt::format("{}The worker was built without optimisation: these figures mean nothing.",
                             alert.empty() ? "" : " ");
    if (const std::string warning = disturbance(result); !warning.empty())
        alert += (alert.empty() ? "" : " ") + warning;
    return alert;
}

} // namespace

std::string bench_html(const bench_result& result) {
    id_source ids;
    page p;
    p.title = fmt::format("linn bench, {}", date_text(result.started));
    p.heading = "What allocators and pools cost on this machine";
    p.kicker = fmt::format("linn bench · {} · {}", date_text(result.started), result.machine.cpu_model);
    p.alert = alert_of(result);
    std::vector<std::string> said = findings(result);
    if (said.size() > 1 && said.back() == disturbance(result))
        said.pop_back(); // it is in the alert
    if (!said.empty()) {
        p.lead = said.front();
        said.erase(said.begin());
    }
    p.introduction = overview_plot(ids, result);
    p.introduction += findings_list(result, said);
    for (const scenario_result& s : result.scenarios)
        if (std::any_of(s.rows.begin(), s.rows.end(), [](const row& r) { return !r.samples.empty(); }))
            p.sections.push_back(scenario_section(ids, result, s));
    p.sections.push_back(contenders_section(result));
    p.sections.push_back(machine_section(result));
    p.sections.push_back(reading_of_bench());
    p.footer = footer_text();
    return render(p);
}

} // namespace linn::tool
