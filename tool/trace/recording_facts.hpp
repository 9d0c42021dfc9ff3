// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_times.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace linn::tool {

/// What a recording knows of itself when it begins: the payload of the start frame.
struct recording_start {
    std::string tool; ///< the version of linn that wrote it
    std::vector<std::string> command;
    std::string directory;
    std::string started; ///< ISO 8601, UTC
    std::string machine;
    std::string clock = "tsc"; ///< every event has its time
    std::string unwinder = "own";
    std::string contents = "all";       ///< "fills": of the blocks, those alone that zeros were written into
    std::uint64_t smallest_fill = 1024; ///< bytes
    std::uint64_t sample_bytes = 0;     ///< mean distance of samples; 0: all blocks are recorded
    unsigned depth = 0;
    double ticks_per_ns = 1;        ///< of the times in chunks
    std::uint64_t start_ticks = 0;  ///< the time that is 0 in decoded events
    double load_per_cpu = 0;        ///< runnable threads per processor when it began; 0: not known
    std::uint32_t attached_pid = 0; ///< of a program that ran already; 0: it was started for the recording
    double attached_age_ns = 0;     ///< how long it had run then
    counter_state counter = counter_state::unknown;
    double page_fault_ns = 0; ///< the first write to a page of new memory, by a loop; 0: it was not measured
};

/// What it knows when it ends: the payload of the end frame.
struct recording_end {
    std::string ending;              ///< how the program ended: "exit status 0", "killed by SIGSEGV"
    std::string stopped;             ///< why the recording ended before the program did; empty: it did not
    std::uint64_t stopped_at_ns = 0; ///< then: so long after the recording began
    std::uint64_t unwritten = 0;     ///< then: events that were recorded but could not be written
    int exit_status = 0;             ///< what `linn record` returned
    bool ran_on = false;             ///< the program had not ended: linn has detached from it
    std::uint64_t duration_ns = 0;
    double user_ns = 0;
    double system_ns = 0;
    double ticks_per_ns = 0; ///< over the whole run, so more exact than the start's; 0: not known
    std::uint64_t events = 0;
    std::uint64_t dropped = 0;
    std::uint64_t damaged_chunks = 0; ///< whose end the program overwrote
    std::uint64_t cut_stacks = 0;     ///< that end before the outermost call
    std::uint64_t chunks = 0;
    std::uint64_t processes_left = 0; ///< recorded ones that were still alive
    double event_cost_ns = 0;         ///< by the clock inside of the program; 0: not measured
    std::uint64_t event_cost_samples = 0;
    call_times times;
    std::uint64_t page_faults = 0; ///< of the program and the recorder; 0: not known
};

/// The run without recording, after it: the payload of the second-run frame.
struct second_run {
    double cpu_ns = 0;
    double wall_ns = 0;
    double system_ns = 0;          ///< of `cpu_ns`: in the kernel
    std::uint64_t page_faults = 0; ///< that needed no disk; 0: not known
    call_times times; ///< by a recorder that timed calls and did nothing else; no samples: there was none
};

std::string to_json(const recording_start& start);
std::string to_json(const recording_end& end);
std::string to_json(const second_run& run);

/// Empty when the text is no such document; members that are missing or of another type keep their defaults.
std::optional<recording_start> read_recording_start(std::span<const unsigned char> text);
std::optional<recording_end> read_recording_end(std::span<const unsigned char> text);
std::optional<second_run> read_second_run(std::span<const unsigned char> text);

} // namespace linn::tool
