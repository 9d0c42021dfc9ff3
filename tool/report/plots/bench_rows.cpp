// SPDX-License-Identifier: Apache-2.0
#include "bench_rows.hpp"

#include <algorithm>

namespace linn::tool::html {

std::vector<row_group> group_rows(const scenario_result& s) {
    std::vector<row_group> groups;
    for (std::size_t v = 0; v != s.what->variants.size(); ++v) {
        if (s.what->variants[v].contender.empty()) {
            groups.push_back(
                {std::string{s.what->variants[v].title}, std::string{s.what->variants[v].note}, {}, v});
        }
    }
    groups.push_back({"with a pool of their own", {}, {}, {}});
    for (const row* r : s.sorted_rows()) {
        if (r->samples.empty()) {
            continue;
        }
        const auto group = std::find_if(groups.begin(), groups.end() - 1,
                                        [&](const row_group& g) { return g.variant == r->variant; });
        group->rows.push_back(r);
    }
    std::erase_if(groups, [](const row_group& g) { return g.rows.empty(); });
    return groups;
}

std::string label_of(const bench_result& result, const scenario_result& s, const row_group& g, const row& r) {
    return g.variant ? result.contenders[r.contender].title : std::string{s.variant_of(r).title};
}

emphasis style_of(const bench_result& result, const row& r) {
    const std::string& name = result.contenders[r.contender].name;
    return name == linn_name ? emphasis::ours : name == control_name ? emphasis::muted : emphasis::none;
}

} // namespace linn::tool::html
