// SPDX-License-Identifier: Apache-2.0
#include "try_markdown.hpp"

#include "markdown.hpp"
#include "try_cells.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

std::string table_of(const try_part& part) {
    const std::vector<markdown_column> columns{
        {"pools for", true}, {"CPU time, ms"},     {"change"}, {"95 %"},
        {"verdict", true},   {"peak memory, MiB"}, {"served"}};
    std::vector<std::vector<std::string>> rows;
    for (const try_cells& c : part.rows) {
        const bool is_claimed = c.cpu->call != verdict::no_difference;
        rows.push_back({markdown_text(c.name), c.milliseconds, is_claimed ? "**" + c.change + "**" : c.change,
                        c.bounds, c.verdict, c.memory, c.served});
    }
    return markdown_table(columns, rows) + '\n';
}

} // namespace

std::string try_markdown(const try_result& result, const std::vector<std::string>& command) {
    std::string out;
    for (const std::string& line : partial_lines(result))
        out += fmt::format("**{}**\n\n", markdown_text(line));
    if (!result.verdict.empty())
        out += fmt::format("**{}**\n\n", markdown_text(result.verdict));
    for (const std::string& finding : result.findings)
        out += markdown_text(finding) + "\n\n";
    for (const try_part& part : parts_of(result)) {
        if (part.rows.empty())
            continue;
        if (!part.heading.empty())
            out += markdown_text(part.heading) + ":\n\n";
        out += table_of(part);
    }
    std::vector<std::string> below = left_out_lines(result);
    for (const std::string& warning : result.warnings)
        below.push_back("warning: " + warning);
    for (const std::string& line : how_it_was_measured(result, command))
        below.push_back(line);
    for (const std::string& line : below)
        out += fmt::format("- {}\n", markdown_text(line));
    return out + '\n' + markdown_text(fmt::format("linn {}, {}.", version_text(), result.judged().started)) +
           '\n';
}

} // namespace linn::tool
