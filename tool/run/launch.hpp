// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/allocators.hpp"
#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../program/executable.hpp"
#include "probe/record.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// A private temporary folder for one run, removed with everything in it.
class run_folder {
public:
    /// Throws std::filesystem::filesystem_error when none can be made.
    run_folder();

    /// Where the probe writes; it exists and every user may append to it, because a program may change its user.
    std::filesystem::path records() const { return folder_.path() / "records"; }

    /// A name of `library` that LD_PRELOAD can hold, which splits at spaces and colons and expands dollars.
    std::string preloadable(const std::filesystem::path& library);

private:
    temporary_folder folder_;
};

/// What one process of the run said about itself: one entry for every exec that the dynamic loader served.
struct process_proof : provider_proof {
    bool is_main = false; ///< the process that was started, or what it became by exec
    std::filesystem::path executable;
    std::string name; ///< the kernel's name of it as exec left it, cut at 15 characters
    std::vector<std::string> arguments;
    std::filesystem::path directory;
    std::vector<std::string> environment; ///< of the main process only
    std::string
        next_malloc; ///< the next file in the loader's order that has malloc: where the first one's calls go on to
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
        never_ready,     ///< `ready` did not succeed in time
        client_failed,   ///< `code` is the exit status of `client`
    };

    ending how = ending::not_started;
    int code = 0; ///< exit status, signal number or errno
    bool core_dumped = false;

    /// By name: wall_ns, user_ns, sys_ns, peak_rss_bytes, minor_faults, major_faults, voluntary_switches,
    /// involuntary_switches. CPU time, faults and switches are those of the program and of every process it started. Times
    /// and minor faults are without those of the litter.
    std::map<std::string, double> values;
    double value(const std::string& name) const; ///< 0: not known
    std::string detail; ///< what else is known of a bad ending, such as what `ready` said last

    std::string output;
    std::string errors;
    unsigned left_behind = 0; ///< processes that the program left running; they were killed
    std::string last_name;    ///< the kernel's name of the program when it ended, cut at 15 characters
    std::vector<process_proof> proofs;
};

/// Who provides the functions of the program proper; null when it did not say. Where one program became another by
/// exec, the last one counts.
const process_proof* main_proof(const observation& o) noexcept;

/// Wall time of a run, with the littering of its heap, which takes time too. 0: not known.
double seconds_of(const observation& o);

/// Compares what the main process reported with what was asked. Returns an empty string when it ran on `library` (empty:
/// on `own_provider`, which is what the program brings) and what that passes on went to `behind` (empty: wherever),
/// otherwise why the run must not count.
std::string refute_run(const observation& o, const std::filesystem::path& library,
                       const std::filesystem::path& behind, const std::string& own_provider);

/// Says where two outputs part: "line 3 is 'b', not 'a'"; empty when they are equal.
std::string describe_difference(std::string_view expected, std::string_view actual);

/// The last lines of an output, at most `lines` and `bytes`, without control characters that would move a cursor.
std::string tail(std::string_view output, std::size_t lines, std::size_t bytes = 2000);

/// The last lines that a failed run wrote, standard error first choice.
std::string last_words(const observation& o);

/// Reads what the probe wrote, in the order of the processes' starts. A damaged tail is left out.
std::vector<process_proof> read_proofs(const std::filesystem::path& file);

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

/// Runs the shell command of `--prepare` with this process's environment and waits. Its output goes to standard error.
/// Returns an empty string, or what went wrong.
std::string prepare_run(const std::string& command, const interrupt_guard& guard,
                        const std::function<void()>& tick);

/// Adds NAME=value to an environment, or replaces the value of that name.
void set_variable(std::vector<std::string>& environment, const std::string& variable);

/// Says in words how a run ended: "killed by SIGSEGV (core dumped)", "exit status 3", "timed out after 120 s".
std::string describe_ending(const observation& o, const launch_spec& spec);

/// The program to measure, once it is known that a preloaded allocator would reach it.
struct target {
    launch_spec spec;                 ///< the options, with program, arguments, environment and directory
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

/// What a reader must know of a program whose memory does not all come from malloc. `last` is what the program said
/// when it ran with nothing preloaded, `info` what its file says.
std::vector<std::string> remarks_on(const process_proof& last, const executable_info& info);

} // namespace linn::tool
