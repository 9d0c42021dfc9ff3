// SPDX-License-Identifier: Apache-2.0
#include "replay_markdown.hpp"

#include "../measure/statistics.hpp"
#include "markdown.hpp"
#include "quantity.hpp"
#include "replay_figures.hpp"
#include "shell_words.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::string ratio_with_bounds(const replay_row& r) {
    return are_bounds(r.ratio_low, r.ratio_high)
               ? fmt::format("{:.3f} ({:.3f} to {:.3f})", r.ratio, r.ratio_low, r.ratio_high)
               : fmt::format("{:.3f}", r.ratio);
}

std::string rows_table(const replay_result& result, const std::vector<replay_row>& rows,
                       const char* heading) {
    std::vector<std::vector<std::string>> lines;
    for (const replay_row& r : rows) {
        if (!is_measured(r))
            continue;
        const bool is_reference = r.name == replay_default_name;
        const bool is_told = r.call == replay_call::faster || r.call == replay_call::slower;
        const std::string change =
            is_reference || result.program_cpu_seconds <= 0 ? "" : signed_percent(r.change);
        lines.push_back({markdown_text(r.title), fmt::format("{:.1f} ms", r.median * 1e3),
                         is_reference ? "1" : ratio_with_bounds(r),
                         is_told && !change.empty() ? "**" + change + "**" : change,
                         fmt::format("{:.1f} MiB", r.peak_rss_bytes / (1024 * 1024))});
    }
    return markdown_table({{heading, true}, {"CPU time"}, {"ratio"}, {"program"}, {"peak memory"}}, lines);
}

} // namespace

std::string replay_markdown(const replay_result& result) {
    std::string out = fmt::format("**{}**\n\n", markdown_text(result.verdict));
    out += fmt::format(
        "Replay of {} requests of {}: CPU time of the replay, its ratio to the default with the {} "
        "interval, and what the program's CPU time would change by; bold where the difference is larger than "
        "chance and noise explain.\n\n",
        result.events, markdown_text(shell_words(result.command)), level_text(result.options.level));
    out += rows_table(result, result.rows, "allocator") + '\n';
    if (!result.groups.empty())
        out += rows_table(result, result.groups, "only this from a pool of Linn's") + '\n';
    if (const replay_agreement& a = result.agreement; a.is_made()) {
        out += markdown_text(a.problem.empty() ? a.verdict : a.problem) + "\n\n";
        std::vector<std::vector<std::string>> lines;
        for (const replay_agreement_row& r : a.rows)
            lines.push_back({markdown_text(r.name), signed_percent(r.predicted), signed_percent(r.measured)});
        out += markdown_table({{"allocator", true}, {"predicted"}, {"measured"}}, lines) + '\n';
    }
    for (const auto* rows : {&result.rows, &result.groups})
        for (const replay_row& r : *rows)
            if (!r.failure.empty())
                out += fmt::format("- {}\n", markdown_text(r.title + ": " + r.failure));
    for (const std::string& remark : result.remarks)
        out += fmt::format("- {}\n", markdown_text(remark));
    for (const std::string& warning : result.warnings)
        out += fmt::format("- warning: {}\n", markdown_text(warning));
    if (result.interrupted_by != 0)
        out +=
            fmt::format("- partial: stopped by a signal after {} complete rounds\n", result.complete_rounds);
    return out + '\n' +
           markdown_text(fmt::format("linn {}, {}; {}, {} CPUs, {}.", version_text(), result.started,
                                     result.machine.cpu_model, result.machine.cpus, result.machine.kernel)) +
           '\n';
}

} // namespace linn::tool
