// SPDX-License-Identifier: Apache-2.0
#include "document.hpp"

namespace linn::tool::report {

list sentences(const std::vector<std::string>& lines, std::string heading) {
    list all{{}, std::move(heading)};
    for (const std::string& line : lines)
        all.notes.push_back({line});
    return all;
}

} // namespace linn::tool::report
