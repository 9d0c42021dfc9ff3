// SPDX-License-Identifier: Apache-2.0
#include "advise_html.hpp"

#include "../../advise/one_change.hpp"
#include "../../measure/process.hpp"
#include "../advise_cells.hpp"
#include "../plots/flame_plot.hpp"
#include "../plots/histogram_plot.hpp"
#include "../plots/numbers.hpp"
#include "../plots/span_plot.hpp"
#include "../plots/timeline_plot.hpp"
#include "../render/html_table.hpp"
#include "../render/page.hpp"
#include "../shell_words.hpp"
#include "../verbs/provenance.hpp"
#include "advise_types.hpp"
#include "replay_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

namespace linn::tool {
namespace html {
namespace {

constexpr std::size_t most_bars = 10;
constexpr std::size_t most_boxes = 1200;
constexpr std::size_t most_findings = 100;
constexpr std::size_t bar_letters = 60;

/// The run's CPU time as one bar, and how much of it is allocation.
markup whole_run(id_source& ids, const advice& a) {
    constexpr double height = 22;
    const auto block = [&](const char* style, double from, double to) {
        return empty_element("rect", {{"class", style},
                                      {"x", across(from)},
                                      {"y", "0"},
                                      {"width", across(to - from)},
                                      {"height", coordinate(height)}});
    };
    const double low = std::clamp(a.ceiling.low, 0.0, 1.0);
    const double high = std::clamp(a.ceiling.high, low, 1.0);
    const std::string words =
        fmt::format("Of the run's CPU time, an allocator that costs nothing would save {}",
                    a.ceiling.high > 0 ? gain_text(a.ceiling) : "nothing");
    return element("p", {{"class", "plot-title"}}, text(words)) +
           stretching_svg(ids, "The ceiling", words + ".", height,
                          block("rest", 0, 1) + block("fill", 0, low) + block("possible", low, high), {});
}

markup ceiling_figure(id_source& ids, const advice& a) {
    span_plot plot{"Predicted gain", "share of the run's CPU time", unit::share, {}};
    plot.rows.push_back({"an allocator that costs nothing", std::max(0.0, a.ceiling.low),
                         std::max({0.0, a.ceiling.low, a.ceiling.high}), emphasis::muted});
    if (a.pools.high > 0)
        plot.rows.push_back({"all pools together", a.pools.low, a.pools.high, emphasis::ours});
    for (const advised_type& t : a.types)
        if (t.gain.high > 0 && plot.rows.size() <= most_bars)
            plot.rows.push_back({shortened(change_label(t), bar_letters), t.gain.low,
                                 std::max(t.gain.low, t.gain.high),
                                 is_pool(t.what) ? emphasis::ours : emphasis::none});
    const std::string source =
        a.is_ceiling_measured
            ? "Measured by replaying the recorded requests."
            : "Estimated from the number of events, not measured: the requests were not replayed.";
    const std::string estimates = estimates_line(a);
    return figure_box(whole_run(ids, a) + (plot.rows.size() > 1 ? draw(ids, plot) : markup{}),
                      text("Solid: what is predicted at least; faint: what is possible. " + source +
                           (estimates.empty() ? "" : " " + estimates + ".")));
}

std::vector<double> as_doubles(const std::vector<std::uint64_t>& values) {
    return {values.begin(), values.end()};
}

section time_section(id_source& ids, const trace_analysis& t) {
    std::size_t width = 1;
    timeline_plot plot{"Over the run", 0, {}};
    const auto add = [&](const char* title, unit what, std::vector<double> values) {
        if (!values.empty())
            plot.series.push_back({title, what, std::move(values)});
    };
    add("Live bytes", unit::bytes,
        fewer_steps(as_doubles(t.over_time.live_bytes), most_timeline_steps, false, width));
    add("Live blocks", unit::count,
        fewer_steps(as_doubles(t.over_time.live_blocks), most_timeline_steps, false, width));
    std::vector<double> rate = as_doubles(t.over_time.events);
    const double step_s = static_cast<double>(t.over_time.step_ns) / 1e9;
    for (double& v : rate)
        v = step_s > 0 ? v / step_s : 0;
    add("Events a second", unit::count, fewer_steps(rate, most_timeline_steps, true, width));
    plot.step_ns = static_cast<double>(t.over_time.step_ns) * static_cast<double>(width);
    markup content;
    if (const markup picture = draw(ids, plot); !picture.empty())
        content += figure_box(
            picture, text("Live: the most within a step. Events are allocations, releases and "
                          "reallocations of all threads. Time passes as it did under the recorder."));
    const markup pair = draw(ids, histogram_plot{"Lifetime of a block", unit::nanoseconds, t.all.lifetimes}) +
                        draw(ids, histogram_plot{"Size of a block", unit::bytes, t.all.size_histogram});
    if (!pair.empty())
        content +=
            figure_box(element("div", {{"class", "histograms"}}, pair),
                       text("How many blocks lived how long, of those that were released, and how large "
                            "they were; a bar is a power of two."));
    return {"time", "Over time", content};
}

section flame_section(const advice& a, const frames_of_stack& frames) {
    flame_node root = grow_flame(a, frames);
    fold_flame(root, most_boxes);
    const markup picture = draw(root);
    if (picture.empty())
        return {"flame", "From types to places", {}};
    return {"flame", "From types to places",
            figure_box(picture,
                       text("Below the whole stand the types, below each the places that allocate it, below "
                            "those their callers. A box is as wide as its share. Blue: a part of Linn "
                            "fits."))};
}

section finding_section(const advice& a) {
    html_table table{"Findings",
                     {{"kind", {}, true},
                      {"what", {}, true},
                      {"place", {}, true},
                      {"count", {}, false},
                      {"bytes", {}, false}}};
    for (std::size_t i = 0; i != std::min(a.findings.size(), most_findings); ++i) {
        const advice_finding& f = a.findings[i];
        table.add_row({words_cell(f.kind), words_cell(f.text), words_cell(short_place(f.place)),
                       number_cell(static_cast<double>(f.count),
                                   f.count == 0 ? "–" : count_text(static_cast<double>(f.count))),
                       number_cell(static_cast<double>(f.bytes),
                                   f.bytes == 0 ? "–" : bytes_text(static_cast<double>(f.bytes)))});
    }
    return {"findings", "Also seen", table.empty() ? markup{} : table.draw()};
}

std::string processes_text(const trace_info& t) {
    if (t.processes.size() < 2)
        return {};
    std::vector<std::string> names;
    for (const trace_process& p : t.processes)
        if (names.size() < 8)
            names.push_back(fmt::format("{} ({} events)",
                                        std::filesystem::path{p.executable}.filename().string(),
                                        count_text(static_cast<double>(p.events))));
    return fmt::format("{}: {}{}", t.processes.size(), fmt::join(names, ", "),
                       t.processes.size() > names.size() ? " …" : "");
}

std::string events_text(const trace_analysis& a) {
    std::string words = fmt::format(
        "{}: {} allocations, {} releases", count_text(static_cast<double>(a.info.events)),
        count_text(static_cast<double>(a.all.allocations)), count_text(static_cast<double>(a.all.releases)));
    if (a.unknown_releases != 0)
        words += fmt::format(", {} releases of blocks from before the recording",
                             count_text(static_cast<double>(a.unknown_releases)));
    if (a.failures != 0)
        words += fmt::format(", {} failures", count_text(static_cast<double>(a.failures)));
    if (a.info.dropped != 0)
        words += fmt::format("; {} lost", count_text(static_cast<double>(a.info.dropped)));
    return words;
}

section trace_section(const advice& a) {
    const trace_info& t = a.analysis.info;
    return {
        "trace", "Program, trace and machine",
        description_list(
            {{"Command", shell_words(t.command)},
             {"In", t.directory},
             {"Recorded", date_text(t.started)},
             {"Took", t.duration_ns == 0 ? "" : duration_text(static_cast<double>(t.duration_ns))},
             {"CPU time, recording included",
              t.user_ns + t.system_ns > 0 ? duration_text(t.user_ns + t.system_ns) : ""},
             {"CPU time without",
              t.baseline_cpu_ns > 0 ? duration_text(t.baseline_cpu_ns) + ", measured" : ""},
             {"Recording an event cost", t.event_cost_ns > 0 ? duration_text(t.event_cost_ns) : ""},
             {"Ended", t.ending.empty() ? "not known: the recording was cut off" : t.ending},
             {"Events", events_text(a.analysis)},
             {"Stacks", fmt::format("{}, at most {} frames deep, by the {} unwinder",
                                    count_text(static_cast<double>(t.stacks.size())), t.depth, t.unwinder)},
             {"Threads", t.threads.empty() ? "" : count_text(static_cast<double>(t.threads.size()))},
             {"Processes", processes_text(t)},
             {"Clock", t.clock},
             {"Trace", t.file_bytes == 0 ? "" : bytes_text(static_cast<double>(t.file_bytes))},
             {"Machine", t.machine}})};
}

section reading_of_advise() {
    return {
        "reading", "How to read this report",
        bullet_list({
            "The ceiling is what an allocator that costs nothing would save. No pool and no other allocator "
            "gains more by being quick; one that lays objects out better can.",
            "A gain is a share of the run's CPU time: a range, since a replay touches memory otherwise than "
            "the "
            "program does. Gains do not add up: each type is replayed alone.",
            "A type is what a block holds, out of the debug information; where there is none, out of the "
            "block "
            "itself or the symbols. \"Named by\" says which.",
            "A place is the innermost frame in code of the program's own: where to change something.",
            "Remote: released by another thread than the one that allocated it.",
            "Lifetimes are measured on the clock of the recorded run, which is slower than the program "
            "alone.",
        })};
}

std::string alert_of(const advice& a) {
    if (a.interrupted_by != 0)
        return fmt::format("Partial: stopped by {}. What is missing is not shown.",
                           signal_name(a.interrupted_by));
    if (!a.analysis.info.damage.empty())
        return "The trace is not whole: " + a.analysis.info.damage.front();
    return {};
}

std::string program_name(const trace_info& t) {
    return t.command.empty() ? "this program" : std::filesystem::path{t.command.front()}.filename().string();
}

void add_section(page& p, section s) {
    if (!s.content.empty())
        p.sections.push_back(std::move(s));
}

} // namespace
} // namespace html

std::string advise_html(const advice& a, const html::frames_of_stack& frames) {
    using namespace html;
    id_source ids;
    const trace_info& t = a.analysis.info;
    page p;
    p.title = fmt::format("linn advise {}, {}", program_name(t), date_text(t.started));
    p.heading = fmt::format("Does {} need a pool?", program_name(t));
    p.kicker = fmt::format("linn advise · recorded {} · {}", date_text(t.started), t.machine);
    p.alert = alert_of(a);
    p.lead = a.verdict;
    if (!t.command.empty())
        p.introduction += element("pre", text(shell_words(t.command)));
    p.introduction += ceiling_figure(ids, a);
    if (a.tried)
        p.introduction += element("h3", text("What linn try measured")) + bullet_list(trial_sentences(a));
    std::vector<std::string> warnings = a.warnings;
    if (a.tried)
        warnings.insert(warnings.end(), a.tried->warnings.begin(), a.tried->warnings.end());
    if (!warnings.empty())
        p.introduction += element("h3", text("What weakens this advice")) + bullet_list(warnings);
    add_section(p, {"types", "Types", type_table(ids, a)});
    add_section(p, time_section(ids, a.analysis));
    add_section(p, flame_section(a, frames));
    add_section(p, finding_section(a));
    if (!a.replay.rows.empty())
        add_section(p, {"replay", "What each allocator would have cost", replay_plots(ids, a.replay)});
    add_section(p, trace_section(a));
    add_section(p, reading_of_advise());
    p.footer = footer_text();
    return render(p);
}

} // namespace linn::tool
