// SPDX-License-Identifier: Apache-2.0
#include "lint_cells.hpp"
#include "lint_report.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

/// A place whose path does not fit loses its front: file and line are at its end.
std::string cut_front(const std::string& text, std::size_t width) {
    if (text.size() <= width)
        return text;
    std::size_t begin = text.size() - (width > 3 ? width - 3 : 0);
    while (begin != text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0U) == 0x80U)
        ++begin;
    return "..." + text.substr(begin);
}

/// How wide the columns of text may be.
struct text_widths {
    std::size_t place = 5;
    std::size_t what = 4;
    std::size_t members = 0; ///< 0: no room for them
};

text_widths widths_of(const lint_result& r, std::size_t shown, const output_style& style) {
    text_widths w;
    std::size_t bytes = 5;
    std::size_t members = 0;
    for (std::size_t i = 0; i != shown; ++i) {
        const lint_finding& f = r.findings[i];
        w.place = std::max(w.place, place_text(f.file, f.place).size());
        w.what = std::max(w.what, one_line(f.fill.what).size());
        members = std::max(members, members_text(f).size());
        bytes = std::max(bytes, fill_text(f.fill).size());
    }
    if (style.keeps_columns) {
        constexpr std::size_t wide = 80;
        w.what = std::min(w.what, wide);
        w.members = std::min(members, wide);
        return w;
    }
    constexpr std::size_t gap = 2;
    constexpr std::size_t fix = 7; // "refused"
    const std::size_t taken = bytes + fix + 3 * gap;
    const std::size_t room = std::max<std::size_t>(style.width, taken + 24) - taken;
    // The place first, then what is written; neither may leave the other less than a third.
    w.place = std::min(w.place, std::max(room - room / 3, room - std::min(room, w.what)));
    w.what = std::min(w.what, room - w.place);
    const std::size_t left = room - w.place - w.what;
    constexpr std::size_t least = 12;
    if (members != 0 && left >= std::min(members, least) + gap)
        w.members = std::min(members, left - gap);
    return w;
}

std::string table_of(const lint_result& r, std::size_t shown, const output_style& style) {
    const text_widths w = widths_of(r, shown, style);
    const bool has_members = w.members != 0;
    std::vector<table_column> columns{
        {"bytes", "", false, 0}, {"place", "", true, 0}, {"what", "", true, 0}, {"fix", "", true, 0}};
    if (has_members)
        columns.insert(columns.begin() + 3, {"members", "", true, 1});
    table t{columns};
    fill_kind kind = fill_kind::now;
    for (std::size_t i = 0; i != shown; ++i) {
        const lint_finding& f = r.findings[i];
        if (kind_of(f.fill) != kind)
            t.add_heading(heading_of(kind = kind_of(f.fill)));
        std::vector<std::string> cells{fill_text(f.fill), cut_front(place_text(f.file, f.place), w.place),
                                       cut_text(one_line(f.fill.what), w.what), fix_text(f)};
        if (has_members)
            cells.insert(cells.begin() + 3, cut_text(members_text(f), w.members));
        t.add_row(std::move(cells));
    }
    return t.render(style);
}

std::string failures_of(const lint_result& r, const output_style& style) {
    if (r.failed.empty())
        return {};
    constexpr std::size_t most = 10;
    std::string out = "\ncould not be checked wholly:\n";
    for (std::size_t i = 0; i != std::min(most, r.failed.size()); ++i)
        out += "  " +
               wrap(fmt::format("{}: {}", place_text(r.failed[i].file, {}), one_line(r.failed[i].reason)),
                    style.width - 2, 6) +
               '\n';
    if (r.failed.size() > most)
        out += fmt::format("  and {} more, all in --json\n", r.failed.size() - most);
    return out;
}

} // namespace

std::string lint_table(const lint_result& r, std::size_t top, const output_style& style) {
    std::string out = bold(style, wrap(lint_headline(r) + '.', style.width)) + '\n';
    out += wrap(lint_scope(r) + '.', style.width) + '\n';
    const std::size_t shown = top == 0 ? r.findings.size() : std::min(top, r.findings.size());
    if (shown != 0)
        out += '\n' + table_of(r, shown, style);
    out += failures_of(r, style);
    const std::vector<std::string> remarks = lint_remarks(r, top);
    if (!remarks.empty())
        out += '\n';
    for (const std::string& line : remarks)
        out += "  " + wrap(line, style.width - 2, 4) + '\n';
    return out;
}

} // namespace linn::tool
