// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"
#include "../experiment/estimate.hpp"
#include "../measure/interrupt.hpp"
#include "../measure/machine.hpp"
#include "../measure/progress.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// How much of each block a replay writes, as the program would.
enum class replay_touch { none, byte, lines, all };

/// Some of a trace's allocations, to be priced on their own: usually one type.
struct replay_group {
    std::string name;
    std::vector<std::uint32_t> stacks; ///< indices of `trace_info::stacks`
};

struct replay_options {
    std::filesystem::path trace;
    std::vector<std::string> only; ///< allocators; empty: all
    user_allocators allocators;
    std::size_t rounds = 7;
    std::chrono::seconds budget{60};
    replay_touch touch = replay_touch::lines;
    std::uint64_t most_events = 50'000'000; ///< of each trace that many are replayed, from its start; says so
    std::uint64_t seed = 0;
    std::vector<replay_group> groups; ///< each priced alone: from a pool of Linn's, the rest from the default
    bool price_together = false; ///< also all groups at once, each block from a pool, where there are several
    bool ceiling_only = false;   ///< the default, Linn and the null allocator only: what advise needs
    double level = 0.95;         ///< of the intervals
};

/// How a row compares with the default. Not judged are the default, its second copy, the null allocator, what failed, and
/// everything with fewer than `rounds_to_judge` rounds.
enum class replay_call { not_judged, faster, slower, tie };

/// "faster", "slower", "tie", "not judged".
const char* to_string(replay_call call) noexcept;

/// One way to serve the recorded requests, named "default", "jemalloc", "linn", "null", or as a group. The median is of CPU
/// seconds, the bounds are those of its bootstrap intervals.
struct replay_row : contender, paired_estimate {
    std::vector<double> seconds; ///< CPU seconds of all threads inside the replay, one a round
    replay_call call = replay_call::not_judged;
    double peak_rss_bytes = 0; ///< median of the peaks, beyond what the replay itself needs
    double wait_seconds = 0;   ///< median; CPU time of waiting for other threads, which `seconds` leave out
    std::string failure;       ///< empty: none

    /// What the program's CPU time would change by, as a share of it: -0.12 is 12 % less. All 0 where the program's CPU
    /// time is not known. The bounds are those of the ratio, and like them `unknown_bound` with too few rounds.
    double change = 0;
    double change_low = 0;
    double change_high = 0;
};

/// A row, and what `linn run` measured of the same program.
struct replay_agreement_row {
    std::string name;
    double predicted = 0; ///< `change` of the replay
    double measured = 0;  ///< of the program's CPU time, from its median ratio to the default
};

/// Two rows whose order both found, and not alike; or which only one told apart.
struct replay_disagreement {
    std::string first; ///< the faster one in the run
    std::string second;
    double measured_gap = 0;  ///< second less first, as a share of the program's CPU time
    double predicted_gap = 0; ///< negative: the replay has it the other way round
};

/// How a replay's order compares with that of a run.
struct replay_agreement {
    std::string file;
    std::string metric;                              ///< "cpu_ns"
    std::vector<replay_agreement_row> rows;          ///< by `measured`
    double tau = 0;                                  ///< Kendall's tau-b of both orders; 1: the same
    std::size_t pairs = 0;                           ///< that the run tells apart
    std::size_t same = 0;                            ///< of them: the replay has the same order
    std::size_t undecided = 0;                       ///< of them: the replay sees no difference
    std::vector<replay_disagreement> contradictions; ///< of them: the replay has the other order
    std::string verdict;                             ///< one sentence
    std::string problem;                             ///< why nothing can be compared; empty when it can

    bool is_made() const noexcept { return !file.empty(); }
    /// No two allocators that both tell apart are the other way round.
    bool agrees() const noexcept { return problem.empty() && contradictions.empty(); }
};

struct replay_result {
    replay_options options;
    std::vector<replay_row> rows;       ///< the default first, the null allocator last
    std::vector<replay_row> groups;     ///< one for each of `options.groups`
    std::optional<replay_row> together; ///< with `price_together`: every group from pools
    std::uint64_t events = 0;           ///< replayed
    std::uint64_t threads = 0;
    std::uint64_t hand_overs = 0; ///< blocks released by another thread than the one that allocated them
    double program_cpu_seconds =
        0; ///< of the recorded program, without the recording, over the replayed events
    std::vector<std::string> command; ///< that was recorded
    std::string process;              ///< the executable of the process image that was replayed
    std::string started;              ///< of the replay; ISO 8601, UTC
    double seconds = 0;               ///< that it took
    double preparation_seconds = 0;   ///< of them, for reading the trace
    double measured_seconds = 0;      ///< of them, for the rounds
    machine_info machine;
    std::uint64_t recorded_events = 0; ///< of the whole trace
    std::uint64_t allocations = 0;     ///< of the replayed events
    std::uint64_t by_operator_new = 0; ///< of the allocations; the others are no work for Linn
    std::uint64_t peak_live_blocks = 0;
    std::uint64_t peak_live_bytes = 0;
    std::uint64_t skipped = 0; ///< releases of blocks whose allocation is not in the trace
    std::size_t complete_rounds = 0;
    double noise_floor = 0; ///< how far the default is from itself, as a share: 0.01 is 1 %; 0: not measured
    replay_agreement agreement;        ///< with --against
    std::vector<std::string> left_out; ///< allocators that were not replayed, and why
    std::string verdict;               ///< one sentence
    std::vector<std::string> remarks;  ///< how far to trust the figures
    std::vector<std::string> warnings;
    std::string problem; ///< why there is no result; empty when there is one
    int interrupted_by = 0;

    const replay_row* find(const std::string& name) const noexcept;
    /// What an allocator that costs nothing would save, as a share of the program's CPU time; 0: not known.
    double ceiling() const noexcept;
};

/// Replays a trace under every allocator found. Throws unusable_trace.
replay_result replay_trace(const replay_options& options, const interrupt_guard& guard,
                           const std::function<void(const work_progress&)>& tick);

} // namespace linn::tool
