// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include "scenarios/all.hpp"

#include <array>

namespace linn::tool {

std::span<const scenario> scenarios() noexcept {
    static const std::array all{object_scenario(),    containers_scenario(), shared_ptr_scenario(),
                                zero_fill_scenario(), sizes_scenario(),      pipeline_scenario(),
                                buffers_scenario(),   pmr_scenario()};
    return all;
}

const scenario* find_scenario(std::string_view name) noexcept {
    for (const scenario& s : scenarios())
        if (s.name == name)
            return &s;
    return nullptr;
}

const published_row* find_published(const scenario& s, std::string_view contender,
                                    std::string_view variant) noexcept {
    for (const published_row& row : s.published)
        if (!contender.empty() && row.contender == contender && row.variant == variant)
            return &row;
    return nullptr;
}

} // namespace linn::tool
