// SPDX-License-Identifier: Apache-2.0
#include "allocators_csv.hpp"

#include "csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linn::tool {

std::string allocators_csv(const std::vector<allocator_entry>& entries) {
    std::string text = csv_line({"name", "title", "version", "state", "licence", "library", "origin",
                                 "proven_by", "remark", "environment", "how_to_get"});
    for (const allocator_entry& e : entries)
        text +=
            csv_line({e.name, e.title, e.version, to_string(e.state), e.licence, e.library.string(), e.origin,
                      e.proven_by, e.remark, fmt::format("{}", fmt::join(e.environment, " ")), e.how_to_get});
    return text;
}

} // namespace linn::tool
