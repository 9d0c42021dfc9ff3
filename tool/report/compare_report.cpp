// SPDX-License-Identifier: Apache-2.0
#include "compare_report.hpp"

#include "compare_cells.hpp"
#include "remarks.hpp"
#include "table.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::string changes_table(const file_comparison& r, change_kind kind, std::string_view title,
                          const output_style& style) {
    const std::vector<const series_change*> changes = sorted_changes(r, kind);
    if (changes.empty())
        return "";
    table t{{{std::string{title}, "", true, 0},
             {"old", "", false, 3},
             {"new", "", false, 3},
             {"change", "", false, 0},
             {fmt::format("{:g} % interval", r.options.level * 100), "", false, 2},
             {"p", "", false, 4}}};
    for (const series_change* c : changes) {
        const change_cells cells = cells_of(*c);
        t.add_row({cells.what, cells.before, cells.after, cells.change, cells.bounds, cells.p},
                  kind == change_kind::regression);
    }
    return '\n' + table_and_hidden(t, style);
}

} // namespace

std::string compare_report(const file_comparison& r, const output_style& style) {
    std::string out = bold(style, wrap(r.verdict + '.', style.width)) + '\n';
    out += wrap(method_line(r), style.width) + '\n';
    out += changes_table(r, change_kind::regression, "regressions", style);
    out += changes_table(r, change_kind::improvement, "improvements", style);
    out += changes_table(r, change_kind::undecided, "undecided", style);
    std::string below;
    if (!r.vanished.empty())
        below += wrap("gone: " + name_list(r.vanished), style.width, 2) + '\n';
    if (!r.appeared.empty())
        below += wrap("new: " + name_list(r.appeared), style.width, 2) + '\n';
    for (const std::string& warning : r.warnings)
        below += wrap("warning: " + warning, style.width, 2) + '\n';
    return below.empty() ? out : out + '\n' + below;
}

} // namespace linn::tool
