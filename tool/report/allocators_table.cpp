// SPDX-License-Identifier: Apache-2.0
#include "allocators_table.hpp"

#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

namespace linn::tool {
namespace {

/// Where the library lies and whose it is; the second on a line of its own where both do not fit.
std::string library_lines(const allocator_entry& e, std::size_t width) {
    if (e.library.empty())
        return {};
    const std::string one = fmt::format("    {} ({})\n", e.library.string(), e.origin);
    if (one.size() <= width + 1)
        return one;
    return fmt::format("    {}\n    ({})\n", e.library.string(), e.origin);
}

} // namespace

std::string allocators_table(const std::vector<allocator_entry>& entries, const output_style& style) {
    table t{{{"allocator", "", true, 0},
             {"version", "", true, 0},
             {"state", "", true, 0},
             {"licence", "", true, 1},
             {"proven by", "", true, 2}}};
    for (const allocator_entry& e : entries)
        t.add_row({e.name, e.version.empty() ? "-" : e.version, to_string(e.state), e.licence, e.proven_by},
                  e.state == library_state::usable);

    std::istringstream lines{t.render(style)};
    std::string out;
    std::string line;
    for (int heading = 0; heading != 2 && std::getline(lines, line); ++heading)
        out += line + '\n';
    for (const allocator_entry& e : entries) {
        std::getline(lines, line);
        out += line + '\n' + library_lines(e, style.width);
    }

    // What the width left no column for.
    const std::vector<std::string> dropped = t.dropped(style);
    const auto is_dropped = [&](std::string_view heading) {
        return std::find(dropped.begin(), dropped.end(), heading) != dropped.end();
    };
    std::string remarks;
    for (const allocator_entry& e : entries) {
        // The command below says it all.
        if (e.state == library_state::missing && !e.how_to_get.empty())
            continue;
        std::string text;
        if (is_dropped("proven by") && !e.proven_by.empty())
            text += e.proven_by;
        if (!e.remark.empty())
            text += (text.empty() ? "" : "; ") + e.remark;
        for (const std::string& variable : e.environment)
            text += fmt::format("{}runs with {}", text.empty() ? "" : "; ", variable);
        if (!text.empty())
            remarks += wrap(fmt::format("{}: {}", e.name, text), style.width, 4) + '\n';
    }
    if (!remarks.empty())
        out += '\n' + remarks;

    std::string commands;
    for (const allocator_entry& e : entries)
        if ((e.state == library_state::missing || e.state == library_state::known_bad) &&
            !e.how_to_get.empty())
            commands += fmt::format("  {}\n", e.how_to_get);
    if (!commands.empty())
        out += fmt::format("\n{}\n{}", bold(style, "To get what is missing:"), commands);
    return out;
}

} // namespace linn::tool
