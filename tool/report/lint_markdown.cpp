// SPDX-License-Identifier: Apache-2.0
#include "lint_cells.hpp"
#include "lint_report.hpp"
#include "markdown.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::string places(const lint_result& r, fill_kind kind, const char* title) {
    std::vector<std::vector<std::string>> rows;
    for (const lint_finding& f : r.findings)
        if (kind_of(f.fill) == kind)
            rows.push_back({fill_text(f.fill), markdown_text(place_text(f.file, f.place)),
                            markdown_text(f.fill.what), markdown_text(members_text(f)), fix_text(f)});
    if (rows.empty())
        return {};
    return fmt::format(
        "\n### {}\n\n{}", title,
        markdown_table({{"bytes"}, {"place", true}, {"what", true}, {"members", true}, {"fix", true}}, rows));
}

} // namespace

std::string lint_markdown(const lint_result& r) {
    std::string out =
        fmt::format("**{}.**\n\n{}.\n", markdown_text(lint_headline(r)), markdown_text(lint_scope(r)));
    out += places(r, fill_kind::now, "Zeros for nothing");
    out += places(r, fill_kind::per_element,
                  "For each element of an array whose length is known at run time only");
    out += places(r, fill_kind::after_a_change, "Not filled now, and would be after a change");
    if (!r.failed.empty())
        out += "\n### Could not be checked wholly\n\n";
    for (const failed_file& f : r.failed)
        out += fmt::format("- {}: {}\n", markdown_text(place_text(f.file, {})), markdown_text(f.reason));
    const std::vector<std::string> remarks = lint_remarks(r, 0);
    if (!remarks.empty())
        out += '\n';
    for (const std::string& line : remarks)
        out += fmt::format("- {}\n", markdown_text(line));
    return out;
}

} // namespace linn::tool
