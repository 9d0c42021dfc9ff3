// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "record_options.hpp"
#include "watcher.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// What became of a recording.
struct record_result {
    std::string problem;         ///< why there is no recording, or why it is not whole; empty otherwise
    bool is_usage_error = false; ///< of `problem`: exit status 2
    bool was_started = false;    ///< the program ran
    int exit_status = 0;         ///< the program's, 128 + n when signal n ended it
    int stopped_by =
        0; ///< SIGINT, SIGTERM or SIGHUP that came for the program, or while processes that it left
           ///< were waited for; 0: none did
    recording_end end;        ///< as written to the file
    double event_cost_ns = 0; ///< what recording one event cost, as well as it is known; 0: it is not
    second_run baseline;      ///< the same; 0: there is none
    std::string
        no_baseline; ///< why there is none, as the end of a sentence; empty: there is, or none was wanted
    std::uint64_t file_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t processes = 0;
    std::vector<std::string> warnings; ///< what the user should know of this recording
};

/// Tells the user that something begins which takes as long as the program did.
using announce_function = std::function<void(const std::string&)>;

/// Records a program that runs already until it ends, `duration_s` have passed, or a signal asks this process to stop; the
/// program then goes on. The file's name is made from the program's where the options have none. `watcher` looks on if there is one.
record_result record_running_program(record_options& options, const announce_function& announce,
                                     recording_watcher* watcher = nullptr);

/// Runs the program, which keeps the terminal and the standard streams, and records it into the file; then
/// again without recording, where the options want it. `watcher` looks on if there is one.
record_result record_program(const record_options& options, const announce_function& announce,
                             recording_watcher* watcher = nullptr);

} // namespace linn::tool
