// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// The most frames that the preloaded library keeps of a stack.
inline constexpr unsigned most_recorded_depth = 64;

/// When the program is run a second time, without recording, for its own CPU time.
enum class second_run_when : unsigned char {
    harmless, ///< as second_run.hpp decides
    always,
    never,
};

/// What `linn record` was asked for.
struct record_options {
    std::vector<std::string> command; ///< the program as the user named it, and its arguments
    int attach_to = 0;                ///< process id of a program that runs already, instead of `command`
    double duration_s = 0;       ///< then: how long it is recorded; 0: until it ends, or linn is told to stop
    std::filesystem::path file;  ///< the trace
    unsigned depth = 16;         ///< frames of a stack
    std::string only_executable; ///< record process images of this name alone; empty: all
    bool fills_only = false;     ///< record those blocks alone that zeros are written into
    std::size_t smallest_fill = 1024; ///< bytes of zeros that count, at once
    std::uint64_t sample_bytes = 0; ///< record a sample: one point in so many bytes on average; 0: all blocks
    second_run_when baseline = second_run_when::harmless;
    bool follows = true;        ///< record what it forks and executes
    bool waits_for_all = false; ///< until every recorded process has ended, not only the first
    bool is_calibrated = true;  ///< measure first what recording an event costs here
};

} // namespace linn::tool
