// SPDX-License-Identifier: Apache-2.0
#include "run_markdown.hpp"

#include "markdown.hpp"
#include "quantity.hpp"
#include "run_json.hpp"
#include "shell_words.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

/// The metrics that some row has an estimate of.
std::vector<const metric_info*> shown_metrics(const run_result& result) {
    std::vector<const metric_info*> list;
    for (const metric_info& m : metrics())
        for (const run_row& row : result.rows)
            if (row.estimates.contains(std::string{m.name})) {
                list.push_back(&m);
                break;
            }
    return list;
}

/// "12.34 ms (-4.2 %)", in bold where the change is claimed.
std::string estimate_text(const run_row& row, const metric_info& metric) {
    const estimate* known = row.find_estimate(metric.name);
    if (known == nullptr)
        return "";
    const estimate& e = *known;
    const std::string value = quantity_text(e.median, to_string(metric.unit));
    if (row.contender.is_default())
        return value;
    const std::string text = fmt::format("{} ({})", value, signed_percent(e.ratio - 1));
    return e.call == verdict::no_difference ? text : "**" + text + "**";
}

std::string rows_table(const run_result& result) {
    const std::vector<const metric_info*> metrics = shown_metrics(result);
    std::vector<markdown_column> columns{{"allocator", true}};
    for (const metric_info* m : metrics)
        columns.push_back({std::string{m->title}});
    columns.push_back({"rounds"});
    std::vector<std::vector<std::string>> rows;
    for (const run_row& row : result.rows) {
        std::vector<std::string> cells{markdown_text(row.contender.title)};
        for (const metric_info* m : metrics)
            cells.push_back(estimate_text(row, *m));
        cells.push_back(std::to_string(row.samples.size()));
        rows.push_back(std::move(cells));
    }
    return markdown_table(columns, rows);
}

} // namespace

std::string run_markdown(const run_result& result) {
    std::string out = fmt::format("**{}**\n\n", markdown_text(result.verdict));
    for (const std::string& finding : result.findings)
        out += markdown_text(finding) + "\n\n";
    out += fmt::format(
        "Command: {}. Medians, and in brackets the change against the default allocator in the same "
        "round; bold where it is larger than chance and noise explain.\n\n",
        markdown_text(shell_words(result.what.command)));
    out += rows_table(result) + '\n';
    std::string below;
    for (const run_row& row : result.rows)
        if (!row.failure.empty())
            below += fmt::format("- {}\n", markdown_text(row.contender.title + ": " + row.failure));
    for (const run_left_out& l : result.left_out)
        below += fmt::format("- left out: {}\n", markdown_text(l.name + ": " + l.reason));
    for (const std::string& warning : result.warnings)
        below += fmt::format("- warning: {}\n", markdown_text(warning));
    if (!result.complete())
        below +=
            fmt::format("- partial: stopped by a signal after {} complete rounds\n", result.complete_rounds);
    const machine_info& m = result.machine;
    return out + below + (below.empty() ? "" : "\n") +
           markdown_text(fmt::format("linn {}, {}; {}, {} CPUs, {}.", version_text(), result.started,
                                     m.cpu_model, m.cpus, m.kernel)) +
           '\n';
}

} // namespace linn::tool
