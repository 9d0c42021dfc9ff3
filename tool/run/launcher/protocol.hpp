// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What the tool and linn-launcher say to each other. The command line is positional: the process id of the tool, the directory, the
// value of LD_PRELOAD, the program, and its arguments from argv[0] on; an empty string means none. The standard streams and the
// environment are the program's; the launcher adds the program's id to LINN_PROBE. Its report goes to `report_fd` in one piece.
namespace linn::tool::launcher {

inline constexpr int report_fd = 3;

/// Positions of the command line.
struct argument {
    static constexpr int parent = 1, directory = 2, preload = 3, program = 4, first = 5;
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
    std::uint64_t user_ns = 0;
    std::uint64_t sys_ns = 0;
    std::uint64_t peak_rss_bytes = 0; ///< of the largest single process
    std::uint64_t minor_faults = 0;
    std::uint64_t major_faults = 0;
    std::uint64_t voluntary_switches = 0;
    std::uint64_t involuntary_switches = 0;
    char last_name[16] = {}; ///< what the kernel called the program at its end: that of its last exec
};

} // namespace linn::tool::launcher
