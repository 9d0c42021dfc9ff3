// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../program/executable.hpp"
#include "launch.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// The program to measure, once it is known that a preloaded allocator would reach it.
struct target {
    launch_spec spec;                 ///< program, arguments, environment and directory are filled in
    std::vector<std::string> command; ///< what the user wrote
    std::vector<std::string>
        wrappers; ///< what came before the program by exec: a script, env, taskset, a version manager
    std::vector<std::string> also_ran; ///< other executables that the program started
    std::string own_provider;          ///< the file that provides malloc with nothing preloaded
    std::vector<std::string>
        remarks;                 ///< such as: python3 has an allocator of its own, set PYTHONMALLOC=malloc
    observation first;           ///< the discovery run, which also warmed the caches
    std::string problem;         ///< why it cannot be measured; empty when it can
    bool is_usage_error = false; ///< of `problem`: exit status 2 rather than 1
};

/// Finds the program on PATH, refuses what a preload cannot reach (static, setuid, another architecture, an allocator
/// compiled into the executable), runs it once and follows exec to the program proper, which is then measured directly
/// unless `keep_wrappers`. Everything of `options` but program, arguments, environment and directory is used as given.
target find_target(const std::vector<std::string>& command, const launch_spec& options, bool keep_wrappers,
                   bool ignore_exit_status, const interrupt_guard& guard, const std::function<void()>& tick);

/// `options`, for a run of the program that was found.
launch_spec spec_for(const launch_spec& options, const target& what);

/// What a reader must know of a program whose memory does not all come from malloc. `last` is what the program said
/// when it ran with nothing preloaded, `info` what its file says.
std::vector<std::string> remarks_on(const process_proof& last, const executable_info& info);

/// The value of a variable in a list of NAME=value; empty when it is not there.
std::string variable_of(const std::vector<std::string>& environment, const std::string& name);

} // namespace linn::tool
