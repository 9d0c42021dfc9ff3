// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "probe/record.hpp"
#include "run_folder.hpp"

#include <sys/types.h>

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
    bool keep_output = true; ///< false: standard output goes to /dev/null; standard error is kept always
    std::uint64_t most_output_bytes = std::uint64_t{1} << 30; ///< more kills the program
    std::chrono::milliseconds timeout{120'000};
    std::string cpus;  ///< a list as in taskset ("0", "0-1", "0,2"); empty: not pinned
    std::string ready; ///< shell command, repeated until it succeeds; only with `client`
    std::string
        client; ///< shell command that drives the program, without the preload; the program is a server
    bool count = true; ///< try hardware counters
    bool prove = true; ///< load the probe, which reports who provides memory in every process
};

/// What one process of the run said about itself: one entry for every exec that the dynamic loader served.
struct process_proof {
    pid_t pid = 0;
    bool is_main = false; ///< the process that was started, or what it became by exec
    std::filesystem::path executable;
    std::string name; ///< the kernel's name of it as exec left it, cut at 15 characters
    std::vector<std::string> arguments;
    std::filesystem::path directory;
    std::vector<std::string> environment; ///< of the main process only
    std::map<std::string, std::string>
        files; ///< "malloc", "free", "operator new", "operator delete" → file; "" : not there
    std::string
        next_malloc; ///< the next file in the loader's order that has malloc: where the first one's calls go on to
    bool preload_mapped = false;
    probe::litter littered; ///< of the main process only
};

/// What happened.
struct observation {
    enum class ending {
        exited,
        signalled,
        timed_out,
        interrupted,     ///< the tool was asked to stop
        not_started,     ///< `code` is an errno
        too_much_output, ///< wrote more than `most_output_bytes`
        wants_terminal,  ///< stopped because it reads a terminal
        never_ready,     ///< `ready` did not succeed in time
        client_failed,   ///< `code` is the exit status of `client`
    };

    ending how = ending::not_started;
    int code = 0; ///< exit status, signal number or errno
    bool core_dumped = false;

    /// By name: wall_ns, user_ns, sys_ns, peak_rss_bytes, minor_faults, major_faults, voluntary_switches,
    /// involuntary_switches; cycles, instructions, cache_misses, branch_misses, dtlb_misses where the kernel lets
    /// them be counted. CPU time, faults and switches are those of the program and of every process it started. Times and
    /// minor faults are without those of the litter.
    std::map<std::string, double> values;
    std::string detail;          ///< what else is known of a bad ending, such as what `ready` said last
    std::string why_no_counters; ///< empty when they were counted

    captured_output output;
    captured_output errors;
    unsigned left_behind = 0; ///< processes that the program left running; they were killed
    unsigned not_killed = 0;  ///< of all that it started: those that SIGKILL did not end in ten seconds
    std::string last_name;    ///< the kernel's name of the program when it ended, cut at 15 characters
    std::vector<process_proof> proofs;
};

/// Runs the program once, in a session of its own and through a small helper process that adopts and ends what the
/// program leaves behind. Never throws for what the program does. When `guard` has a signal pending, everything
/// that was started is ended. `tick` is called a few times a second.
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
