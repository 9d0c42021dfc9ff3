// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

namespace linn::tool::report {

row& table::add(std::vector<cell> cells, emphasis style) {
    return rows.emplace_back(row{std::move(cells), style});
}

void table::add_heading(std::string words) {
    rows.push_back({{cell{std::move(words)}}, emphasis::none, row::kind::heading});
}

list sentences(const std::vector<std::string>& lines, std::string heading) {
    list all{{}, std::move(heading)};
    for (const std::string& line : lines)
        all.notes.push_back({line});
    return all;
}

} // namespace linn::tool::report
