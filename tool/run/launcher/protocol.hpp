// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/resource.h>

#include <cstdint>

// What the tool and linn-launcher say to each other. The command line is positional. The standard streams and the environment are
// the program's; the launcher adds the program's id to LINN_PROBE. Its report goes to `report_fd` in one piece.
namespace linn::tool::launcher {

inline constexpr int report_fd = 3;

/// Positions of the command line.
struct argument {
    static constexpr int parent = 1;    ///< the process id of the tool
    static constexpr int directory = 2; ///< empty: that of the tool
    static constexpr int preload = 3;   ///< the value of LD_PRELOAD; empty: none
    static constexpr int program = 4;
    static constexpr int first = 5; ///< the program's arguments from argv[0] on
};

/// Where starting the program failed.
enum class step : std::uint32_t { none, directory, fork, exec };

/// What happened to the program. Written as it lies in memory: both sides are built together.
struct report {
    static constexpr std::uint32_t right_magic = 0x4c4e'5231;

    std::uint32_t magic = right_magic;
    step failed = step::none;
    std::int32_t error = 0;        ///< errno of the failed step
    std::int32_t status = 0;       ///< of the program, as wait4 gives it
    std::uint32_t left_behind = 0; ///< processes that still ran after the program's end and a grace
    std::uint64_t wall_ns = 0;
    /// Of the program and all that it started; the peak is that of the largest single process.
    rusage used = {};
    char last_name[16] = {}; ///< what the kernel called the program at its end: that of its last exec
};

} // namespace linn::tool::launcher
