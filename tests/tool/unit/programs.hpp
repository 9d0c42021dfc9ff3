// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/launch.hpp"
#include "scratch_folder.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

// The small programs of tests/tool/programs, which lie next to this test, and how they are run.
namespace linn::tool::testing {

inline std::filesystem::path built_file(std::string_view name) {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

inline std::filesystem::path victim() {
    return built_file("linn_tool_victim");
}

inline std::vector<std::string> own_environment() {
    std::vector<std::string> list;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        list.emplace_back(*entry);
    }
    return list;
}

inline launch_spec spec_of(const std::filesystem::path& program, std::vector<std::string> arguments) {
    launch_spec spec;
    spec.program = program;
    spec.arguments = std::move(arguments);
    spec.arguments.insert(spec.arguments.begin(), program.string());
    spec.environment = own_environment();
    spec.timeout = std::chrono::seconds{30};
    return spec;
}

inline observation run(const launch_spec& spec) {
    const interrupt_guard guard;
    return launch(spec, guard, [] {});
}

inline observation run_victim(std::vector<std::string> arguments) {
    return run(spec_of(victim(), std::move(arguments)));
}

inline observation run_shell(const std::string& script) {
    return run(spec_of("/bin/sh", {"-c", script}));
}

} // namespace linn::tool::testing
