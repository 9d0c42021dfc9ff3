// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/frame.hpp"
#include "../trace/writer.hpp"
#include "ring_file.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace linn::tool {

/// Where a collector puts what it takes.
struct chunk_taker {
    virtual ~chunk_taker() = default;
    /// One call at a time a worker; `compressor` is the worker's own.
    virtual void take(const chunk_frame& frame, frame_compressor& compressor) = 0;
    /// Why nothing more can be taken; empty when it can.
    virtual std::string problem() = 0;
};

/// What a collector took.
struct collected {
    std::uint64_t events = 0;
    std::uint64_t dropped = 0;
    std::uint64_t cut_stacks = 0;
    std::uint64_t chunks = 0;
    std::uint64_t unwritten = 0;      ///< events that the taker could not take
    std::uint64_t stopped_ns = 0;     ///< when the first of them came, by now_ns(); 0: there is none
    std::uint64_t damaged_chunks = 0; ///< cut short where they made no sense
    std::uint64_t last_ticks = 0;     ///< of all events
    std::set<std::uint32_t> images;   ///< that wrote something
    std::set<std::uint32_t> threads;  ///< the same
};

/// Empties the ring while the program runs: hands on full chunks, and what threads left that have ended. After the
/// first problem the recording is closed, the program goes on without it.
class collector {
public:
    collector(const ring_file& ring, chunk_taker& taker) noexcept : ring_(ring), taker_(taker) {}
    collector(const collector&) = delete;
    collector& operator=(const collector&) = delete;
    ~collector();

    void start(unsigned workers = 1);
    /// From now on, drops what other processes write.
    void leave_out_all_but(std::uint32_t pid) noexcept { only_pid_.store(pid, std::memory_order_relaxed); }

    /// The recorded processes that still run.
    std::vector<std::uint32_t> living_processes();

    /// Closes the recording and takes what is there, also what living threads were writing.
    void finish();

    const collected& result() const noexcept { return result_; } ///< @pre finish()

private:
    struct worker_state {
        std::vector<unsigned char> copy;
        frame_compressor compressor;
    };

    void work(bool looks_after_the_dead);
    bool take_full_chunks(worker_state& worker);
    void take_from_the_dead(worker_state& worker);
    void handle(std::uint32_t chunk, worker_state& worker);
    void hand_on(std::span<unsigned char> chunk, worker_state& worker);

    const ring_file& ring_;
    chunk_taker& taker_;
    std::vector<std::thread> workers_;
    std::atomic<bool> stops_{false};
    std::atomic<std::uint32_t> only_pid_{0};
    std::mutex mutex_; ///< guards the members below
    collected result_;
    std::set<std::uint32_t> pids_; ///< that wrote something
};

} // namespace linn::tool
