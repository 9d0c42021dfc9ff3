// SPDX-License-Identifier: Apache-2.0
#include "html_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace linn::tool::html {

html_table::html_table(std::string caption, std::vector<html_column> columns)
    : caption_{std::move(caption)},
      columns_{std::move(columns)} {}

void html_table::add_group(const markup& heading) {
    groups_.push_back({heading, {}, {}});
}

void html_table::add_row(std::vector<html_cell> cells, emphasis style) {
    if (groups_.empty()) {
        add_group({});
    }
    groups_.back().rows += row_of(cells, class_of(style));
    ++rows_;
}

void html_table::add_detail(const markup& detail) {
    groups_.back().rows += element("tr", {{"class", "more"}},
                                   element("td", {{"colspan", std::to_string(columns_.size())}}, detail));
}

void html_table::add_footnote_row(std::vector<html_cell> cells) {
    if (groups_.empty()) {
        add_group({});
    }
    groups_.back().last += row_of(cells, "last");
    ++rows_;
}

markup html_table::row_of(const std::vector<html_cell>& cells, const std::string& style) const {
    markup content;
    for (std::size_t i = 0; i != cells.size(); ++i) {
        const html_cell& c = cells[i];
        if (i == 0) {
            content += element("th", {{"scope", "row"}}, c.shows);
        } else if (columns_[i].is_text) {
            content += element("td", {{"class", "words"}}, c.shows);
        } else if (c.number && std::isfinite(*c.number)) {
            content += element("td", {{"data-v", fmt::format("{:.6g}", *c.number)}}, c.shows);
        } else {
            content += element("td", c.shows);
        }
    }
    return style.empty() ? element("tr", content) : element("tr", {{"class", style}}, content);
}

markup html_table::head() const {
    markup above;
    bool has_groups = false;
    for (std::size_t i = 0; i != columns_.size();) {
        std::size_t end = i + 1;
        while (end != columns_.size() && columns_[end].group == columns_[i].group) {
            ++end;
        }
        const std::string span = std::to_string(end - i);
        if (columns_[i].group.empty()) {
            above += element("td", {{"colspan", span}}, {});
        } else {
            above += element("th", {{"colspan", span}, {"scope", "colgroup"}}, text(columns_[i].group));
        }
        has_groups = has_groups || !columns_[i].group.empty();
        i = end;
    }
    markup headings;
    for (std::size_t i = 0; i != columns_.size(); ++i) {
        const html_column& c = columns_[i];
        const bool starts_group = !c.group.empty() && c.group != columns_[i - (i == 0 ? 0 : 1)].group;
        const std::string style =
            fmt::format("{}{}", c.is_text ? "words" : "", starts_group ? " starts" : "");
        if (sorted_by_ == i) {
            headings += element("th", {{"scope", "col"}, {"class", style}, {"aria-sort", "ascending"}},
                                text(c.heading));
        } else {
            headings += element("th", {{"scope", "col"}, {"class", style}}, text(c.heading));
        }
    }
    markup rows;
    if (has_groups) {
        rows += element("tr", {{"class", "groups"}}, above);
    }
    return element("thead", rows + element("tr", {{"class", "columns"}}, headings));
}

markup html_table::draw() const {
    markup content = element("caption", text(caption_)) + head();
    for (const group& g : groups_) {
        markup rows;
        if (!g.heading.empty()) {
            rows +=
                element("tr", {{"class", "group"}},
                        element("th", {{"colspan", std::to_string(columns_.size())}, {"scope", "rowgroup"}},
                                element("span", g.heading)));
        }
        content += element("tbody", rows + g.rows + g.last);
    }
    return element("div",
                   {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption_}},
                   element("table", content));
}

} // namespace linn::tool::html
