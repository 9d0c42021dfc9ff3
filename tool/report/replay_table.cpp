// SPDX-License-Identifier: Apache-2.0
#include "replay_table.hpp"

#include "../measure/process.hpp"
#include "../measure/sort_stably.hpp"
#include "quantity.hpp"
#include "remarks.hpp"
#include "replay_figures.hpp"
#include "shell_words.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

std::string change_text(const replay_row& row) {
    return signed_percent(row.change);
}

/// The default's own row first, then the rest by ratio; the null allocator is the last.
std::vector<const replay_row*> sorted(const std::vector<replay_row>& rows) {
    std::vector<const replay_row*> list;
    for (const replay_row& r : rows)
        if (is_measured(r))
            list.push_back(&r);
    sort_stably(list, [](const replay_row* a, const replay_row* b) {
        const bool a_is_null = a->name == replay_null_name;
        const bool b_is_null = b->name == replay_null_name;
        return a_is_null != b_is_null ? b_is_null : a->ratio < b->ratio;
    });
    return list;
}

table allocators_table(const replay_result& result) {
    table t{{{"allocator", "", true, 0},
             {"CPU ms", "replay", false, 0},
             {"ratio", "replay", false, 0},
             {level_text(result.options.level), "replay", false, 2},
             {"ns a request", "", false, 3},
             {"program", "", false, 0},
             {"from", level_text(result.options.level), false, 4},
             {"to", level_text(result.options.level), false, 4},
             {"peak MiB", "", false, 1}}};
    const bool has_program = result.program_cpu_seconds > 0;
    for (const replay_row* r : sorted(result.rows)) {
        const bool is_reference = r->name == replay_default_name;
        const auto share = [&](double value) {
            return is_reference || !has_program ? std::string{} : signed_percent(value);
        };
        t.add_row({r->title, fmt::format("{:.1f}", r->median * 1e3),
                   is_reference ? "1" : ratio_text(r->ratio),
                   is_reference ? "" : ratio_bounds(r->ratio_low, r->ratio_high),
                   cost_of_request(result, *r) ? fmt::format("{:.1f}", *cost_of_request(result, *r)) : "",
                   share(r->change), share(r->change_low), share(r->change_high),
                   fmt::format("{:.1f}", r->peak_rss_bytes / (1024 * 1024))},
                  r->call == replay_call::faster);
    }
    return t;
}

table groups_table(const replay_result& result) {
    table t{{{"only this from a pool of Linn's", "", true, 0},
             {"ratio", "replay", false, 0},
             {level_text(result.options.level), "replay", false, 2},
             {"program", "", false, 0},
             {"peak MiB", "", false, 1}}};
    for (const replay_row* r : sorted(result.groups))
        t.add_row({r->title, ratio_text(r->ratio), ratio_bounds(r->ratio_low, r->ratio_high),
                   result.program_cpu_seconds > 0 ? change_text(*r) : "",
                   fmt::format("{:.1f}", r->peak_rss_bytes / (1024 * 1024))},
                  r->call == replay_call::faster);
    return t;
}

std::string agreement_text(const replay_agreement& a, const output_style& style) {
    std::string out =
        '\n' + bold(style, wrap(a.problem.empty() ? a.verdict : a.problem + ".", style.width)) + '\n';
    if (!a.problem.empty())
        return out;
    table t{{{fmt::format("beside {}", a.file), "", true, 0},
             {"predicted", "change of CPU time", false, 0},
             {"measured", "change of CPU time", false, 0}}};
    for (const replay_agreement_row& r : a.rows)
        t.add_row({r.name, signed_percent(r.predicted), signed_percent(r.measured)});
    out += '\n' + t.render(style);
    std::string rank = fmt::format("rank correlation (Kendall's tau-b): {:.2f}", a.tau);
    for (const replay_disagreement& d : a.contradictions)
        rank += fmt::format("; {} before {} in the run only", d.first, d.second);
    return out + prose_lines({rank}, style.width);
}

} // namespace

std::string replay_report(const replay_result& result, const output_style& style) {
    std::string out;
    if (result.interrupted_by != 0)
        out += bold(style, fmt::format("partial: stopped by {} after {} complete rounds",
                                       signal_name(result.interrupted_by), result.complete_rounds)) +
               '\n';
    if (!result.verdict.empty())
        out += bold(style, wrap(result.verdict, style.width)) + '\n';
    const table t = allocators_table(result);
    out += '\n' +
           wrap(fmt::format("{}: {} requests of {} thread{}, {} round{}", shell_words(result.command),
                            result.events, result.threads, result.threads == 1 ? "" : "s",
                            result.complete_rounds, result.complete_rounds == 1 ? "" : "s"),
                style.width, 2) +
           "\n\n" + t.render(style);
    std::vector<std::string> hidden = t.dropped(style);
    if (!result.groups.empty()) {
        const table groups = groups_table(result);
        out += '\n' + groups.render(style);
        for (const std::string& heading : groups.dropped(style))
            if (std::find(hidden.begin(), hidden.end(), heading) == hidden.end())
                hidden.push_back(heading);
    }
    std::vector<std::string> lines;
    if (!hidden.empty())
        lines.push_back(hidden_columns(hidden));
    lines.push_back(fmt::format(
        "medians over the rounds; ratios to the default in the same round, with the {} interval of "
        "their median; 'ns a request' is beyond the null allocator; 'program' is what the program's "
        "CPU time would change by",
        level_text(result.options.level)));
    lines.insert(lines.end(), result.remarks.begin(), result.remarks.end());
    if (result.agreement.is_made())
        out += agreement_text(result.agreement, style);
    out += prose_lines(lines, style.width);
    for (const auto* list : {&result.rows, &result.groups})
        for (const replay_row& r : *list)
            if (!r.failure.empty())
                out += wrap(fmt::format("failed: {}: {}", r.title, r.failure), style.width, 4) + '\n';
    for (const std::string& reason : result.left_out)
        if (reason.find(": missing") == std::string::npos)
            out += wrap("left out: " + reason, style.width, 4) + '\n';
    for (const std::string& warning : result.warnings)
        out += wrap("warning: " + warning, style.width, 4) + '\n';
    return out;
}

} // namespace linn::tool
