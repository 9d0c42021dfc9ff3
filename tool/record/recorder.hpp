// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace linn::tool {

/// The most frames that the preloaded library keeps of a stack.
inline constexpr unsigned most_recorded_depth = 64;

/// When the program is run a second time, without recording, for its own CPU time.
enum class second_run_when : unsigned char {
    harmless, ///< as child_program.hpp decides
    always,
    never,
};

class ring_file;

/// What `linn record` was asked for.
struct record_options {
    std::vector<std::string> command; ///< the program as the user named it, and its arguments
    int attach_to = 0;                ///< process id of a program that runs already, instead of `command`
    double duration_s = 0;      ///< then: how long it is recorded; 0: until it ends, or linn is told to stop
    std::filesystem::path file; ///< the trace
    /// The program's standard input, and its standard output is thrown away; empty: it has the streams of this process. @pre no second run
    std::filesystem::path input = {};
    unsigned depth = 16;            ///< frames of a stack
    std::uint64_t sample_bytes = 0; ///< record a sample: one point in so many bytes on average; 0: all blocks
    second_run_when baseline = second_run_when::harmless;
    bool follows = true;        ///< record what it forks and executes
    bool waits_for_all = false; ///< until every recorded process has ended, not only the first
    /// Tells the user that something begins which takes as long as the program did.
    std::function<void(const std::string&)> announce = [](const std::string&) {};
    /// Looks on while a program is recorded, in the thread that it returns, which is stopped and joined at the end. `ring` lives as
    /// long; `trace` is the file that is being written; `only_pid`: the process that alone is recorded, 0: all are. The trace does
    /// not depend on it. Empty: no one looks on.
    std::function<std::jthread(const ring_file& ring, const std::filesystem::path& trace,
                               std::uint32_t only_pid)>
        watch = {};
};

/// What became of a recording.
struct record_result {
    std::string problem;         ///< why there is no recording, or why it is not whole; empty otherwise
    bool is_usage_error = false; ///< of `problem`: exit status 2
    bool was_started = false;    ///< the program ran
    int exit_status = 0;         ///< the program's, 128 + n when signal n ended it
    /// SIGINT, SIGTERM or SIGHUP that came for the program, or while processes that it left were waited for; 0: none did.
    int stopped_by = 0;
    recording_end end;   ///< as written to the file
    second_run baseline; ///< the same; 0: there is none
    /// Why there is none, as the end of a sentence; empty: there is, or none was wanted.
    std::string no_baseline;
    std::filesystem::path file;
    std::uint64_t file_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t processes = 0;
    std::vector<std::string> warnings; ///< what the user should know of this recording
};

/// Runs the program, which keeps the terminal and the standard streams, and records it into the file; then again without recording,
/// where the options want it. A program that runs already is recorded until it ends, `duration_s` have passed, or a signal asks
/// this process to stop, and goes on; then the file's name is made from the program's where the options have none.
record_result record_program(const record_options& options);

} // namespace linn::tool
