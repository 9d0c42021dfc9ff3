// SPDX-License-Identifier: Apache-2.0
#include "try_html.hpp"

#include "../shell_words.hpp"
#include "../try_cells.hpp"
#include "html_table.hpp"
#include "numbers.hpp"
#include "page.hpp"
#include "provenance.hpp"
#include "run_plots.hpp"
#include "run_sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace linn::tool {
namespace {

using namespace html;

const metric_info& cpu_time() {
    return metric_named(cpu_metric);
}

/// Every run's change of CPU time; nothing where there are no figures.
markup picture_of(id_source& ids, const run_result& run) {
    const markup plot = change_plot(ids, run, cpu_time());
    return plot.empty()
               ? plot
               : figure_box(plot,
                            text("CPU time against the plain program. Each dot is a run by the plain run "
                                 "of the same round; left is less. The upright mark is the median, "
                                 "written at the end of the line, the bar its interval. Shaded: the "
                                 "noise floor, what two copies of the plain program differ by."));
}

html_cell verdict_cell(const try_cells& c) {
    switch (c.cpu->call) {
    case verdict::better:
        return {element("span", {{"class", "better"}}, text("▼ " + c.verdict)), {}};
    case verdict::worse:
        return {element("span", {{"class", "worse"}}, text("▲ " + c.verdict)), {}};
    case verdict::no_difference:
        break;
    }
    return words_cell(c.verdict);
}

markup table_of(const std::vector<try_part>& parts) {
    html_table table{"CPU time, peak memory, and what the pools served",
                     {{"pools for", {}, true},
                      {"ms", "CPU time", false},
                      {"change", "CPU time", false},
                      {"95 %", "CPU time", false},
                      {"verdict", {}, true},
                      {"MiB", "peak memory", false},
                      {"served", {}, false}}};
    for (const try_part& part : parts) {
        if (!part.rows.empty())
            table.add_group(text(part.heading));
        for (const try_cells& c : part.rows)
            table.add_row({words_cell(c.row->contender.title), number_cell(c.cpu->median, c.milliseconds),
                           number_cell(c.cpu->ratio, c.change), number_cell(c.cpu->ratio_low, c.bounds),
                           verdict_cell(c), words_cell(c.memory), words_cell(c.served)},
                          c.row->contender.is_control() ? emphasis::muted : emphasis::none);
    }
    return table.empty() ? markup{} : table.draw();
}

/// The parts below each other, each under its heading.
template <class Draw>
markup for_each_part(const std::vector<try_part>& parts, const Draw& draw_part) {
    markup content;
    for (const try_part& part : parts) {
        const markup drawn = draw_part(*part.run);
        if (!part.heading.empty() && !drawn.empty())
            content += element("h3", text(capitalised(part.heading)));
        content += drawn;
    }
    return content;
}

section left_out_section(const try_result& result) {
    html_table table{"Types that were not tried, and why",
                     {{"type", {}, true}, {"of all allocations", {}, false}, {"reason", {}, true}}};
    for (const try_left_out& l : result.candidates.left_out)
        table.add_row({words_cell(l.type), number_cell(l.share, fmt::format("{:.1f} %", l.share * 100)),
                       words_cell(l.reason)});
    return {"left-out", "Left out, and why",
            table.empty() ? paragraph("Every type with a share of the allocations was tried.")
                          : table.draw()};
}

section plan_section(const try_result& result, const std::vector<std::string>& command) {
    return {
        "plan", "The plan",
        paragraph(fmt::format("To have these pools without a change of the source, save this as {0}.toml, "
                              "then: linn pools --plan {0}.toml -- {1}",
                              shell_words({result.plan.program}), shell_words(command))) +
            folded("Modules, pools and sites", element("pre", text(plan_text(result.plan))))};
}

section reading_of_try() {
    return {
        "reading", "How to read this report",
        bullet_list({
            "The program runs plain, and with pools that are preloaded into it, once a round, in random "
            "order. A run is compared with the plain run of the same round, so that what slows the whole "
            "machine cancels out.",
            "\"Less\" and \"more\" are said where the paired test (Wilcoxon's), corrected for the number of "
            "ways to run the program (Holm), finds a difference that is larger than the noise floor.",
            "\"A pool for each size\" serves all calls of the pools' sizes: where it gains as much, the "
            "program needs a faster allocator, not pools of types.",
            "\"Look-up without pools\" and \"empty plan\" are what the preload itself costs. Pools in the "
            "source do not pay that, so the gain here is a lower bound.",
            "The parts were measured one after the other; each has a plain program of its own, to which "
            "its changes refer.",
            "A verdict holds for this program, this input and this machine.",
        })};
}

} // namespace

std::string try_html(const try_result& result, const std::vector<std::string>& command) {
    id_source ids;
    const std::vector<try_part> parts = parts_of(result);
    const run_result& judged = result.judged();
    const std::string program =
        command.empty() ? std::string{} : std::filesystem::path{command.front()}.filename().string();
    page p;
    p.title = fmt::format("linn try {}, {}", program, date_text(judged.started));
    p.heading = fmt::format("What would pools save in {}?", program);
    p.kicker = fmt::format("linn try · {} · {}", date_text(judged.started), judged.machine.cpu_model);
    p.alert = capitalised(fmt::format("{}", fmt::join(partial_lines(result), ". ")));
    p.lead = result.verdict;
    p.introduction = picture_of(ids, judged) + bullet_list(result.findings);
    if (!result.warnings.empty())
        p.introduction += element("h3", text("What weakens these figures")) + bullet_list(result.warnings);
    p.introduction += element("pre", text(shell_words(command)));
    if (const markup table = table_of(parts); !table.empty())
        p.sections.push_back({"figures", "Every way of running the program", table});
    p.sections.push_back(left_out_section(result));
    if (!parts.empty()) {
        if (parts.size() > 1)
            p.sections.push_back(
                {"pictures", "The other parts", for_each_part(parts, [&](const run_result& r) {
                     return &r == &judged ? markup{} : picture_of(ids, r);
                 })});
        p.sections.push_back({"measured", "How it was measured",
                              bullet_list(how_it_was_measured(result, command)) +
                                  for_each_part(parts, [](const run_result& r) {
                                      return run_estimates(r, cpu_time()) + run_noise(r);
                                  })});
        p.sections.push_back(
            {"everything", "Memory, wall time and all else",
             for_each_part(parts, [&](const run_result& r) { return run_everything(ids, r, cpu_time()); })});
        p.sections.push_back({"allocators", "What was preloaded", for_each_part(parts, run_proof)});
    }
    if (!result.plan.sites.empty())
        p.sections.push_back(plan_section(result, command));
    if (!parts.empty())
        p.sections.push_back(
            {"machine", "Program, machine and options", description_list(run_entries(judged))});
    p.sections.push_back(reading_of_try());
    p.footer = footer_text();
    return render(p);
}

} // namespace linn::tool
