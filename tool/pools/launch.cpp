// SPDX-License-Identifier: Apache-2.0
#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace linn::tool {

std::vector<std::string> pool_variables(const pool_settings& settings) {
    std::vector<std::string> variables;
    const auto add = [&variables](std::string_view name, const std::string& value) {
        variables.push_back(fmt::format("{}={}", name, value));
    };
    add("LINN_PLAN", settings.plan.string());
    add("LINN_POOLS", settings.mode);
    add("LINN_POOLS_STATS", settings.statistics.string());
    add("LINN_POOLS_SIGNAL", settings.signal);
    add("LINN_POOLS_COUNT", settings.counts_hits ? "1" : "0");
    return variables;
}

std::filesystem::path pool_library(bool is_checked) {
    return companion(is_checked ? "liblinn-try-checked.so" : "liblinn-try.so");
}

served_program find_served_program(const std::string& name, bool is_checked) {
    served_program found{reach_program(name, preload_kind::pools), {}};
    if (found.problem.empty()) {
        found.library = preload_companion(pool_library(is_checked).filename().string(), found.problem);
    }
    return found;
}

std::filesystem::path keep_compiled(const std::filesystem::path& plan_file, const pool_plan& plan) {
    const std::string bytes = compiled_plan(plan);
    std::vector<std::filesystem::path> places{std::filesystem::absolute(plan_file).string() + ".compiled"};
    if (const char* const folder = std::getenv("XDG_RUNTIME_DIR"); folder != nullptr && *folder != '\0') {
        places.push_back(std::filesystem::path{folder} /
                         fmt::format("linn-{:016x}.compiled", std::hash<std::string>{}(bytes)));
    }
    std::string problem;
    for (const std::filesystem::path& place : places) {
        if (read_file(place) == bytes) {
            return place;
        }
        const std::string unwritten = write_atomically(place.string(), bytes);
        if (unwritten.empty()) {
            return place;
        }
        if (problem.empty()) {
            problem = unwritten;
        }
    }
    throw unusable_input{problem + "; write the compiled plan elsewhere with --compile FILE, and give that"};
}

std::string become_served(const served_program& program, const std::vector<std::string>& words,
                          const pool_settings& settings) {
    for (const std::string& variable : pool_variables(settings)) {
        const std::size_t name = variable.find('=');
        ::setenv(variable.substr(0, name).c_str(), variable.c_str() + name + 1, 1);
    }
    ::setenv("LD_PRELOAD", preloaded_first(program.library.string()).c_str(), 1);
    std::fflush(nullptr);
    ::execv(program.file.c_str(), pointers(words).data());
    return fmt::format("{}: {}", program.file.string(), std::strerror(errno));
}

} // namespace linn::tool
