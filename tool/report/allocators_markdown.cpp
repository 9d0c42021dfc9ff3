// SPDX-License-Identifier: Apache-2.0
#include "allocators_markdown.hpp"

#include "markdown.hpp"

namespace linn::tool {

std::string allocators_markdown(const std::vector<allocator_entry>& entries) {
    std::vector<std::vector<std::string>> rows;
    for (const allocator_entry& e : entries) {
        const bool is_missing = e.state == library_state::missing && !e.how_to_get.empty();
        rows.push_back({markdown_text(e.title), markdown_text(e.version), to_string(e.state),
                        markdown_text(e.licence), markdown_text(e.library.string()),
                        markdown_text(is_missing ? e.how_to_get : e.proven_by), markdown_text(e.remark)});
    }
    return markdown_table({{"allocator", true},
                           {"version", true},
                           {"state", true},
                           {"licence", true},
                           {"library", true},
                           {"proven by, or how to get it", true},
                           {"remark", true}},
                          rows);
}

} // namespace linn::tool
