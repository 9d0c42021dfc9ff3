// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include "scenarios/all.hpp"

#include <array>
#include <vector>

namespace linn::tool {

std::span<const scenario> scenarios() noexcept {
    static const std::vector<scenario> all = [] {
        std::vector<scenario> list{headline_scenario(),   object_scenario(),    containers_scenario(),
                                   shared_ptr_scenario(), zero_fill_scenario(), sizes_scenario(),
                                   pipeline_scenario(),   buffers_scenario(),   pmr_scenario()};
        for (const std::span<const scenario> group : {threads_scenarios(), targets_scenarios()}) {
            list.insert(list.end(), group.begin(), group.end());
        }
        return list;
    }();
    return all;
}

std::span<const scenario_group> scenario_groups() noexcept {
    static constexpr std::array all{
        scenario_group{"threads",
                       "nine programs of allocation benchmarks with 1, 2, 4 ... threads; on request only"},
        scenario_group{"targets", "what Linn's own targets are measured by; on request only"}};
    return all;
}

const scenario* find_scenario(std::string_view name) noexcept {
    for (const scenario& s : scenarios()) {
        if (s.name == name) {
            return &s;
        }
    }
    return nullptr;
}

} // namespace linn::tool
