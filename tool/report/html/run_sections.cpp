// SPDX-License-Identifier: Apache-2.0
#include "run_sections.hpp"

#include "../../measure/statistics.hpp"
#include "../shell_words.hpp"
#include "html_table.hpp"
#include "numbers.hpp"
#include "page.hpp"
#include "provenance.hpp"
#include "run_plots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace linn::tool::html {
namespace {

html_cell verdict_cell(const run_row& row, const estimate& e) {
    if (row.contender.is_default())
        return words_cell("the reference");
    if (row.contender.is_control())
        return words_cell("the control");
    switch (e.call) {
    case verdict::better:
        return {element("span", {{"class", "better"}}, text("▼ less")), {}};
    case verdict::worse:
        return {element("span", {{"class", "worse"}}, text("▲ more")), {}};
    case verdict::no_difference:
        break;
    }
    return words_cell("no difference");
}

std::string p_text(double p) {
    return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

/// Medians of everything counted, compared or not; metrics that no row has are left out.
markup overview_table(const run_result& result) {
    std::vector<html_column> columns{{"allocator", {}, true}};
    std::vector<const metric_info*> shown;
    for (const metric_info& m : metrics())
        if (std::any_of(result.rows.begin(), result.rows.end(),
                        [&](const run_row& r) { return !r.values(m.name).empty(); })) {
            shown.push_back(&m);
            columns.push_back({std::string{m.title}, {}, false});
        }
    columns.push_back({"runs", {}, false});
    html_table table{"Medians of all that was counted", columns};
    for (const run_row& row : result.rows) {
        if (row.samples.empty())
            continue;
        std::vector<html_cell> cells{words_cell(row.contender.title)};
        for (const metric_info* m : shown) {
            const std::vector<double> values = row.values(m->name);
            cells.push_back(values.empty() ? words_cell("–")
                                           : number_cell(median(values), metric_text(*m, median(values))));
        }
        cells.push_back(
            number_cell(static_cast<double>(row.samples.size()), std::to_string(row.samples.size())));
        table.add_row(std::move(cells), row.contender.is_control() ? emphasis::muted : emphasis::none);
    }
    return table.empty() ? markup{} : table.draw();
}

markup sample_table(const run_result& result) {
    std::vector<html_column> columns{{"allocator", {}, true}, {"round", {}, false}};
    for (const metric_info& m : metrics())
        columns.push_back({std::string{m.title}, {}, false});
    columns.push_back({"remark", {}, true});
    html_table table{"Every run", columns};
    for (const run_row& row : result.rows) {
        std::vector<std::vector<double>> values;
        for (const metric_info& m : metrics())
            values.push_back(row.values(m.name));
        for (std::size_t i = 0; i != row.samples.size(); ++i) {
            const run_sample& s = row.samples[i];
            std::vector<html_cell> cells{
                words_cell(row.contender.title),
                number_cell(static_cast<double>(s.round + 1), std::to_string(s.round + 1))};
            std::size_t k = 0;
            for (const metric_info& m : metrics()) {
                const std::vector<double>& all = values[k++];
                cells.push_back(all.size() == row.samples.size() ? number_cell(all[i], metric_text(m, all[i]))
                                                                 : words_cell("–"));
            }
            cells.push_back(words_cell(
                fmt::format("{}{}", s.disturbed ? "disturbed " : "", s.same_output ? "" : "other output")));
            table.add_row(std::move(cells));
        }
    }
    return table.empty() ? markup{} : folded("Every run", table.draw());
}

markup failure_list(const run_result& result) {
    markup list;
    for (const run_row& row : result.rows) {
        if (row.failure.empty() && row.output_difference.empty())
            continue;
        list += element("h3", text(row.contender.title)) + paragraph(row.failure);
        if (!row.last_output.empty())
            list += element("pre", text(row.last_output));
        list += paragraph(row.output_difference.empty()
                              ? std::string{}
                              : "First difference in the output: " + row.output_difference);
    }
    return list;
}

std::string stop_text(const run_result& result) {
    switch (result.stopped) {
    case stop_reason::precise:
        return fmt::format("every interval of the wall time within ± {}",
                           percent_text(result.options.precision));
    case stop_reason::rounds:
        return "all rounds done";
    case stop_reason::budget:
        return fmt::format("time budget of {} s used up", result.options.budget.count());
    case stop_reason::interrupted:
        return "interrupted";
    case stop_reason::nothing_to_compare:
        return "nothing to compare";
    }
    return {};
}

} // namespace

markup run_estimates(const run_result& result, const metric_info& m) {
    html_table table{
        capitalised(fmt::format("{}: all runs, and by the default's in the same round", m.title)),
        {{"allocator", {}, true},
         {"median", {}, false},
         {"95 % interval", {}, false},
         {"least", {}, false},
         {"× default", "ratio", false},
         {"95 % interval", "ratio", false},
         {"p", "test", false},
         {"after Holm", "test", false},
         {"verdict", {}, true},
         {"runs", {}, false}}};
    for (const run_row& row : result.rows) {
        const estimate* e = row.find_estimate(m.name);
        if (e == nullptr)
            continue;
        const double least = minimum(row.values(m.name));
        const bool is_reference = row.contender.is_default();
        const auto p_cell = [&](double p) { return is_reference ? html_cell{} : number_cell(p, p_text(p)); };
        table.add_row(
            {words_cell(row.contender.title), number_cell(e->median, metric_text(m, e->median)),
             interval_cell(e->low, e->high, [&](double v) { return metric_text(m, v); }),
             number_cell(least, metric_text(m, least)), number_cell(e->ratio, close_ratio_text(e->ratio)),
             is_reference ? html_cell{} : interval_cell(e->ratio_low, e->ratio_high, close_ratio_text),
             p_cell(e->p), p_cell(e->p_adjusted), verdict_cell(row, *e),
             number_cell(static_cast<double>(row.samples.size()), std::to_string(row.samples.size()))},
            row.contender.is_control() ? emphasis::muted : emphasis::none);
    }
    return table.empty() ? markup{} : table.draw();
}

markup run_everything(id_source& ids, const run_result& result, const metric_info& shown) {
    markup content;
    if (const markup plot = other_metrics_plot(ids, result, shown); !plot.empty())
        content += figure_box(plot, text("The other metrics that are compared, drawn alike; left is less."));
    for (const metric_info& m : metrics())
        if (m.is_compared && m.name != shown.name)
            content += run_estimates(result, m);
    content += overview_table(result);
    if (!result.why_no_counters.empty())
        content += paragraph(fmt::format("Hardware counters: {}", result.why_no_counters));
    return content + sample_table(result);
}

markup run_noise(const run_result& result) {
    html_table table{"The default against itself",
                     {{"metric", {}, true},
                      {"ratio", {}, false},
                      {"95 % interval", {}, false},
                      {"p", {}, false},
                      {"floor", {}, false}}};
    for (const metric_info& m : metrics())
        if (const auto found = result.noise_floor.find(std::string{m.name});
            found != result.noise_floor.end()) {
            const noise& n = found->second;
            table.add_row({words_cell(m.title), number_cell(n.ratio, close_ratio_text(n.ratio)),
                           interval_cell(n.low, n.high, close_ratio_text), number_cell(n.p, p_text(n.p)),
                           number_cell(n.floor, percent_text(n.floor))});
        }
    markup content =
        paragraph("The default allocator runs twice under two names. A difference smaller than what these "
                  "two show is not claimed.");
    if (!table.empty())
        content += table.draw();
    return content;
}

markup run_proof(const run_result& result) {
    html_table table{"What was preloaded, and who provided memory",
                     {{"allocator", {}, true},
                      {"version", {}, true},
                      {"library", {}, true},
                      {"proven provider", {}, true},
                      {"notes", {}, true}}};
    for (const run_row& row : result.rows) {
        const run_contender& c = row.contender;
        std::vector<std::string> notes = c.notes;
        notes.insert(notes.end(), c.environment.begin(), c.environment.end());
        if (row.repeated != 0)
            notes.push_back(fmt::format("{} disturbed runs repeated", row.repeated));
        table.add_row({words_cell(c.title), words_cell(c.version),
                       words_cell(c.library.empty() ? std::string{"nothing preloaded"} : c.library.string()),
                       words_cell(providers_text(c.providers)),
                       words_cell(fmt::format("{}", fmt::join(notes, "; ")))});
    }
    markup content = failure_list(result);
    if (!table.empty())
        content += table.draw();
    html_table missing{"Left out, and why", {{"allocator", {}, true}, {"reason", {}, true}}};
    for (const run_left_out& l : result.left_out)
        missing.add_row({words_cell(l.name), words_cell(l.reason)});
    if (!missing.empty())
        content += missing.draw();
    return content;
}

std::vector<std::pair<std::string, std::string>> run_entries(const run_result& result) {
    const run_options& o = result.options;
    std::vector<std::pair<std::string, std::string>> entries{
        {"Command", shell_words(result.what.command)},
        {"Program", result.what.spec.program.string()},
        {"Reached through", shell_words(result.what.wrappers)},
        {"It also ran", shell_words(result.what.also_ran)},
        {"Its own allocator", result.what.own_provider},
        {"Remarks", fmt::format("{}", fmt::join(result.what.remarks, "; "))},
        {"Input", o.launch.input.string()},
        {"Before every run", o.prepare},
        {"Client", o.launch.client},
        {"CPUs", o.launch.cpus.empty() ? "not pinned" : o.launch.cpus},
        {"Rounds", fmt::format("{} complete, after {} to warm up", result.complete_rounds, o.warm_up_rounds)},
        {"Stopped", stop_text(result)},
        {"Intervals", fmt::format("{:.0f} %", o.level * 100)},
        {"Seed of the order", std::to_string(o.seed)},
        {"Started", date_text(result.started)},
        {"Took", elapsed_text(result.seconds)}};
    for (auto& entry : machine_entries(result.machine))
        entries.push_back(std::move(entry));
    return entries;
}

std::string program_name(const run_result& result) {
    if (!result.what.command.empty())
        return std::filesystem::path{result.what.command.front()}.filename().string();
    return result.what.spec.program.filename().string();
}

} // namespace linn::tool::html
