// SPDX-License-Identifier: Apache-2.0
#include "advise_markdown.hpp"

#include "../advise/cost.hpp"
#include "../advise/type_groups.hpp"
#include "advise_cells.hpp"
#include "markdown.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

/// A fence longer than any row of backticks within.
std::string fenced(const std::string& text) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    const std::string fence(longest + 1, '`');
    return fmt::format("{}diff\n{}{}\n", fence, text, fence);
}

constexpr std::ptrdiff_t measured_column = 8; // with --try only

/// What --try measured of the type, or why it did not.
std::string measured_cell(const advised_type& type) {
    return markdown_text(type.tried ? measured_text(*type.tried) : type.not_tried);
}

} // namespace

std::string advise_markdown(const advice& a, std::size_t top) {
    std::string out = fmt::format("**{}**\n\n{}.\n\n{}.\n", markdown_text(a.verdict),
                                  markdown_text(run_line(a)), markdown_text(method_line(a)));
    for (const std::string& sentence : trial_sentences(a))
        out += '\n' + markdown_text(sentence) + '\n';
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i != std::min(a.types.size(), top); ++i) {
        const advise_cells c = cells_of(a.types[i]);
        const auto& places = a.types[i].places;
        rows.push_back({markdown_text(c.type), c.count, c.share, c.size, c.peak_live, c.median_life, c.remote,
                        c.gain.empty() ? "-" : c.gain, measured_cell(a.types[i]),
                        markdown_text(c.use.empty() ? "-" : c.use),
                        markdown_text(places.empty() ? "" : place_text(places.front().frame))});
        if (!a.tried)
            rows.back().erase(rows.back().begin() + measured_column);
    }
    if (const std::string estimates = estimates_line(a); !estimates.empty())
        out += '\n' + markdown_text(estimates) + ".\n";
    std::vector<markdown_column> columns{{"type", true},        {"count"},       {"share"},      {"size"},
                                         {"peak live"},         {"median life"}, {"remote"},     {"gain"},
                                         {"measured, %", true}, {"use", true},   {"where", true}};
    if (!a.tried)
        columns.erase(columns.begin() + measured_column);
    if (!rows.empty())
        out += '\n' + markdown_table(columns, rows);
    for (std::size_t i = 0; i != std::min(a.types.size(), top); ++i) {
        const advised_type& type = a.types[i];
        if (type.what == remedy::nothing || !type.served_with.empty())
            continue;
        out += fmt::format("\n### {}\n\n{}.\n", markdown_text(label_of(type)), markdown_text(type.why));
        if (!type.snippet.empty())
            out += '\n' + fenced(type.snippet);
    }
    std::string below;
    for (const advice_finding& f : a.findings)
        below += fmt::format("- {}\n", markdown_text(f.text));
    for (const std::string& warning : a.warnings)
        below += fmt::format("- warning: {}\n", markdown_text(warning));
    if (a.tried)
        for (const std::string& warning : a.tried->warnings)
            below += fmt::format("- warning: --try: {}\n", markdown_text(warning));
    return below.empty() ? out : out + '\n' + below;
}

} // namespace linn::tool
