// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <fmt/format.h>

namespace linn::tool {

namespace {

// In the order of the help text; those of a group come last.
constexpr scenario (*alone[])(){
    &headline_scenario,  &object_scenario, &containers_scenario, &reuse_scenario,   &shared_ptr_scenario,
    &zero_fill_scenario, &sizes_scenario,  &pipeline_scenario,   &buffers_scenario, &pmr_scenario,
};

constexpr scenario_group groups[]{
    {"threads", "nine programs of allocation benchmarks with 1, 2, 4 ... threads; on request only",
     &threads_scenarios},
    {"targets", "what Linn's own targets are measured by; on request only", &targets_scenarios},
};

} // namespace

std::span<const scenario> scenarios() noexcept {
    static const std::vector<scenario> all = [] {
        std::vector<scenario> list;
        for (const auto make : alone) {
            list.push_back(make());
        }
        for (const scenario_group& group : groups) {
            for (const scenario& s : group.scenarios()) {
                list.push_back(s);
                list.back().group = group.name;
            }
        }
        return list;
    }();
    return all;
}

std::span<const scenario_group> scenario_groups() noexcept {
    return groups;
}

scenario on_grid(scenario s, const std::vector<phase_part>& groups, const std::vector<phase_part>& steps,
                 double factor) {
    const auto both = [](std::string_view first, std::string_view second, std::string_view between) {
        return fmt::format("{}{}{}", first, first.empty() || second.empty() ? "" : between, second);
    };
    for (const phase_part& group : groups) {
        for (const phase_part& step : steps) {
            s.columns.push_back({.group = std::string{group.title},
                                 .title = step.title,
                                 .phase = s.phases.size(),
                                 .factor = factor,
                                 .droppable = group.droppable + step.droppable});
            s.phases.push_back({both(group.name, step.name, "_"), both(step.title, group.title, ", ")});
        }
    }
    return s;
}

} // namespace linn::tool
