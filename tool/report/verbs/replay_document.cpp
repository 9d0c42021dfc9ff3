// SPDX-License-Identifier: Apache-2.0
#include "replay_document.hpp"

#include "../../measure/process.hpp"
#include "../../measure/shell_words.hpp"
#include "../../measure/sort_stably.hpp"
#include "../../replay/replay_client.hpp"
#include "../plots/replay_plots.hpp"
#include "../replay_figures.hpp"
#include "../version.hpp"
#include "provenance.hpp"
#include "run_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace linn::tool::report {
namespace {

constexpr std::size_t most_groups = 40;

/// By ratio; the null allocator is the last.
std::vector<const replay_row*> sorted(const std::vector<replay_row>& rows) {
    std::vector<const replay_row*> measured;
    for (const replay_row& r : rows) {
        if (is_measured(r)) {
            measured.push_back(&r);
        }
    }
    sort_stably(measured, [](const replay_row* a, const replay_row* b) {
        const bool a_is_null = a->name == null_name;
        const bool b_is_null = b->name == null_name;
        return a_is_null != b_is_null ? b_is_null : a->ratio < b->ratio;
    });
    return measured;
}

/// Milliseconds with a digit after the point, mebibytes likewise: what the columns are written in.
quantity milliseconds(const replay_row& r) {
    return figure_of(unit::nanoseconds, r.median * 1e9, {"ms", 1e6, 1});
}

quantity peak_memory(const replay_row& r) {
    return figure_of(unit::bytes, r.peak_rss_bytes, mebibytes);
}

cell change_cell(const replay_result& result, const replay_row& r) {
    if (r.name == default_name || result.program_cpu_seconds <= 0) {
        return {};
    }
    return cell{figure_of(unit::change, r.change)}.styled(r.call == replay_call::faster   ? emphasis::good
                                                          : r.call == replay_call::slower ? emphasis::bad
                                                                                          : emphasis::none);
}

cell change_bounds(const replay_result& result, const replay_row& r) {
    if (r.name == default_name || result.program_cpu_seconds <= 0) {
        return {};
    }
    return bounds_of(unit::change, r.change_low, r.change_high);
}

cell cost_cell(const replay_result& result, const replay_row& r) {
    const std::optional<double> cost = cost_of_request(result, r);
    return cost ? cell{figure_of(unit::nanoseconds, *cost, {"ns", 1, 1})} : cell{};
}

emphasis row_style(const replay_row& r) {
    return r.call == replay_call::faster ? emphasis::good : emphasis::none;
}

table allocators_table(const replay_result& result) {
    const std::string level = level_text(result.options.level);
    table t{"CPU time of the replay under every allocator",
            {{.heading = "allocator", .is_text = true},
             {.heading = "CPU ms", .group = "replay"},
             {.heading = "ratio", .group = "replay"},
             {.heading = level, .group = "replay", .droppable = 2},
             {.heading = "ns a request", .droppable = 3},
             {.heading = "program"},
             {.heading = "from, to", .group = level, .droppable = 4},
             {.heading = "peak MiB", .droppable = 1}}};
    for (const replay_row* r : sorted(result.rows)) {
        const bool is_default = r->name == default_name;
        t.add({r->title, milliseconds(*r), is_default ? cell{"1"} : cell{figure_of(unit::ratio, r->ratio)},
               is_default ? cell{} : cell{bounds_of(unit::ratio, r->ratio_low, r->ratio_high)},
               cost_cell(result, *r), change_cell(result, *r), change_bounds(result, *r), peak_memory(*r)},
              row_style(*r));
    }
    t.remarks.push_back(fmt::format(
        "medians over the rounds; ratios to the default in the same round, with the {} interval of their "
        "median; 'ns a request' is beyond the null allocator; 'program' is what the program's CPU time would "
        "change by",
        level));
    return t;
}

table groups_table(const replay_result& result) {
    table t{"One type from a pool, the rest from the default",
            {{.heading = "only this from a pool of Linn's", .is_text = true},
             {.heading = "ratio", .group = "replay"},
             {.heading = level_text(result.options.level), .group = "replay", .droppable = 2},
             {.heading = "program"},
             {.heading = "peak MiB", .droppable = 1}}};
    for (const replay_row* r : sorted(result.groups)) {
        t.add({r->title, figure_of(unit::ratio, r->ratio),
               bounds_of(unit::ratio, r->ratio_low, r->ratio_high), change_cell(result, *r), peak_memory(*r)},
              row_style(*r));
    }
    return t;
}

/// Every row of a page with what it was measured with; those that failed say why.
table page_table(const replay_result& result, const std::vector<replay_row>& rows, const char* caption,
                 const char* first) {
    const std::string level = level_text(result.options.level);
    table t{caption,
            {{.heading = first, .is_text = true, .shorten = cut::end},
             {.heading = "CPU time", .group = "replay"},
             {.heading = level, .group = "replay"},
             {.heading = "ratio", .group = "by the default"},
             {.heading = level, .group = "by the default"},
             {.heading = "change", .group = "of the run"},
             {.heading = "peak memory"},
             {.heading = "remark", .is_text = true}}};
    for (std::size_t i = 0; i != std::min(rows.size(), most_groups); ++i) {
        const replay_row& r = rows[i];
        if (!r.failure.empty()) {
            t.add({html::name_of(r), "–", "–", "–", "–", "–", "–", r.failure});
            continue;
        }
        t.add({html::name_of(r), figure_of(unit::nanoseconds, r.median * 1e9),
               bounds_of(unit::nanoseconds, r.low * 1e9, r.high * 1e9), figure_of(unit::ratio, r.ratio),
               bounds_of(unit::ratio, r.ratio_low, r.ratio_high), change_cell(result, r),
               figure_of(unit::bytes, r.peak_rss_bytes > 0 ? r.peak_rss_bytes : unknown_bound), ""},
              &rows == &result.groups ? emphasis::none : html::style_of(r));
    }
    return t;
}

void add_agreement(document& d, const replay_result& result) {
    const replay_agreement& a = result.agreement;
    if (!a.is_made()) {
        return;
    }
    section& s = d.add_section("agreement", "Against a run of the program");
    s.add(paragraph{a.problem.empty() ? a.verdict : a.problem + '.', true});
    if (!a.problem.empty()) {
        return;
    }
    table t{"Change of the program's CPU time, by the run's order",
            {{.heading = "allocator", .is_text = true},
             {.heading = "predicted", .group = "change of CPU time"},
             {.heading = "measured", .group = "change of CPU time"}}};
    for (const replay_agreement_row& r : a.rows) {
        t.add({r.name, figure_of(unit::change, r.predicted), figure_of(unit::change, r.measured)});
    }
    t.remarks = {fmt::format("predicted by the replay, measured in {}", a.file),
                 fmt::format("rank correlation (Kendall's tau-b): {}", figures::fixed_text(a.tau, 2))};
    for (const replay_disagreement& c : a.contradictions) {
        t.remarks.push_back(fmt::format("{} before {} by {} in the run, {} by the replay", c.first, c.second,
                                        figure_of(unit::share, c.measured_gap).text(),
                                        figure_of(unit::change, c.predicted_gap).text()));
    }
    s.add(std::move(t));
}

facts facts_of(const replay_result& result) {
    const replay_options& o = result.options;
    static constexpr const char* touches[] = {"nothing", "a byte", "a byte a cache line", "all of it"};
    const auto count = [](std::uint64_t n) {
        return figure_of(unit::count, static_cast<double>(n)).text(lettering::typeset);
    };
    facts f{{{"Program", shell_words(result.command)},
             {"Process", result.process},
             {"Trace", o.trace.string()},
             {"Events replayed",
              result.recorded_events > result.events
                  ? fmt::format("{} of {}", count(result.events), count(result.recorded_events))
                  : count(result.events)},
             {"Allocations", fmt::format("{}, {} of them by operator new", count(result.allocations),
                                         count(result.by_operator_new))},
             {"Live at most",
              fmt::format("{} blocks, {}", count(result.peak_live_blocks),
                          figure_of(unit::bytes, static_cast<double>(result.peak_live_bytes)).text())},
             {"Threads", count(result.threads)},
             {"Hand-overs from thread to thread", count(result.hand_overs)},
             {"CPU time of the program",
              result.program_cpu_seconds > 0
                  ? figure_of(unit::nanoseconds, result.program_cpu_seconds * 1e9).text(lettering::typeset)
                  : "not known"},
             {"Written of each block", touches[static_cast<std::size_t>(o.touch)]},
             {"Rounds", std::to_string(result.complete_rounds)},
             {"Noise floor",
              result.noise_floor > 0 ? figure_of(unit::share, result.noise_floor).text() : std::string{}},
             {"Intervals", level_text(o.level)},
             {"Seed of the order", std::to_string(o.seed)},
             {"Started", html::date_text(result.started)},
             {"Took", result.seconds > 0 ? figures::elapsed_text(result.seconds) : std::string{}}}};
    for (auto& entry : html::machine_entries(result.machine)) {
        f.entries.push_back(std::move(entry));
    }
    return f;
}

list reading_of_replay() {
    return sentences({
        "The replay makes the recorded requests again, thread by thread, in the recorded order of "
        "hand-overs, "
        "and does nothing else. Its CPU time is that of the allocator and of the replay's own loop.",
        "The null allocator costs nothing: its time is that of the loop. The ceiling is the default's time "
        "less that; a faster allocator cannot save more.",
        "The order of allocators can be trusted more than the size of the differences: a replay touches "
        "memory differently from the program. Measure the program itself with linn run.",
    });
}

/// Everything on what was not measured.
list losses_of(const replay_result& result) {
    list lines;
    for (const auto* rows : {&result.rows, &result.groups}) {
        for (const replay_row& r : *rows) {
            if (!r.failure.empty()) {
                lines.notes.push_back({fmt::format("failed: {}: {}", r.title, r.failure)});
            }
        }
    }
    for (const std::string& reason : result.left_out) {
        if (reason.find(": missing") == std::string::npos) {
            lines.notes.push_back({"left out: " + reason});
        }
    }
    return lines;
}

std::vector<datum> data_of(const replay_result& result, const replay_row& r, const char* kind) {
    const bool has_figures = is_measured(r);
    const auto number = [&](double value) { return has_figures ? datum{value} : datum{}; };
    const auto share = [&](double value) {
        return has_figures && result.program_cpu_seconds > 0 ? datum{value} : datum{};
    };
    return {kind,
            r.name,
            r.title,
            r.version,
            std::uint64_t{r.seconds.size()},
            number(r.median),
            number(r.low),
            number(r.high),
            number(r.ratio),
            number(r.ratio_low),
            number(r.ratio_high),
            cost_of_request(result, r),
            share(r.change),
            share(r.change_low),
            share(r.change_high),
            number(r.peak_rss_bytes),
            r.failure,
            result.noise_floor,
            result.events,
            to_string(result.options.touch),
            shell_words(result.command),
            result.interrupted_by == 0,
            result.started,
            version_text(),
            result.machine.cpu_model};
}

} // namespace

std::vector<block> replayed_allocators(const replay_result& result) {
    std::vector<block> blocks{{picture{[&result](html::id_source& ids) {
                                           return html::rounds_plot(ids, result, result.rows,
                                                                    "The whole trace", 100);
                                       },
                                       "Each dot is a replay, by that under the default allocator in the "
                                       "same round; left is faster. The "
                                       "upright mark is the median, the bar its interval. The null allocator "
                                       "returns prepared blocks, so its time is that of the replay itself."}},
                              {page_table(result, result.rows, "Every allocator", "allocator")}};
    if (!result.left_out.empty()) {
        blocks.push_back({fold{"Left out, and why", std::vector<block>{block{sentences(result.left_out)}}}});
    }
    if (!result.groups.empty()) {
        blocks.push_back({subheading{"One type at a time"}});
        blocks.push_back({picture{[&result](html::id_source& ids) {
                                      return html::rounds_plot(ids, result, result.groups,
                                                               "Only this type from a pool", most_groups);
                                  },
                                  "One type from a pool of Linn's, everything else from the default."}});
        blocks.push_back(
            {page_table(result, result.groups, "One type from a pool, the rest from the default", "type")});
    }
    for (block& b : blocks) {
        b.shown_in = forms::html;
    }
    return blocks;
}

document replay_document(const replay_result& result) {
    document d;
    d.verb = "linn replay";
    const std::string name =
        result.command.empty() ? result.options.trace.filename().string() : program_name(result.command);
    d.title = "linn replay " + name;
    d.heading = fmt::format("What would each allocator have cost {}?", name.empty() ? "this program" : name);
    d.kicker =
        fmt::format("linn replay · {} · {}", html::date_text(result.started), result.machine.cpu_model);
    if (result.interrupted_by != 0) {
        d.alert = fmt::format("partial: stopped by {} after {} complete rounds; what is missing is not shown",
                              signal_name(result.interrupted_by), result.complete_rounds);
    }
    d.lead = result.verdict;
    d.add(picture{
        [&result](html::id_source& ids) { return html::savings_plot(ids, result); },
        "By the CPU time of the program without the recording. Solid: the low end of the interval; faint: "
        "up to its high end. What saves nothing is left out."});
    d.add(paragraph{fmt::format("{}: {} requests of {}, {}", shell_words(result.command), result.events,
                                counted(result.threads, "thread"), counted(result.complete_rounds, "round"))},
          forms::text);
    section& allocators = d.add_section("allocators", "Allocators", forms::html);
    allocators.add(allocators_table(result), forms::text);
    allocators.add(groups_table(result), forms::text);
    for (block& b : replayed_allocators(result)) {
        allocators.blocks.push_back(std::move(b));
    }
    add_agreement(d, result);
    d.add_section("trust", "How far to trust this", forms::html).add(sentences(result.remarks));
    d.add_section("losses", "Not measured", forms::nowhere).add(losses_of(result), forms::text);
    d.add_section("options", "Trace, machine and options").add(facts_of(result), forms::html);
    d.add_section("reading", "How to read this report").add(reading_of_replay(), forms::html);
    d.warnings = result.warnings;
    d.provenance =
        html::provenance_text(result.started, result.machine, fmt::format("seed {}", result.options.seed));
    d.data.columns = {"kind",   "name",       "title",       "version",        "rounds",     "seconds",
                      "low",    "high",       "ratio",       "ratio_low",      "ratio_high", "ns_per_request",
                      "change", "change_low", "change_high", "peak_rss_bytes", "failure",    "noise_floor",
                      "events", "touch",      "command",     "complete",       "started",    "linn",
                      "cpu"};
    for (const replay_row& r : result.rows) {
        d.data.rows.push_back(data_of(result, r, "allocator"));
    }
    for (const replay_row& r : result.groups) {
        d.data.rows.push_back(data_of(result, r, "type"));
    }
    return d;
}

} // namespace linn::tool::report
