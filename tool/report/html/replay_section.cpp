// SPDX-License-Identifier: Apache-2.0
#include "replay_section.hpp"

#include "../plots/numbers.hpp"
#include "../plots/strip_plot.hpp"
#include "../quantity.hpp"
#include "../render/html_table.hpp"
#include "../render/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace linn::tool::html {
namespace {

constexpr std::size_t most_groups = 40;
constexpr std::size_t label_letters = 60;
constexpr std::size_t name_letters = 120;

const replay_row* default_row(const replay_result& result) {
    const replay_row* r = result.find(replay_default_name);
    return r != nullptr && r->failure.empty() && !r->seconds.empty() ? r : nullptr;
}

/// "+4.2 %", "−12 %".
std::string change_text(double share) {
    return (share < 0 ? "−" : share > 0 ? "+" : "") + percent_text(std::abs(share));
}

/// The rounds by the default's in the same round, which cancels what the machine did to both.
std::vector<double> paired_ratios(const replay_row& r, const replay_row& base) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i != std::min(r.seconds.size(), base.seconds.size()); ++i)
        if (base.seconds[i] > 0)
            ratios.push_back(r.seconds[i] / base.seconds[i]);
    return ratios;
}

emphasis style_of(const replay_row& r) {
    if (r.name == replay_linn_name)
        return emphasis::ours;
    return r.name == replay_null_name || r.name == replay_control_name ? emphasis::muted : emphasis::none;
}

std::string name_of(const replay_row& r) {
    const std::string name = r.title.empty() ? r.name : r.title;
    return r.version.empty() || name.find(r.version) != std::string::npos ? name : name + ' ' + r.version;
}

markup strips(id_source& ids, const replay_result& result, const std::vector<replay_row>& rows,
              const char* title, std::size_t most) {
    const replay_row* base = default_row(result);
    if (base == nullptr)
        return {};
    strip_plot plot{
        {}, {{title, "CPU time by that of the default", {}, result.noise_floor}}, result.options.level};
    for (const replay_row& r : rows) {
        if (!r.failure.empty() || r.seconds.empty() || plot.labels.size() == most)
            continue;
        plot.labels.push_back({shortened(name_of(r), label_letters),
                               &rows == &result.groups ? emphasis::ours : style_of(r), false});
        plot.panels.front().strips.push_back({paired_ratios(r, *base), {r.ratio, r.ratio_low, r.ratio_high}});
    }
    return plot.labels.empty() ? markup{} : draw(ids, plot);
}

markup row_table(const replay_result& result, const std::vector<replay_row>& rows, const char* title,
                 const char* first) {
    html_table table{title,
                     {{first, {}, true},
                      {"CPU seconds", "replay", false},
                      {level_text(result.options.level), "replay", false},
                      {"ratio", "by the default", false},
                      {level_text(result.options.level), "by the default", false},
                      {"change", "of the run", false},
                      {"peak memory", {}, false},
                      {"remark", {}, true}}};
    const auto seconds = [](double v) { return figure_text(v); };
    std::size_t shown = 0;
    for (const replay_row& r : rows) {
        if (++shown > most_groups)
            break;
        if (!r.failure.empty()) {
            table.add_row({words_cell(name_of(r)), words_cell("–"), words_cell("–"), words_cell("–"),
                           words_cell("–"), words_cell("–"), words_cell("–"), words_cell(r.failure)});
            continue;
        }
        table.add_row({words_cell(shortened(name_of(r), name_letters)),
                       number_cell(r.median, figure_text(r.median)), interval_cell(r.low, r.high, seconds),
                       number_cell(r.ratio, close_ratio_text(r.ratio)),
                       interval_cell(r.ratio_low, r.ratio_high, close_ratio_text),
                       number_cell(r.change, result.program_cpu_seconds > 0 ? change_text(r.change) : "–"),
                       r.peak_rss_bytes > 0 ? number_cell(r.peak_rss_bytes, bytes_text(r.peak_rss_bytes))
                                            : words_cell("–"),
                       words_cell("")},
                      &rows == &result.groups ? emphasis::none : style_of(r));
    }
    return table.empty() ? markup{} : table.draw();
}

} // namespace

markup agreement_table(const replay_result& result) {
    const replay_agreement& a = result.agreement;
    if (!a.is_made())
        return {};
    markup content = paragraph(a.problem.empty() ? a.verdict : a.problem);
    html_table table{"Change of the program's CPU time, by the run's order",
                     {{"allocator", {}, true}, {"by the replay", {}, false}, {"by the run", {}, false}}};
    for (const replay_agreement_row& r : a.rows)
        table.add_row({words_cell(r.name), number_cell(r.predicted, change_text(r.predicted)),
                       number_cell(r.measured, change_text(r.measured))});
    if (!table.empty())
        content += table.draw();
    std::vector<std::string> lines;
    for (const replay_disagreement& d : a.contradictions)
        lines.push_back(fmt::format("{} before {} by {} in the run, {} by the replay.", d.first, d.second,
                                    percent_text(d.measured_gap), change_text(d.predicted_gap)));
    return content + bullet_list(lines);
}

markup replay_plots(id_source& ids, const replay_result& result) {
    markup content;
    if (const markup plot = strips(ids, result, result.rows, "The whole trace", 100); !plot.empty())
        content += figure_box(
            plot,
            text("Each dot is a replay, by that under the default allocator in the same round; left is "
                 "faster. The upright mark is the median, the bar its interval. The null allocator hands out "
                 "what was laid out before: what remains there is the replay itself."));
    content += row_table(result, result.rows, "Every allocator", "allocator");
    content += folded("Left out, and why", bullet_list(result.left_out));
    if (result.groups.empty())
        return content;
    content += element("h3", text("One type at a time"));
    if (const markup plot = strips(ids, result, result.groups, "Only this type from a pool", most_groups);
        !plot.empty())
        content +=
            figure_box(plot, text("One type from a pool of Linn's, everything else from the default."));
    content += row_table(result, result.groups, "One type from a pool, the rest from the default", "type");
    return content;
}

} // namespace linn::tool::html
