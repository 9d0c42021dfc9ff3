// SPDX-License-Identifier: Apache-2.0
#include "try_table.hpp"

#include "remarks.hpp"
#include "table.hpp"
#include "try_cells.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

table table_of(const std::vector<try_part>& parts) {
    table t{{{"pools for", "", true, 0},
             {"ms", "CPU time", false, 2},
             {"change", "CPU time", false, 0},
             {"95 %", "CPU time", false, 0},
             {"verdict", "", true, 0},
             {"MiB", "peak memory", false, 1},
             {"served", "", false, 0}}};
    for (const try_part& part : parts) {
        if (!part.heading.empty())
            t.add_heading(part.heading);
        for (const try_cells& c : part.rows)
            t.add_row({c.name, c.milliseconds, c.change, c.bounds, c.verdict, c.memory, c.served},
                      c.cpu->call == verdict::better);
    }
    return t;
}

} // namespace

std::string try_report(const try_result& result, const std::vector<std::string>& command,
                       const output_style& style) {
    std::string out;
    for (const std::string& line : partial_lines(result))
        out += bold(style, wrap(line, style.width)) + '\n';
    if (!result.verdict.empty())
        out += bold(style, wrap(result.verdict, style.width)) + '\n';
    for (const std::string& finding : result.findings)
        out += wrap(finding, style.width) + '\n';
    if (const std::vector<try_part> parts = parts_of(result); !parts.empty()) {
        const table t = table_of(parts);
        std::vector<std::string> remarks = how_it_was_measured(result, command);
        if (const std::vector<std::string> hidden = t.dropped(style); !hidden.empty())
            remarks.insert(remarks.begin(), hidden_columns(hidden));
        out += '\n' + t.render(style) + prose_lines(remarks, style.width);
    }
    for (const std::string& line : left_out_lines(result))
        out += wrap(line, style.width, 4) + '\n';
    for (const std::string& warning : result.warnings)
        out += wrap(fmt::format("warning: {}", warning), style.width, 4) + '\n';
    return out;
}

} // namespace linn::tool
