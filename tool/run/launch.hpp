// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "observation.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace linn::tool {

/// One run of the user's program.
struct launch_spec {
    std::filesystem::path program;        ///< the file to execute
    std::vector<std::string> arguments;   ///< from argv[0] on
    std::vector<std::string> environment; ///< all of it, without LD_PRELOAD
    std::filesystem::path directory;      ///< empty: the tool's own
    std::filesystem::path library;        ///< the allocator to preload; empty: none
    std::filesystem::path
        behind;          ///< one to preload behind `library`, which passes calls on to it; empty: none
    std::string runtime; ///< a C++ runtime to preload before it, as the loader finds it; empty: none
    std::filesystem::path litter; ///< a file of probe::litter_size: the heap it starts on; empty: a fresh one
    std::uint32_t litter_seed = 0; ///< the same litter for the same seed
    std::filesystem::path input;   ///< standard input, from its start; empty: /dev/null
    std::uint64_t most_output_bytes = std::uint64_t{1} << 30; ///< more kills the program
    std::chrono::milliseconds timeout{120'000};
    std::string cpus;  ///< a list as in taskset ("0", "0-1", "0,2"); empty: not pinned
    std::string ready; ///< shell command, repeated until it succeeds; only with `client`
    std::string
        client; ///< shell command that drives the program, without the preload; the program is a server
};

/// Runs the program once, in a session of its own, with the probe, which reports for every process which files provide its
/// memory. A small helper process adopts and ends what the program leaves behind. Never throws for what the program does. When
/// `guard` has a signal pending, everything that was started is ended. `tick` is called a few times a second.
observation launch(const launch_spec& spec, const interrupt_guard& guard, const std::function<void()>& tick);

/// Runs a shell command with this process's environment and waits; for `--prepare`. Its output goes to standard error.
/// Returns an empty string, or what went wrong.
std::string run_shell_command(const std::string& command, const interrupt_guard& guard,
                              const std::function<void()>& tick);

/// Adds NAME=value to an environment, or replaces the value of that name.
void set_variable(std::vector<std::string>& environment, const std::string& variable);

/// Says in words how a run ended: "killed by SIGSEGV (core dumped)", "exit status 3", "timed out after 120 s".
std::string describe_ending(const observation& o, const launch_spec& spec);

} // namespace linn::tool
