// SPDX-License-Identifier: Apache-2.0
#include "text_table.hpp"

#include "../../symbols/short_name.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

constexpr std::size_t all_of_it = static_cast<std::size_t>(-1);

std::string padded(const std::string& text, std::size_t width, bool stands_left) {
    const std::size_t letters = letters_of(text);
    const std::string fill(width > letters ? width - letters : 0, ' ');
    return stands_left ? text + fill : fill + text;
}

std::string without_trailing_spaces(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

std::size_t widest(const std::vector<std::string>& cells, const std::string& heading) {
    std::size_t width = letters_of(heading);
    for (const std::string& cell : cells) {
        width = std::max(width, letters_of(cell));
    }
    return width;
}

std::vector<std::string> shortened_cells(const std::vector<std::string>& cells, std::size_t width, cut how) {
    if (how == cut::type) {
        return short_types(cells, width);
    }
    std::vector<std::string> list;
    for (const std::string& cell : cells) {
        list.push_back(cut_text(cell, width, how));
    }
    return list;
}

} // namespace

std::string printable(std::string text) {
    std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    return text;
}

std::size_t letters_of(std::string_view text) noexcept {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut_text(const std::string& text, std::size_t width, cut where) {
    const std::size_t letters = letters_of(text);
    if (letters <= width || where == cut::never) {
        return text;
    }
    const std::size_t kept = width - std::min<std::size_t>(width, 3);
    const std::size_t first = where == cut::front ? letters - kept : kept; // letter at which it is cut
    std::size_t letter = 0;
    std::size_t at = 0;
    for (; at != text.size(); ++at) {
        if ((static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U && letter++ == first) {
            break;
        }
    }
    return where == cut::front ? "..." + text.substr(at) : text.substr(0, at) + "...";
}

text_table::text_table(const table& t, const output_style& style) : table_{&t}, style_{style} {
    read_columns();
    give_up_columns();
    share_room();
}

void text_table::read_columns() {
    for (std::size_t i = 0; i != table_->columns.size(); ++i) {
        const column& c = table_->columns[i];
        if (!includes(c.shown_in, forms::terminal)) {
            continue;
        }
        laid_out& mine = columns_.emplace_back(laid_out{i, 0, {}});
        std::string indent; // of the names below a heading
        for (const row& r : table_->rows) {
            if (r.is == row::kind::heading) {
                indent = columns_.size() == 1 ? "  " : "";
                continue;
            }
            const cell& here = r.cells[i];
            mine.cells.push_back(indent + printable(here.words(lettering::plain)) +
                                 (here.mark == 0 ? std::string{} : fmt::format(" [{}]", here.mark)));
        }
        mine.width = widest(mine.cells, c.heading);
    }
}

std::size_t text_table::least_of(const laid_out& c) const {
    const column& is = table_->columns[c.column];
    return is.shorten == cut::never ? c.width : std::min(c.width, std::max(is.least, letters_of(is.heading)));
}

std::size_t text_table::gap_before(std::size_t position) const {
    if (position == 0) {
        return 0;
    }
    // Columns of one group stand closer together than groups do.
    const column& here = table_->columns[columns_[position].column];
    return !here.group.empty() && here.group == table_->columns[columns_[position - 1].column].group ? 1 : 2;
}

std::size_t text_table::width(bool at_least) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i != columns_.size(); ++i) {
        total += gap_before(i) + (at_least ? least_of(columns_[i]) : columns_[i].width);
    }
    return total;
}

void text_table::give_up_columns() {
    while (!style_.keeps_columns && width(true) > style_.width) {
        unsigned highest = 0;
        for (const laid_out& c : columns_) {
            highest = std::max(highest, table_->columns[c.column].droppable);
        }
        if (highest == 0) {
            break;
        }
        const auto goes = [&](const laid_out& c) { return table_->columns[c.column].droppable == highest; };
        for (const laid_out& c : columns_) {
            if (goes(c)) {
                dropped_.push_back(c.column);
            }
        }
        std::erase_if(columns_, goes);
    }
    std::ranges::sort(dropped_);
}

void text_table::share_room() {
    const std::size_t taken = width(true);
    std::size_t room = style_.keeps_columns ? all_of_it : taken < style_.width ? style_.width - taken : 0;
    std::vector<std::size_t> wanted;
    for (laid_out& c : columns_) {
        const column& is = table_->columns[c.column];
        wanted.push_back(is.shorten == cut::never ? c.width : std::min(c.width, is.most));
        c.width = least_of(c);
    }
    for (bool grows = true; grows && room != 0;) {
        grows = false;
        for (std::size_t i = 0; i != columns_.size() && room != 0; ++i) {
            if (columns_[i].width < wanted[i]) {
                ++columns_[i].width;
                --room;
                grows = true;
            }
        }
    }
    for (laid_out& c : columns_) {
        if (const column& is = table_->columns[c.column]; is.shorten != cut::never) {
            c.cells = shortened_cells(c.cells, c.width, is.shorten);
            c.width = widest(c.cells, is.heading);
        }
    }
}

std::vector<std::string> text_table::hidden() const {
    std::vector<std::string> headings;
    for (const std::size_t i : dropped_) {
        const column& c = table_->columns[i];
        if (!c.goes_below && std::ranges::find(headings, c.heading) == headings.end()) {
            headings.push_back(c.heading);
        }
    }
    return headings;
}

std::string text_table::group_line() const {
    std::string text;
    for (std::size_t i = 0; i != columns_.size();) {
        const std::string& group = table_->columns[columns_[i].column].group;
        text += std::string(gap_before(i), ' ');
        std::size_t span = columns_[i].width;
        std::size_t next = i + 1;
        while (next != columns_.size() && !group.empty() &&
               table_->columns[columns_[next].column].group == group) {
            span += gap_before(next) + columns_[next].width;
            ++next;
        }
        text += padded(group, span, false);
        i = next;
    }
    return without_trailing_spaces(text);
}

std::string text_table::line(const std::function<const std::string&(const laid_out&)>& cell_of) const {
    std::string text;
    for (std::size_t i = 0; i != columns_.size(); ++i) {
        text += std::string(gap_before(i), ' ') +
                padded(cell_of(columns_[i]), columns_[i].width, table_->columns[columns_[i].column].is_text);
    }
    return without_trailing_spaces(text);
}

std::string text_table::below(const row& r) const {
    std::string out;
    for (const std::size_t i : dropped_) {
        if (const column& c = table_->columns[i]; c.goes_below) {
            if (const std::string words = r.cells[i].words(lettering::plain); !words.empty()) {
                out += "    " + wrap(fmt::format("{}: {}", c.heading, words), style_.width - 4, 6) + '\n';
            }
        }
    }
    return out;
}

std::string text_table::lines(const std::function<std::string(const row&)>& detail) const {
    const std::size_t most = style_.keeps_columns ? all_of_it : style_.width;
    std::string out;
    if (const std::string groups = group_line(); !groups.empty()) {
        out += bold(style_, groups) + '\n';
    }
    out += bold(style_, line([&](const laid_out& c) -> const std::string& {
                    return table_->columns[c.column].heading;
                })) +
           '\n' + std::string(std::min(width(false), most), '-') + '\n';
    std::size_t number = 0; // of the row among those that have cells
    for (const row& r : table_->rows) {
        if (r.is == row::kind::heading) {
            out += cut_text(printable(r.cells.front().words(lettering::plain)), most, cut::end) + '\n';
            continue;
        }
        const std::string text =
            line([&](const laid_out& c) -> const std::string& { return c.cells[number]; });
        const bool is_bold = r.style != emphasis::none && r.style != emphasis::muted;
        out += (is_bold ? bold(style_, text) : text) + '\n' + detail(r) + below(r);
        ++number;
    }
    return out;
}

} // namespace linn::tool::report
