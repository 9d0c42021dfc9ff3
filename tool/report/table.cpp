// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <algorithm>

namespace linn::tool {
namespace {

std::string padded(const std::string& text, std::size_t width, bool left) {
    const std::string fill(width > text.size() ? width - text.size() : 0, ' ');
    return left ? text + fill : fill + text;
}

std::string without_trailing_spaces(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

} // namespace

std::string cut_text(const std::string& text, std::size_t width) {
    if (text.size() <= width)
        return text;
    std::size_t end = width > 3 ? width - 3 : 0;
    while (end != 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
        --end;
    return text.substr(0, end) + "...";
}

table::table(std::vector<table_column> columns) : columns_{std::move(columns)} {
    for (const table_column& c : columns_)
        widths_.push_back(c.heading.size());
}

void table::add_row(std::vector<std::string> cells, bool emphasised) {
    for (std::size_t i = 0; i != cells.size(); ++i)
        widths_[i] = std::max(widths_[i], cells[i].size());
    lines_.push_back({std::move(cells), emphasised});
}

void table::add_heading(std::string text) {
    lines_.push_back({{std::move(text)}, false});
}

std::size_t table::gap_before(const std::vector<std::size_t>& columns, std::size_t position) const {
    if (position == 0)
        return 0;
    // Columns of one group stand closer together than groups do.
    const table_column& here = columns_[columns[position]];
    return !here.group.empty() && here.group == columns_[columns[position - 1]].group ? 1 : 2;
}

std::size_t table::total_width(const std::vector<std::size_t>& columns) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i != columns.size(); ++i)
        total += gap_before(columns, i) + widths_[columns[i]];
    return total;
}

std::vector<std::size_t> table::visible(const output_style& style) const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i != columns_.size(); ++i)
        columns.push_back(i);
    while (!style.keeps_columns && total_width(columns) > style.width) {
        unsigned highest = 0;
        for (const std::size_t c : columns)
            highest = std::max(highest, columns_[c].droppable);
        if (highest == 0)
            break;
        std::erase_if(columns, [&](std::size_t c) { return columns_[c].droppable == highest; });
    }
    return columns;
}

std::vector<std::string> table::dropped(const output_style& style) const {
    const std::vector<std::size_t> kept = visible(style);
    std::vector<std::string> headings;
    for (std::size_t i = 0; i != columns_.size(); ++i)
        if (std::find(kept.begin(), kept.end(), i) == kept.end() &&
            std::find(headings.begin(), headings.end(), columns_[i].heading) == headings.end())
            headings.push_back(columns_[i].heading);
    return headings;
}

std::string table::group_line(const std::vector<std::size_t>& columns) const {
    std::string text;
    for (std::size_t i = 0; i != columns.size();) {
        const std::string& group = columns_[columns[i]].group;
        text += std::string(gap_before(columns, i), ' ');
        std::size_t span = widths_[columns[i]];
        std::size_t next = i + 1;
        while (next != columns.size() && !group.empty() && columns_[columns[next]].group == group) {
            span += gap_before(columns, next) + widths_[columns[next]];
            ++next;
        }
        text += padded(group, span, false);
        i = next;
    }
    return without_trailing_spaces(text);
}

std::string table::render(const output_style& style) const {
    const std::vector<std::size_t> columns = visible(style);
    const std::size_t width = style.keeps_columns ? std::string::npos : style.width;
    std::string out;
    if (const std::string groups = group_line(columns); !groups.empty())
        out += bold(style, groups) + '\n';

    const auto add = [&](const auto& cell_of, bool emphasised) {
        std::string text;
        for (std::size_t i = 0; i != columns.size(); ++i)
            text += std::string(gap_before(columns, i), ' ') +
                    padded(cell_of(columns[i]), widths_[columns[i]], columns_[columns[i]].is_text);
        text = without_trailing_spaces(std::move(text));
        out += (emphasised ? bold(style, text) : text) + '\n';
    };
    add([&](std::size_t c) { return columns_[c].heading; }, true);
    out += std::string(std::min(total_width(columns), width), '-') + '\n';
    for (const line& l : lines_)
        if (is_heading(l))
            out += l.cells.front().substr(0, width) + '\n';
        else
            add([&](std::size_t c) { return l.cells[c]; }, l.emphasised);
    return out;
}

} // namespace linn::tool
