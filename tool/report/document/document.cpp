// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
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
    for (std::size_t i = columns.size(); i-- > 1;) {
        const auto is_empty = [&](const row& r) {
            return r.is == row::kind::heading || r.cells[i].words(lettering::plain).empty();
        };
        if (std::ranges::all_of(shown.rows, is_empty)) {
            const auto place = static_cast<std::ptrdiff_t>(i);
            shown.columns.erase(shown.columns.begin() + place);
            for (row& r : shown.rows) {
                if (r.is != row::kind::heading) {
                    r.cells.erase(r.cells.begin() + place);
                }
            }
        }
    }
    if (all_rows > shown.rows.size()) {
        shown.remarks.insert(
            shown.remarks.begin(),
            fmt::format("and {} more {}; --top shows more, --json all", all_rows - shown.rows.size(), rest));
    }
    return shown;
}

std::string date_text(const std::string& iso) {
    return iso.size() < 16 ? iso : fmt::format("{} {} UTC", iso.substr(0, 10), iso.substr(11, 5));
}

std::string joined(std::vector<std::string> parts, std::string_view separator) {
    std::erase(parts, "");
    return fmt::format("{}", fmt::join(parts, separator));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

} // namespace linn::tool::report
