// SPDX-License-Identifier: Apache-2.0
#include "scenario.hpp"

namespace linn::tool {

std::span<const scenario> scenarios() noexcept {
    static const std::vector<scenario> all = [] {
        std::vector<scenario> list;
        for (const scenario_file& file : registered<scenario_file>::in_order()) {
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
        for (const scenario_file& file : registered<scenario_file>::in_order()) {
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
