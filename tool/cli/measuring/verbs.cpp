// SPDX-License-Identifier: Apache-2.0
#include "../verbs.hpp"

#include "../allocators_command.hpp"
#include "../bench_command.hpp"

#include <array>

namespace linn::tool {

std::vector<std::unique_ptr<command>> add_verbs(CLI::App& program) {
    std::vector<std::unique_ptr<command>> verbs;
    verbs.push_back(std::make_unique<bench_command>(program));
    verbs.push_back(std::make_unique<allocators_command>(program));
    return verbs;
}

std::span<const std::string_view> left_out_verbs() noexcept {
    static constexpr std::array<std::string_view, 11> names{
        "compare", "run", "record", "trace", "check", "advise", "try", "pools", "lint", "completion", "man"};
    return names;
}

} // namespace linn::tool
