// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

#include <algorithm>

namespace linn::tool::report {

row& table::add(std::vector<cell> cells, emphasis style) {
    return rows.emplace_back(row{std::move(cells), style});
}

void table::add_heading(std::string words) {
    rows.push_back({{cell{std::move(words)}}, emphasis::none, row::kind::heading});
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
