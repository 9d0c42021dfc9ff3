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

std::string size_title(std::size_t bytes) {
    return bytes % 1'024 == 0 ? fmt::format("{} KiB", bytes / 1'024) : fmt::format("{} B", bytes);
}

std::string short_size(std::size_t bytes) {
    return bytes % 1'024 == 0 ? fmt::format("{}K", bytes / 1'024) : fmt::format("{}", bytes);
}

} // namespace linn::tool
