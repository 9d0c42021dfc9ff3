// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/prober.hpp"
#include "../measure/files.hpp"
#include "probe/record.hpp"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
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

    /// Where the probe writes; it exists and anybody may append to it, because a program may change its user.
    std::filesystem::path records() const { return folder_.path() / "records"; }

    /// A name of `library` that LD_PRELOAD can hold, which splits at spaces and colons and expands dollars.
    std::string preloadable(const std::filesystem::path& library);

private:
    temporary_folder folder_;
};

/// What one process of the run said about itself: one entry for every exec that the dynamic loader served.
struct process_proof : provider_proof {
    pid_t pid = 0;
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
        wants_terminal,  ///< stopped because it reads a terminal
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

/// What is wrong with a preparation that ended with `problem`; empty when that is empty.
std::string prepare_problem(const std::string& command, const std::string& problem);

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

} // namespace linn::tool
