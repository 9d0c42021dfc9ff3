// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linn::tool::report {

row& table::add(std::vector<cell> cells, emphasis style) {
    return rows.emplace_back(row{std::move(cells), style});
}

void table::add_heading(std::string words) {
    rows.push_back({{cell{std::move(words)}}, emphasis::none, row::kind::heading});
}

void table::cut(std::size_t in_text, std::size_t all, std::string what) {
    rows_of_text = in_text;
    all_rows = all;
    rest = std::move(what);
}

table table::part(bool of_text) const {
    table shown = *this;
    if (of_text && rows.size() > rows_of_text) {
        shown.rows.erase(shown.rows.begin() + static_cast<std::ptrdiff_t>(rows_of_text), shown.rows.end());
    }
    if (all_rows > shown.rows.size()) {
        shown.remarks.insert(
            shown.remarks.begin(),
            fmt::format("and {} more {}; --top shows more, --json all", all_rows - shown.rows.size(), rest));
    }
    return shown;
}

std::vector<std::string> lines_of(const std::string& lead) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < lead.size();) {
        const std::size_t end = std::min(lead.find('\n', at), lead.size());
        lines.push_back(lead.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

list sentences(const std::vector<std::string>& lines, std::string heading) {
    list all{{}, std::move(heading)};
    for (const std::string& line : lines) {
        all.notes.push_back({line});
    }
    return all;
}

} // namespace linn::tool::report
