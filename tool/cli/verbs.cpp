// SPDX-License-Identifier: Apache-2.0
#include "verbs.hpp"

#include "advise_command.hpp"
#include "allocators_command.hpp"
#include "bench_command.hpp"
#include "check_command.hpp"
#include "compare_command.hpp"
#include "lint_command.hpp"
#include "pools_command.hpp"
#include "record_command.hpp"
#include "run_command.hpp"
#include "trace_command.hpp"
#include "try_command.hpp"
#include "words_commands.hpp"

namespace linn::tool {

std::vector<std::unique_ptr<command>> add_verbs(CLI::App& program) {
    std::vector<std::unique_ptr<command>> verbs;
    verbs.push_back(std::make_unique<bench_command>(program));
    verbs.push_back(std::make_unique<compare_command>(program));
    verbs.push_back(std::make_unique<run_command>(program));
    verbs.push_back(std::make_unique<record_command>(program));
    verbs.push_back(std::make_unique<trace_command>(program));
    verbs.push_back(std::make_unique<check_command>(program));
    verbs.push_back(std::make_unique<advise_command>(program));
    verbs.push_back(std::make_unique<try_command>(program));
    verbs.push_back(std::make_unique<pools_command>(program));
    verbs.push_back(std::make_unique<lint_command>(program));
    verbs.push_back(std::make_unique<allocators_command>(program));
    verbs.push_back(std::make_unique<completion_command>(program));
    verbs.push_back(std::make_unique<man_command>(program));
    return verbs;
}

std::span<const std::string_view> left_out_verbs() noexcept {
    return {};
}

} // namespace linn::tool
