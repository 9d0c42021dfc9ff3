// SPDX-License-Identifier: Apache-2.0
#include "remarks.hpp"

#include "../bench/judgement.hpp"
#include "terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace linn::tool {

namespace {

/// "0.4 % (map) to 12.7 % (list)".
std::string range_of_floors(const scenario_result& s) {
    struct floor {
        double gap;
        std::string_view title;
    };
    std::vector<floor> all;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        if (const auto gap = s.noise[p].floor)
            all.push_back({*gap, s.what->phases[p].title});
    const auto [least, most] = std::minmax_element(
        all.begin(), all.end(), [](const floor& a, const floor& b) { return a.gap < b.gap; });
    return fmt::format("{:.1f} % ({}) to {:.1f} % ({})", least->gap * 100, least->title, most->gap * 100,
                       most->title);
}

} // namespace

std::string hidden_columns(const std::vector<std::string>& titles) {
    return fmt::format("hidden columns: {} (widen the terminal or use --json)", fmt::join(titles, ", "));
}

std::string table_and_hidden(const table& t, const output_style& style) {
    const std::vector<std::string> hidden = t.dropped(style);
    return t.render(style) + (hidden.empty() ? "" : prose_lines({hidden_columns(hidden)}, style.width));
}

std::string published_text(const published_row& row) {
    std::vector<std::string> parts;
    for (const double f : row.figures)
        if (f != 0)
            parts.push_back(fmt::format("{:.0f}", f));
    return fmt::format("{}", fmt::join(parts, "/"));
}

std::vector<std::string> common_remarks(const bench_result& result, const scenario_result& s,
                                        const std::vector<std::string>& hidden) {
    std::vector<std::string> lines;
    for (const std::string_view remark : s.what->remarks)
        lines.emplace_back(remark);
    if (!s.published.empty() && !s.what->published_remark.empty())
        lines.emplace_back(s.what->published_remark);
    const row* const baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    if (baseline != nullptr)
        lines.push_back(
            fmt::format("x glibc: geometric mean over all phases of the medians by those of {}; MiB: "
                        "peak resident size",
                        result.title_of(s, *baseline)));
    if (!hidden.empty())
        lines.push_back(hidden_columns(hidden));
    std::vector<std::string> floors;
    for (std::size_t p = 0; p != s.what->phases.size(); ++p)
        if (const auto floor = s.noise[p].floor)
            floors.push_back(fmt::format("{} {:.1f} %", s.what->phases[p].title, *floor * 100));
    constexpr std::size_t most_columns = 3; // of which each is named
    if (floors.size() > most_columns)
        floors = {range_of_floors(s)};
    if (!floors.empty())
        lines.push_back(fmt::format("noise floor, glibc against glibc again: {}{}", fmt::join(floors, ", "),
                                    why_not_judged(result).empty()
                                        ? fmt::format("; differences smaller than max(noise floor, {:.0f} %, "
                                                      "2 standard errors) count as ties",
                                                      least_claim * 100)
                                        : std::string{}));
    if (s.repeated != 0)
        lines.push_back(
            fmt::format("repeated because the machine was disturbed: {} samples; kept although it still "
                        "was: {}",
                        s.repeated, s.disturbed));
    return lines;
}

std::string prose_lines(const std::vector<std::string>& lines, std::size_t width) {
    std::string out;
    for (const std::string& line : lines)
        out += "  " + wrap(line, width - 2, 4) + '\n';
    return out;
}

} // namespace linn::tool
