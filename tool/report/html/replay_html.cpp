// SPDX-License-Identifier: Apache-2.0
#include "replay_html.hpp"

#include "../../measure/process.hpp"
#include "../plots/linear_axis.hpp"
#include "../plots/numbers.hpp"
#include "../plots/span_plot.hpp"
#include "../render/page.hpp"
#include "../shell_words.hpp"
#include "../verbs/provenance.hpp"
#include "replay_section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace linn::tool {
namespace html {
namespace {

markup ceiling_figure(id_source& ids, const replay_result& result) {
    span_plot plot{"What would have been saved", "share of the run's CPU time", unit::share, {}};
    if (!(result.program_cpu_seconds > 0))
        return {};
    for (const replay_row& r : result.rows) {
        if (!r.failure.empty() || r.seconds.empty() || !(r.change_low < 0) || r.name == replay_default_name ||
            r.name == replay_control_name)
            continue;
        const bool is_null = r.name == replay_null_name;
        plot.rows.push_back({is_null ? "an allocator that costs nothing" : r.title,
                             std::max(0.0, -r.change_high), std::max(0.0, -r.change_low),
                             is_null                      ? emphasis::muted
                             : r.name == replay_linn_name ? emphasis::ours
                                                          : emphasis::none});
    }
    const markup picture = draw(ids, plot);
    return picture.empty()
               ? picture
               : figure_box(
                     picture,
                     text("By the CPU time of the program without the recording. Solid: the low end of the "
                          "interval; faint: up to its high end. What saves nothing is left out."));
}

section options_section(const replay_result& result) {
    const replay_options& o = result.options;
    static constexpr const char* touches[] = {"nothing", "a byte", "a byte a cache line", "all of it"};
    const auto count = [](std::uint64_t n) { return count_text(static_cast<double>(n)); };
    std::vector<std::pair<std::string, std::string>> entries{
        {"Program", shell_words(result.command)},
        {"Process", result.process},
        {"Trace", o.trace.string()},
        {"Events replayed", result.recorded_events > result.events
                                ? fmt::format("{} of {}", count(result.events), count(result.recorded_events))
                                : count(result.events)},
        {"Allocations", fmt::format("{}, {} of them by operator new", count(result.allocations),
                                    count(result.by_operator_new))},
        {"Live at most", fmt::format("{} blocks, {}", count(result.peak_live_blocks),
                                     bytes_text(static_cast<double>(result.peak_live_bytes)))},
        {"Threads", count(result.threads)},
        {"Hand-overs from thread to thread", count(result.hand_overs)},
        {"CPU time of the program",
         result.program_cpu_seconds > 0 ? duration_text(result.program_cpu_seconds * 1e9) : "not known"},
        {"Written of each block", touches[static_cast<std::size_t>(o.touch)]},
        {"Rounds", std::to_string(result.complete_rounds)},
        {"Noise floor", result.noise_floor > 0 ? percent_text(result.noise_floor) : ""},
        {"Intervals", fmt::format("{:.0f} %", o.level * 100)},
        {"Seed of the order", std::to_string(o.seed)},
        {"Started", date_text(result.started)},
        {"Took", result.seconds > 0 ? elapsed_text(result.seconds) : ""}};
    for (auto& entry : machine_entries(result.machine))
        entries.push_back(std::move(entry));
    return {"options", "Trace, machine and options", description_list(entries)};
}

section reading_of_replay() {
    return {
        "reading", "How to read this report",
        bullet_list({
            "The replay makes the recorded requests again, thread by thread, in the recorded order of "
            "hand-overs, and does nothing else. Its CPU time is that of the allocator and of the replay's "
            "own "
            "loop.",
            "The null allocator costs nothing, so what it needs is the loop. The default's time less that is "
            "the "
            "ceiling: more cannot be saved by a quicker allocator.",
            "The order of allocators can be trusted more than the size of the differences: a replay touches "
            "memory otherwise than the program. Measure the program itself with linn run.",
        })};
}

} // namespace
} // namespace html

std::string replay_html(const replay_result& result) {
    using namespace html;
    id_source ids;
    page p;
    const std::string trace = result.options.trace.filename().string();
    const std::string name =
        result.command.empty() ? trace : std::filesystem::path{result.command.front()}.filename().string();
    p.title = "linn replay " + name;
    p.heading = fmt::format("What would each allocator have cost {}?", name.empty() ? "this program" : name);
    p.kicker = fmt::format("linn replay · {} · {}", date_text(result.started), result.machine.cpu_model);
    if (result.interrupted_by != 0)
        p.alert = fmt::format("Partial: stopped by {}. What is missing is not shown.",
                              signal_name(result.interrupted_by));
    p.lead = result.verdict;
    p.introduction += ceiling_figure(ids, result);
    if (!result.remarks.empty())
        p.introduction += element("h3", text("How far to trust this")) + bullet_list(result.remarks);
    if (!result.warnings.empty())
        p.introduction += element("h3", text("What weakens these figures")) + bullet_list(result.warnings);
    if (section s{"allocators", "Allocators", replay_plots(ids, result)}; !s.content.empty())
        p.sections.push_back(std::move(s));
    if (section s{"agreement", "Beside a run of the program", agreement_table(result)}; !s.content.empty())
        p.sections.push_back(std::move(s));
    p.sections.push_back(options_section(result));
    p.sections.push_back(reading_of_replay());
    p.footer = footer_text();
    return render(p);
}

} // namespace linn::tool
