// SPDX-License-Identifier: Apache-2.0
#include "run_html.hpp"

#include "../../measure/process.hpp"
#include "../shell_words.hpp"
#include "page.hpp"
#include "provenance.hpp"
#include "run_plots.hpp"
#include "run_sections.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

using namespace html;

section time_section(id_source& ids, const run_result& result) {
    const metric_info& judged = metric_named(result.judged_by);
    markup content;
    if (const markup plot = metric_plot(ids, result, judged); !plot.empty())
        content += figure_box(
            plot,
            text(
                "Each dot is a run, divided by the run on the default allocator in the same round; left is "
                "faster. The upright mark is the median of these ratios, written at the end of the line, the "
                "bar its interval. Shaded: the noise floor, what two copies of the default differ by."));
    content += run_estimates(result, judged);
    return {"time", capitalised(judged.title), content};
}

section reading_of_run() {
    return {
        "reading", "How to read this report",
        bullet_list({
            "Every allocator runs your program once a round, in random order. A run is compared with the run "
            "on "
            "the default allocator in the same round, so what slows the whole machine cancels out.",
            "A dot is one such ratio: 0.90 is 10 % less than the default. The mark is the median, the bar "
            "the "
            "interval that holds it at the stated level.",
            "\"Less\" and \"more\" are said where the paired test (Wilcoxon's), corrected for the number of "
            "allocators (Holm), finds a difference that is larger than the noise floor. Otherwise the "
            "verdict is \"no difference\": none that this run can show.",
            "Axes are logarithmic: 0.5 and 2 lie equally far from 1.",
            "A verdict holds for this program, this input and this machine.",
        })};
}

std::string alert_of(const run_result& result) {
    if (!result.problem.empty())
        return "Nothing was measured: " + result.problem;
    if (!result.complete())
        return fmt::format("Partial: stopped by {} after {} complete rounds. What is missing is not shown.",
                           signal_name(result.interrupted_by), result.complete_rounds);
    return {};
}

} // namespace

std::string run_html(const run_result& result) {
    id_source ids;
    page p;
    p.title = fmt::format("linn run {}, {}", program_name(result), date_text(result.started));
    p.heading = fmt::format("Would another allocator make {} faster or smaller?", program_name(result));
    p.kicker = fmt::format("linn run · {} · {}", date_text(result.started), result.machine.cpu_model);
    p.alert = alert_of(result);
    p.lead = result.verdict;
    if (!result.what.command.empty())
        p.introduction += element("pre", text(shell_words(result.what.command)));
    p.introduction += bullet_list(result.findings);
    if (!result.warnings.empty())
        p.introduction += element("h3", text("What weakens these figures")) + bullet_list(result.warnings);
    const bool any = std::any_of(result.rows.begin(), result.rows.end(),
                                 [](const run_row& r) { return !r.samples.empty(); });
    if (any) {
        p.sections.push_back(time_section(ids, result));
        p.sections.push_back({"everything", "Memory, the other time and all else",
                              run_everything(ids, result, metric_named(result.judged_by))});
        p.sections.push_back({"noise", "Noise floor", run_noise(result)});
    }
    p.sections.push_back({"allocators", "Allocators", run_proof(result)});
    p.sections.push_back({"machine", "Program, machine and options", description_list(run_entries(result))});
    p.sections.push_back(reading_of_run());
    p.footer = footer_text();
    return render(p);
}

} // namespace linn::tool
