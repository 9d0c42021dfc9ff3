// SPDX-License-Identifier: Apache-2.0
#include "launch.hpp"

#include "../measure/companion.hpp"
#include "../program/reach.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linn::tool {

served_program find_served_program(const std::string& name, bool is_checked) {
    reached_program reached = reach_program(name, preload_kind::pools);
    served_program found{reached.file, {}, std::move(reached.problem), reached.is_usage_error};
    if (!found.problem.empty()) {
        return found;
    }
    if (reached.info.what == executable_info::kind::script) {
        if (const std::string problem = why_not_preloadable(
                reached.info.interpreter, inspect_executable(reached.info.interpreter), preload_kind::pools);
            !problem.empty()) {
            found.problem = fmt::format("{} is a script, and {}", found.file.string(), problem);
            return found;
        }
    }
    found.library = preload_companion(pool_library(is_checked).filename().string(), found.problem);
    return found;
}

std::string become_served(const served_program& program, const std::vector<std::string>& words,
                          const pool_settings& settings) {
    for (const std::string& variable : pool_variables(settings)) {
        const std::size_t name = variable.find('=');
        ::setenv(variable.substr(0, name).c_str(), variable.c_str() + name + 1, 1);
    }
    const char* const before = std::getenv("LD_PRELOAD");
    const bool has_others = before != nullptr && *before != '\0';
    const std::string library = program.library.string();
    ::setenv("LD_PRELOAD", (has_others ? fmt::format("{}:{}", library, before) : library).c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : words) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    std::fflush(nullptr);
    ::execv(program.file.c_str(), arguments.data());
    return fmt::format("{}: {}", program.file.string(), std::strerror(errno));
}

} // namespace linn::tool
