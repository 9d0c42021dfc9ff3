// SPDX-License-Identifier: Apache-2.0
#include "run_parts.hpp"

#include "../../measure/statistics.hpp"
#include "../../measure/suggest.hpp"
#include "../../run/results.hpp"
#include "../document/document.hpp"
#include "../plots/run_plots.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace linn::tool::report {
namespace {

emphasis style_of(const run_row& row) {
    return row.contender.is_control() ? emphasis::muted : emphasis::none;
}

/// Medians of everything counted, and the differences of the compared metrics; metrics that no row has are left out.
table overview_table(const run_result& result) {
    table t{"Medians of all that was counted; in brackets the change against the default in the same round",
            {{.heading = "allocator", .is_text = true}}};
    std::vector<const metric_info*> shown;
    for (const metric_info& m : metrics()) {
        if (std::ranges::any_of(result.rows, [&](const run_row& r) { return !r.values(m.name).empty(); })) {
            shown.push_back(&m);
            t.columns.push_back({.heading = std::string{m.title}});
        }
    }
    t.columns.push_back({.heading = "runs"});
    for (const run_row& r : result.rows) {
        if (r.samples.empty()) {
            continue;
        }
        std::vector<cell> cells{r.contender.title};
        for (const metric_info* m : shown) {
            const std::vector<double> values = r.values(m->name);
            cell& c = cells.emplace_back(value_of(*m, values.empty() ? unknown_bound : median(values)));
            const estimate* e = r.find_estimate(m->name);
            if (e == nullptr || r.contender.is_default()) {
                continue;
            }
            c.beside = figure_of(unit::change, e->ratio - 1);
            c.style = e->call == verdict::better  ? emphasis::good
                      : e->call == verdict::worse ? emphasis::bad
                                                  : emphasis::none;
        }
        cells.emplace_back(figure_of(unit::count, static_cast<double>(r.samples.size())));
        t.add(std::move(cells), style_of(r));
    }
    return t;
}

} // namespace

quantity value_of(const metric_info& m, double value) {
    switch (m.unit) {
    case metric_info::unit::nanoseconds:
        return figure_of(unit::nanoseconds, value);
    case metric_info::unit::bytes:
        return figure_of(unit::bytes, value);
    case metric_info::unit::count:
        break;
    }
    return figure_of(value < 100 ? unit::number : unit::count, value);
}

cell verdict_cell(const run_row& row, const estimate& e, std::string_view metric) {
    if (row.contender.is_default()) {
        return {};
    }
    if (row.contender.is_control()) {
        return "(control)";
    }
    const bool is_time = metric == wall_metric;
    switch (e.call) {
    case verdict::better:
        return cell{is_time ? "faster" : "less"}.styled(emphasis::good);
    case verdict::worse:
        return cell{is_time ? "slower" : "more"}.styled(emphasis::bad);
    case verdict::no_difference:
        return "tie";
    case verdict::not_judged:
        break;
    }
    return "not judged";
}

table estimates_table(const run_result& result, const metric_info& m) {
    const std::string level = level_text(result.options.level);
    table t{html::capitalised(fmt::format("{}: all runs, and by the default's in the same round", m.title)),
            {{.heading = "allocator", .is_text = true},
             {.heading = "median"},
             {.heading = level + " interval"},
             {.heading = "least"},
             {.heading = "× default", .group = "ratio"},
             {.heading = level + " interval", .group = "ratio"},
             {.heading = "p", .group = "test"},
             {.heading = "after Holm", .group = "test"},
             {.heading = "verdict", .is_text = true},
             {.heading = "runs"}}};
    for (const run_row& r : result.rows) {
        const estimate* e = r.find_estimate(m.name);
        if (e == nullptr) {
            continue;
        }
        const auto unless_default = [&](const quantity& q) {
            return r.contender.is_default() ? cell{} : cell{q};
        };
        quantity interval = value_of(m, e->median);
        interval.low = e->low;
        interval.high = e->high;
        interval.shows = part::bounds;
        t.add({r.contender.title, value_of(m, e->median), interval, value_of(m, minimum(r.values(m.name))),
               figure_of(unit::ratio, e->ratio),
               unless_default(bounds_of(unit::ratio, e->ratio_low, e->ratio_high)),
               unless_default(figure_of(unit::chance, e->p)),
               unless_default(figure_of(unit::chance, e->p_adjusted)), verdict_cell(r, *e, m.name),
               figure_of(unit::count, static_cast<double>(r.samples.size()))},
              style_of(r));
    }
    return t;
}

std::vector<block> everything_counted(const run_result& result, const metric_info& shown) {
    std::vector<block> blocks{{picture{
        [&result, &shown](html::id_source& ids) { return html::other_metrics_plot(ids, result, shown); },
        "The other metrics that are compared, drawn alike; left is less."}}};
    for (const metric_info& m : metrics()) {
        if (m.is_compared) {
            blocks.push_back({estimates_table(result, m), forms::html});
        }
    }
    blocks.push_back({overview_table(result), forms::documents});
    return blocks;
}

std::vector<block> noise_of(const run_result& result) {
    table t{"The default against itself",
            {{.heading = "metric", .is_text = true},
             {.heading = "ratio"},
             {.heading = level_text(result.options.level) + " interval"},
             {.heading = "p"},
             {.heading = "floor"}}};
    for (const metric_info& m : metrics()) {
        if (const auto found = result.noise_floor.find(std::string{m.name});
            found != result.noise_floor.end()) {
            const noise& n = found->second;
            t.add({m.title, figure_of(unit::ratio, n.ratio), bounds_of(unit::ratio, n.low, n.high),
                   figure_of(unit::chance, n.p), figure_of(unit::share, n.floor)});
        }
    }
    return {{paragraph{"The default allocator runs twice under two names. A difference smaller than what "
                       "these two show is not claimed."}},
            {std::move(t)}};
}

std::vector<block> proof_of(const run_result& result) {
    std::vector<block> blocks;
    table t{"What was preloaded, and who provided memory",
            {{.heading = "allocator", .is_text = true},
             {.heading = "version", .is_text = true},
             {.heading = "library", .is_text = true},
             {.heading = "proven provider", .is_text = true},
             {.heading = "notes", .is_text = true}}};
    for (const run_row& r : result.rows) {
        const run_contender& c = r.contender;
        std::vector<std::string> notes = c.notes;
        notes.insert(notes.end(), c.environment.begin(), c.environment.end());
        if (r.repeated != 0) {
            notes.push_back(fmt::format("{} repeated", counted(r.repeated, "disturbed run")));
        }
        t.add({c.title, c.version, c.library.empty() ? "nothing preloaded" : c.library.string(),
               providers_text(c.providers), fmt::format("{}", fmt::join(notes, "; "))});
        if (!r.output_difference.empty()) {
            blocks.push_back({paragraph{
                fmt::format("{}: the output differs first in: {}", c.title, r.output_difference)}});
        }
    }
    blocks.push_back({std::move(t)});
    return blocks;
}

std::string why_it_stopped(const run_result& result) {
    const run_options& o = result.options;
    switch (result.stopped) {
    case stop_reason::precise:
        return "stopped when every ratio was known to +-" + figure_of(unit::share, o.precision).text();
    case stop_reason::budget:
        return "stopped by the budget of " + figures::seconds_text(static_cast<double>(o.budget.count()));
    case stop_reason::rounds:
        return o.rounds != 0 ? "as asked for" : "the most there are";
    case stop_reason::interrupted:
        return "interrupted";
    case stop_reason::nothing_to_compare:
        break;
    }
    return "nothing to compare";
}

facts facts_of(const run_result& result) {
    const run_options& o = result.options;
    facts f{{{"Command", shell_words(result.what.command)},
             {"Program", result.what.spec.program.string()},
             {"Reached through", shell_words(result.what.wrappers)},
             {"It also ran", shell_words(result.what.also_ran)},
             {"Its own allocator", result.what.own_provider},
             {"Remarks", fmt::format("{}", fmt::join(result.what.remarks, "; "))},
             {"Input", o.launch.input.string()},
             {"Before every run", o.prepare},
             {"Client", o.launch.client},
             {"CPUs", o.launch.cpus.empty() ? "not pinned" : o.launch.cpus},
             {"Rounds",
              fmt::format("{} complete, after {} to warm up", result.complete_rounds, o.warm_up_rounds)},
             {"Intervals", level_text(o.level)},
             {"Seed of the order", std::to_string(o.seed)},
             {"Started", date_text(result.started)},
             {"Took", figures::elapsed_text(result.seconds)}}};
    for (auto& entry : machine_entries(result.machine)) {
        f.entries.push_back(std::move(entry));
    }
    return f;
}

std::string disturbance_of(const run_result& result) {
    unsigned repeated = 0;
    std::size_t disturbed = 0;
    for (const run_row& row : result.rows) {
        repeated += row.repeated;
        disturbed += static_cast<std::size_t>(
            std::ranges::count_if(row.samples, [](const run_sample& s) { return s.disturbed; }));
    }
    if (repeated + disturbed == 0) {
        return {};
    }
    return fmt::format("repeated because the machine was disturbed: {}; kept although it was: {}",
                       counted(repeated, "run"), disturbed);
}

std::string program_name(const std::vector<std::string>& command) {
    return command.empty() ? std::string{} : std::filesystem::path{command.front()}.filename().string();
}

} // namespace linn::tool::report
