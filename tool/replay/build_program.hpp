// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/reader.hpp"
#include "program.hpp"
#include "results.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace linn::tool {

/// A trace's program, and what of the trace it is.
struct built_program {
    replay_program program;
    std::uint32_t process = 0;        ///< index of the process image
    std::uint64_t process_events = 0; ///< of the image, as far as the trace was read
    std::uint64_t all_events = 0;     ///< of all images, as far as the trace was read
    bool is_cut = false;              ///< the trace has more events than were asked for
    bool is_interrupted = false;
};

/// The group of each stack, from 1 on; 0: none. The first group that names a stack has it.
std::vector<std::uint8_t> groups_of_stacks(const std::vector<replay_group>& groups);

/// The most groups that there may be; the next number is that of no group.
inline constexpr std::size_t most_replay_groups = 254;

/// Reads a trace and translates its busiest process image. `progress` gets the share that is done, and may return false
/// to stop. Throws std::runtime_error when the disk is full.
built_program build_program(trace_reader& trace, const replay_options& options,
                            const std::function<bool(double)>& progress);

} // namespace linn::tool
