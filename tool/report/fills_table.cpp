// SPDX-License-Identifier: Apache-2.0
#include "fills_table.hpp"

#include "../advise/cost.hpp"
#include "quantity.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace linn::tool {
namespace {

constexpr std::size_t detailed = 5; // places whose mend is told
constexpr std::size_t least_text_width = 20;
constexpr std::size_t figures_width = 46; // what the columns of numbers take

table make_table(const fill_report& report, std::size_t top, const output_style& style) {
    table t{{{"type", "", true, 0},
             {"place", "", true, 0},
             {"fills", "", false, 0},
             {"bytes", "", false, 0},
             {"time", "", false, 2},
             {"of the run", "", false, 1}}};
    const std::size_t text_width =
        std::max(least_text_width, (style.width - std::min(style.width, figures_width)) / 2);
    for (std::size_t i = 0; i != std::min(report.places.size(), top); ++i) {
        const filled_place& row = report.places[i];
        const std::string place = place_text(row.place);
        t.add_row({cut_text(row.label, text_width), cut_text(place.empty() ? "-" : place, text_width),
                   std::to_string(row.fills), bytes_text(row.bytes),
                   row.time_ns > 0 ? quantity_text(row.time_ns, "ns") : "-",
                   row.time_ns > 0 && report.program_cpu_ns > 0
                       ? share_text(std::min(1.0, row.time_ns / report.program_cpu_ns))
                       : "-"},
                  row.is_candidate);
    }
    return t;
}

std::string mend_of(const filled_place& row, const output_style& style) {
    const std::string place = place_text(row.place);
    std::string text = '\n' +
                       bold(style, wrap(fmt::format("{}{}: {}", row.label,
                                                    place.empty()              ? ""
                                                    : place.starts_with("in ") ? " " + place
                                                                               : " at " + place,
                                                    row.mend),
                                        style.width, 4)) +
                       '\n';
    for (std::size_t begin = 0; begin < row.change.size();) {
        const std::size_t end = std::min(row.change.find('\n', begin), row.change.size());
        text += "    " + row.change.substr(begin, end - begin) + '\n';
        begin = end + 1;
    }
    return text;
}

} // namespace

std::string fills_table(const fill_report& report, std::size_t top, const output_style& style) {
    std::string text = bold(style, wrap(report.verdict, style.width)) + '\n';
    std::vector<std::string> remarks;
    if (!report.places.empty()) {
        const table t = make_table(report, top, style);
        text += '\n' + t.render(style);
        if (const std::vector<std::string> hidden = t.dropped(style); !hidden.empty())
            remarks.push_back(hidden_columns(hidden));
        if (report.places.size() > top)
            remarks.push_back(fmt::format("and {} more places; --json has all", report.places.size() - top));
    }
    remarks.insert(remarks.end(), report.notes.begin(), report.notes.end());
    text += prose_lines(remarks, style.width);
    for (std::size_t i = 0; i != std::min(report.places.size(), std::min(top, detailed)); ++i)
        text += mend_of(report.places[i], style);
    return text;
}

} // namespace linn::tool
