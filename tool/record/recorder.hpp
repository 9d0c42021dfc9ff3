// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/recording_facts.hpp"
#include "record_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace linn::tool {

/// What became of a recording.
struct record_result {
    std::string problem;         ///< why there is no recording, or why it is not whole; empty otherwise
    bool is_usage_error = false; ///< of `problem`: exit status 2
    bool was_started = false;    ///< the program ran
    int exit_status = 0;         ///< the program's, 128 + n when signal n ended it
    recording_end end;           ///< as written to the file
    std::uint64_t file_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t processes = 0;
    std::vector<std::string> warnings; ///< what the user should know of this recording
};

/// Runs the program, which keeps the terminal and the standard streams, and records it into the file.
record_result record_program(const record_options& options);

} // namespace linn::tool
