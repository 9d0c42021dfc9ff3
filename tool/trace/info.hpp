// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What a recording knows of itself when it begins: the payload of the start frame.
struct recording_start {
    std::string tool; ///< the version of linn that wrote it
    std::vector<std::string> command;
    std::string directory;
    std::string started; ///< ISO 8601, UTC
    std::string machine;
    std::string clock = "tsc";      ///< every event has its time
    std::string contents = "all";   ///< what was recorded
    std::uint64_t sample_bytes = 0; ///< mean distance of samples; 0: all blocks are recorded
    unsigned depth = 0;
    double ticks_per_ns = 1;        ///< of the times in chunks
    std::uint64_t start_ticks = 0;  ///< the time that is 0 in decoded events
    std::uint32_t attached_pid = 0; ///< of a program that ran already; 0: it was started for the recording
    double attached_age_ns = 0;     ///< how long it had run then
    counter_state counter = counter_state::unknown;
    double page_fault_ns = 0; ///< the first write to a page of new memory, by a loop; 0: it was not measured
};

/// How a program ended and what it used, its waited-for children included.
struct program_outcome {
    std::string ending;  ///< "exit status 0", "killed by SIGSEGV"; empty: the recording was cut off
    int exit_status = 0; ///< 128 + n when signal n ended it
    double user_ns = 0;
    double system_ns = 0;
    std::uint64_t page_faults = 0; ///< that needed no disk; 0: not known
};

/// What became of the events of a recording.
struct recorded_events {
    std::uint64_t events = 0;
    std::uint64_t dropped = 0;
    std::uint64_t unwritten = 0;      ///< that the file could not take
    std::uint64_t damaged_chunks = 0; ///< whose end the program overwrote
    std::uint64_t cut_stacks = 0;     ///< that end too early: a frame could not be followed
};

/// What it knows when it ends: the payload of the end frame.
struct recording_end : program_outcome, recorded_events {
    std::string stopped;             ///< why the recording ended before the program did; empty: it did not
    std::uint64_t stopped_at_ns = 0; ///< then: so long after the recording began
    bool ran_on = false; ///< the program, or a process that it left, went on: what is live is no leak
    std::uint64_t duration_ns = 0;
    double exact_ticks_per_ns = 0; ///< over the whole run, and so better known than the start's; 0: not known
    double event_cost_ns = 0;      ///< by the clock inside of the program; 0: not measured
    std::uint64_t event_cost_samples = 0;
    call_times times;
};

/// The run without recording, after it: the payload of the second-run frame.
struct second_run {
    double cpu_ns = 0;
    double wall_ns = 0;
    double system_ns = 0;          ///< of `cpu_ns`: in the kernel
    std::uint64_t page_faults = 0; ///< that needed no disk; 0: not known
    call_times times; ///< by a recorder that timed calls and did nothing else; no samples: there was none
};

/// A recording_start, a recording_end or a second_run as the payload of its frame.
template <class Facts>
std::string to_json(const Facts& facts);

/// One of the three. Empty when the text is no such document; members that are missing or of another type keep their defaults.
template <class Facts>
std::optional<Facts> parse_facts(std::span<const unsigned char> text);

/// Whether a clock can tick so often.
constexpr bool is_rate(double ticks_per_ns) {
    return ticks_per_ns > 1e-6 && ticks_per_ns < 1e3;
}

/// One file that was mapped into a recorded process. Equal files (path and build id) are one module.
struct trace_module {
    std::string path;
    std::string build_id; ///< in hexadecimal; empty: it has none
};

/// Where a frame of a stack lies.
struct code_address {
    static constexpr std::uint32_t unknown_module = 0xffff'ffff;

    std::uint32_t module = unknown_module; ///< index of `trace_info::modules`
    /// A return address as the module's file knows it (without its load bias); the address in memory where the module is
    /// unknown. Subtract 1 to be inside the call.
    std::uint64_t address = 0;
    auto operator<=>(const code_address&) const = default;
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

/// What the run was, and all that events refer to. Complete once every event was read: `events` and `dropped` are those of the file
/// then, and where the file has no end, what it would say is at its defaults.
struct trace_info : recording_start, recording_end {
    std::uint32_t version = 0;
    second_run baseline; ///< its CPU time is 0: there was none

    std::vector<trace_module> modules;
    std::vector<trace_process> processes;
    std::vector<trace_thread> threads;
    /// Innermost first, without the recorder's own calls; [0] is empty. Equal ones are one.
    std::vector<std::vector<code_address>> stacks;
    /// One for each of `stacks`: the mangled type found in its blocks; empty: none.
    std::vector<std::string> rtti;

    std::uint64_t file_bytes = 0;
    /// What the program did while it was recorded and the events do not show, in sentences; empty: the trace is complete. The
    /// reader alone decides, for every command. Where it is not empty, no command concludes that something did not happen.
    std::vector<std::string> missing;
};

/// The CPU time of the recorded program without the recording, and how well it is known.
struct program_cost {
    double cpu_ns = 0;     ///< 0: not known
    bool is_guess = false; ///< the recording took more than nine tenths of the recorded time, by estimate
    bool has_recording = false; ///< it includes the recording, whose cost was not measured
};

/// From a run without recording where there was one; else by cost_by_estimate().
program_cost cost_of_program(const trace_info& info);

/// The recorded CPU time less what its events cost.
program_cost cost_by_estimate(const recording_end& end);

/// What one block of a sampled trace stands for: `trace_info::sample_bytes` is the mean distance of samples. Of a trace that
/// has all blocks, one.
class sample_weight {
public:
    sample_weight() noexcept = default;
    explicit sample_weight(std::uint64_t sample_bytes) noexcept : mean_{static_cast<double>(sample_bytes)} {}

    bool is_sample() const noexcept { return mean_ > 0; }

    /// The inverse of the chance that a block of this size is in the trace.
    double of(std::uint64_t bytes) const noexcept;

    /// The same as a whole number, rounded up or down at random, so that sums of them are right on average. Equal arguments give
    /// equal results: a block is taken out of a sum with the weight that it was added with.
    std::uint64_t whole(std::uint64_t bytes, std::uint64_t address, std::uint64_t time) const noexcept {
        return is_sample() ? rounded(bytes, address, time) : 1;
    }

private:
    std::uint64_t rounded(std::uint64_t bytes, std::uint64_t address, std::uint64_t time) const noexcept;

    double mean_ = 0;
};

/// What a sum over a sample is made of, to know how far it may be off.
struct sample_spread {
    std::uint64_t blocks = 0; ///< in the sample
    double bytes = 0;         ///< of these blocks alone, which is sure
    double missing = 0;       ///< estimate of the others' bytes, by weights that are not rounded
    double variance = 0;      ///< of the estimate of all bytes

    void add(std::uint64_t size, double weight) noexcept {
        const auto b = static_cast<double>(size);
        ++blocks;
        bytes += b;
        missing += b * (weight - 1);
        variance += b * b * weight * (weight - 1); // (1 - p) / p^2
    }
    void merge(const sample_spread& other) noexcept {
        blocks += other.blocks;
        bytes += other.bytes;
        missing += other.missing;
        variance += other.variance;
    }
};

/// The bounds between which all bytes lie in 95 of 100 samples, or more.
struct sample_bounds {
    double low = 0;
    double high = 0;
};

/// The bounds of an estimate, which lies within them: they come from weights that are not rounded, it does not. Of equal blocks, the number of those that are not in the sample has a negative binomial
/// distribution, which a gamma distribution with its mean and variance stands for; of unequal blocks their bytes are taken for the same. So
/// nothing is assumed that few blocks cannot show. There are no such bounds of the number of blocks: small ones may be many
/// without one of them in the sample. @source C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits
/// illustrated in the case of the binomial", Biometrika 26, 1934; quantiles as E. B. Wilson and M. M. Hilferty, 1931
sample_bounds bounds_of_sample(double estimate, const sample_spread& spread) noexcept;

/// "allocation" …; a stable word for reports.
const char* to_string(event_kind kind) noexcept;
/// "malloc", "operator new[]" …; for an aligned allocation or none a word of ours.
const char* to_string(allocation_call call) noexcept;

/// How many events of each kind there are.
struct trace_counts {
    static constexpr std::size_t kinds = 4;
    static constexpr std::size_t calls = 12;

    std::uint64_t events = 0;
    std::array<std::uint64_t, kinds> of_kind{};
    std::array<std::array<std::uint64_t, calls>, kinds> of_call{}; ///< of each kind
    std::uint64_t bytes = 0; ///< asked for by allocations and reallocations

    /// Of a sampled trace: what the blocks in it stand for.
    double estimated_allocations = 0;
    double estimated_bytes = 0;
    sample_spread spread;

    void take(std::span<const event> events, const sample_weight& weight = {});
};

} // namespace linn::tool
