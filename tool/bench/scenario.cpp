// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

#include <vector>

namespace linn::tool {
namespace {

struct scenario_file {
    std::vector<scenario> (*scenarios)();
    scenario_group group = {}; ///< of all of them
};

// In the order of the help text.
constexpr scenario_file files[]{
    {&headline_scenarios},
    {&object_scenarios},
    {&containers_scenarios},
    {&reuse_scenarios},
    {&shared_ptr_scenarios},
    {&zero_fill_scenarios},
    {&sizes_scenarios},
    {&pipeline_scenarios},
    {&buffers_scenarios},
    {&pmr_scenarios},
    {&threads_scenarios,
     {"threads", "nine programs of allocation benchmarks with 1, 2, 4 ... threads; on request only"}},
    {&targets_scenarios, {"targets", "what Linn's own targets are measured by; on request only"}},
};

} // namespace

std::span<const scenario> scenarios() noexcept {
    static const std::vector<scenario> all = [] {
        std::vector<scenario> list;
        for (const scenario_file& file : files) {
            const std::vector<scenario> some = file.scenarios();
            list.insert(list.end(), some.begin(), some.end());
        }
        return list;
    }();
    return all;
}

std::span<const scenario_group> scenario_groups() noexcept {
    static const std::vector<scenario_group> all = [] {
        std::vector<scenario_group> list;
        for (const scenario_file& file : files) {
            if (!file.group.name.empty()) {
                list.push_back(file.group);
            }
        }
        return list;
    }();
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
