// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/machine.hpp"
#include "../trace/recording_facts.hpp"
#include "../trace/ring.hpp"
#include "calibration.hpp"
#include "collector.hpp"
#include "record_options.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What a recording is made of, whether it starts the program or attaches to it.
namespace linn::tool {

/// 4 GiB of addresses, of which only what is used takes memory.
inline constexpr std::size_t ring_chunks = 16'384;

wire::ring_options ring_options_of(const record_options& options);

/// Started with closed standard streams, the shared memory and the trace would get their numbers. The program still
/// finds them closed.
void occupy_standard_streams();

/// Threads that want a processor for each that there is, over the last minute; 0: not known.
double load_per_cpu();

/// What is known before, but for the program.
recording_start start_of(const record_options& options, const calibrated_cost& calibrated,
                         const machine_info& machine);

/// A span of time by two clocks.
struct measured_span {
    std::uint64_t ticks = 0;
    std::uint64_t ns = 0;
};
void count_events(recording_end& end, const collected& got, const measured_span& took);

/// @pre count_events()
void note_event_cost(recording_end& end, const record_options& options, const recording_start& start,
                     const calibrated_cost& calibrated, const wire::ring_header& header);

/// What the user should know of the events. `is_whole`: the trace could be written to its end.
std::vector<std::string> warnings_of(const record_options& options, const recording_end& end,
                                     const collected& got, const wire::ring_header& header, bool is_whole);

} // namespace linn::tool
