// SPDX-License-Identifier: Apache-2.0
#include "compare_cells.hpp"
#include "compare_report.hpp"
#include "markdown.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::string changes_table(const file_comparison& r, change_kind kind, std::string_view title) {
    std::vector<std::vector<std::string>> rows;
    for (const series_change* c : sorted_changes(r, kind)) {
        const change_cells cells = cells_of(*c);
        rows.push_back({markdown_text(cells.what), cells.before, cells.after, cells.change, cells.bounds,
                        markdown_text(cells.p)});
    }
    if (rows.empty())
        return "";
    return fmt::format("\n### {}\n\n{}", title,
                       markdown_table({{"what", true},
                                       {"old"},
                                       {"new"},
                                       {"change"},
                                       {fmt::format("{:g} % interval", r.options.level * 100)},
                                       {"p"}},
                                      rows));
}

} // namespace

std::string compare_markdown(const file_comparison& r) {
    std::string out = fmt::format("**{}.**\n\n{}\n", markdown_text(r.verdict), markdown_text(method_line(r)));
    out += changes_table(r, change_kind::regression, "Regressions");
    out += changes_table(r, change_kind::improvement, "Improvements");
    out += changes_table(r, change_kind::undecided, "Undecided");
    std::string below;
    if (!r.vanished.empty())
        below += fmt::format("- gone: {}\n", markdown_text(name_list(r.vanished)));
    if (!r.appeared.empty())
        below += fmt::format("- new: {}\n", markdown_text(name_list(r.appeared)));
    for (const std::string& warning : r.warnings)
        below += fmt::format("- warning: {}\n", markdown_text(warning));
    return below.empty() ? out : out + '\n' + below;
}

} // namespace linn::tool
