// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "../trace/info.hpp"
#include "../trace/ring.hpp"
#include "../trace/trace_file.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace linn::tool {

/// The memory that the recorded processes and the collector share: a file without a name, of which only those pages
/// exist that were used.
class ring_file {
public:
    ring_file() = default;
    ring_file(const ring_file&) = delete;
    ring_file& operator=(const ring_file&) = delete;
    ~ring_file();

    /// Makes it. `chunks`: of 256 KiB; a thread that allocates holds one. Where a limit of this process allows fewer,
    /// there are fewer. Returns an empty string or what went wrong.
    std::string create(std::size_t chunks, const wire::ring_options& options);

    /// Maps the one that the recorded program has made: takes the descriptor. Returns the same.
    std::string adopt(int fd);

    const wire::ring& ring() const noexcept { return ring_; }

    /// What a program needs in its environment to find the file: "LINN_RECORD=…".
    std::string variable() const;

    /// Makes a chunk without an owner all zero, and returns its memory.
    void punch(std::uint32_t chunk) const noexcept;

private:
    bool map(std::size_t bytes);

    owned_fd file_;
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    wire::ring ring_;
};

/// Copies chunk `i`, which stays its owner's. False: a writer does not own it, or handed it over meanwhile.
bool copy_owned(const wire::ring& ring, std::uint32_t i, std::vector<unsigned char>& copy);

/// What a collector took.
struct collected : recorded_events {
    std::uint64_t stopped_ns = 0;    ///< when the first unwritten one came, by now_ns(); 0: there is none
    std::set<std::uint32_t> images;  ///< that wrote something
    std::set<std::uint32_t> threads; ///< the same
};

/// Empties the ring while the program runs, into a trace: full chunks, and what threads left that have ended. After the first problem
/// with the file the recording is closed, the program goes on without it.
class collector {
public:
    /// Drops what it takes where `trace` is null, and what other processes write than `only_pid`, unless that is 0.
    collector(const ring_file& ring, trace_writer* trace, std::uint32_t only_pid = 0) noexcept
        : ring_(ring),
          only_pid_(only_pid),
          trace_(trace) {}
    collector(const collector&) = delete;
    collector& operator=(const collector&) = delete;
    ~collector() { stop(); }

    void start(unsigned workers = 1);

    /// The recorded processes that still run.
    std::vector<std::uint32_t> living_processes();

    /// Why nothing more can be written; empty when it can.
    std::string problem();

    /// Closes the recording and takes what is there, also what living threads were writing.
    void finish();

    const collected& result() const noexcept { return result_; } ///< @pre finish()

private:
    struct worker_state {
        std::vector<unsigned char> copy;
        frame_compressor compressor;
    };

    void work(const std::stop_token& stop, bool looks_after_the_dead);
    void stop();
    bool take_full_chunks(worker_state& worker, const std::set<std::uint32_t>& left_out = {});
    void take_from_the_dead(worker_state& worker);
    void handle(std::uint32_t chunk, worker_state& worker);
    void hand_on(std::span<unsigned char> chunk, worker_state& worker);

    const ring_file& ring_;
    std::vector<std::jthread> workers_;
    const std::uint32_t only_pid_;
    std::mutex mutex_; ///< guards the members below
    trace_writer* const trace_;
    collected result_;
    std::set<std::uint32_t> pids_; ///< that wrote something
};

} // namespace linn::tool
