// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/inventory.hpp"
#include "../measure/interrupt.hpp"
#include "../measure/progress.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
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
    bool ceiling_only = false;        ///< the default, Linn and the null allocator only: what advise needs
};

/// One way to serve the recorded requests.
struct replay_row {
    std::string name; ///< "default", "jemalloc", "linn", "null", or a group's name
    std::string title;
    std::vector<double> seconds; ///< CPU seconds of all threads inside the replay, one a round
    double median = 0;
    double low = 0; ///< bootstrap interval
    double high = 0;
    double ratio = 1; ///< median of the ratios to the default in the same round
    double ratio_low = 1;
    double ratio_high = 1;
    double peak_rss_bytes = 0;
    std::string failure; ///< empty: none
};

struct replay_result {
    replay_options options;
    std::vector<replay_row> rows;   ///< the default first, the null allocator last
    std::vector<replay_row> groups; ///< beside `options.groups`
    std::uint64_t events = 0;       ///< replayed
    std::uint64_t threads = 0;
    std::uint64_t hand_overs = 0;     ///< blocks released by another thread than the one that allocated them
    double program_cpu_seconds = 0;   ///< of the recorded program, without the recording
    std::vector<std::string> remarks; ///< how far to trust the figures
    std::vector<std::string> warnings;
    std::string problem; ///< why there is no result; empty when there is one
    int interrupted_by = 0;

    const replay_row* find(const std::string& name) const noexcept;
};

/// Replays a trace under every allocator found. Throws unusable_trace.
replay_result replay_trace(const replay_options& options, const interrupt_guard& guard,
                           const std::function<void(const work_progress&)>& tick);

} // namespace linn::tool
