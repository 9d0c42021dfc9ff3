// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "call_times.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// One file that was mapped into a recorded process. Equal files (path and build id) are one module.
struct trace_module {
    std::string path;
    std::string build_id; ///< in hexadecimal; empty: it has none
};

/// Where a frame of a stack lies.
struct code_address {
    static constexpr std::uint32_t unknown_module = 0xffff'ffff;

    std::uint32_t module = unknown_module; ///< index of `trace_info::modules`
    std::uint64_t address =
        0; ///< a return address as the module's file knows it (without its load bias); the address
           ///< in memory where the module is unknown. Subtract 1 to be inside the call
    bool operator==(const code_address&) const = default;
};

/// One process image: a fork and an exec each begin a new one.
struct trace_process {
    enum class origin : std::uint8_t { start, fork, exec };

    std::uint32_t pid = 0;
    std::uint32_t parent = 0; ///< index of the image it came from; its own for the first
    origin began = origin::start;
    std::string executable;
    std::vector<std::string> arguments;
    std::uint64_t began_at = 0; ///< nanoseconds since the recording began
    std::uint64_t events = 0;
    std::uint64_t dropped = 0; ///< events lost because the collector did not keep up
};

struct trace_thread {
    std::uint32_t process = 0; ///< index
    std::uint32_t tid = 0;
    std::string name;
    std::uint64_t events = 0;
};

/// Whether a module is the recorder, which a recorded program has loaded.
bool is_recorder(std::string_view path);

/// What the run was, and all that events refer to. Complete once every event was read.
struct trace_info {
    std::uint32_t version = 0;
    std::vector<std::string> command;
    std::string directory;
    std::string started; ///< ISO 8601, UTC
    std::string machine; ///< as `linn bench` writes it
    std::uint64_t duration_ns = 0;
    double user_ns = 0;                   ///< CPU time of the recorded program, recording included
    double system_ns = 0;                 ///< the same
    double event_cost_ns = 0;             ///< what recording one event cost; 0: not measured
    std::uint64_t event_cost_samples = 0; ///< events of this program that it was measured with; 0: none
    double baseline_cpu_ns = 0;           ///< CPU time of a run without recording; 0: there was none
    double baseline_wall_ns = 0;
    double baseline_system_ns = 0;          ///< of its CPU time: in the kernel
    std::uint64_t baseline_page_faults = 0; ///< that needed no disk; 0: not known
    std::uint64_t page_faults = 0;          ///< of the recorded run, with the recorder's; 0: not known
    double page_fault_ns = 0; ///< the first write to a page of new memory, by a loop; 0: not known
    counter_state counter = counter_state::unknown;
    double ticks_per_ns = 1;
    call_times times;          ///< of the real calls, in the recorded run
    call_times baseline_times; ///< in the run without recording
    double load_per_cpu = 0;   ///< of the machine when it began, over the minute before; 0: not known
    std::uint32_t attached_pid =
        0; ///< the program ran already, under this number: what it allocated before is unknown; 0: it
           ///< was recorded from its start
    double attached_age_ns = 0; ///< how long it had run then
    bool ran_on = false; ///< the program had not ended when the recording did: what is live then is no leak
    std::string ending;  ///< how the program ended, in words; empty: the recording was cut off
    unsigned depth = 0;
    std::string contents = "all"; ///< "fills": only the blocks that zeros were written into; no releases
    std::uint64_t smallest_fill = 1024; ///< bytes of zeros that were noticed, at once
    std::uint64_t sample_bytes = 0;     ///< mean distance of samples, in bytes; 0: the trace has all blocks
    std::string unwinder;               ///< "own", "libunwind", "none"

    std::vector<trace_module> modules;
    std::vector<trace_process> processes;
    std::vector<trace_thread> threads;
    /// Innermost first, without the recorder's own calls; [0] is empty. Equal ones are one.
    std::vector<std::vector<code_address>> stacks;
    std::vector<std::string>
        rtti; ///< one for each of `stacks`: the mangled type found in its blocks; empty: none

    std::uint64_t events = 0;
    std::uint64_t dropped = 0;
    std::uint64_t cut_stacks = 0; ///< stacks that end too early, because a frame could not be followed
    std::uint64_t file_bytes = 0;
    /// What the program did while it was recorded and the events do not show, in sentences; empty: the trace is complete. The
    /// reader alone decides, for every command. Where it is not empty, no command concludes that something did not happen.
    std::vector<std::string> missing;

    /// It has no releases, and few of the allocations.
    bool holds_fills_only() const noexcept { return contents == "fills"; }
};

/// The CPU time of the recorded program without the recording, and how well it is known.
struct program_cost {
    enum class source { baseline, less_recording, wall_time, unknown };

    double cpu_ns = 0; ///< 0: not known
    source from = source::unknown;
    bool is_guess = false; ///< the recording took more than nine tenths of the recorded time, by estimate
};

/// From a run without recording where there was one; else the recorded CPU time less what its events cost; else, where
/// the recording was cut off, the time it lasted.
program_cost cost_of_program(const trace_info& info);

} // namespace linn::tool
