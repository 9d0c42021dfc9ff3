// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/machine.hpp"
#include "child_program.hpp"
#include "collector.hpp"
#include "recorder.hpp"
#include "trace_output.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace linn::tool {

/// 4 GiB of addresses in linn; a recorded program maps those that it uses.
inline constexpr std::size_t ring_chunks = 16'384;

/// Threads that want a processor for each that there is, over the last minute; 0: not known.
double load_per_cpu();

/// Started with closed standard streams, the shared memory and the trace would get their numbers. The program still
/// finds them closed.
struct standard_streams_taken {
    standard_streams_taken();
};

/// What a recording is made of, whether it starts the program or attaches to it. In the order of the calls: find_library(),
/// start_from(), ring_options(), begin_trace(), start_collecting(), end_collecting(), conclude().
class recording_base {
protected:
    recording_base(const record_options& options, const announce_function& announce,
                   recording_watcher* watcher);
    ~recording_base() = default;

    /// False: no library, which is in `result_`.
    bool find_library();
    /// Everything known before the start except the program.
    void start_from(const machine_info& machine);
    wire::ring_options ring_options() const;
    /// The clock starts.
    void begin_trace();
    /// `only_pid`: of no other process; 0: of all. One thread keeps up with a few busy threads of the program.
    void start_collecting(std::uint32_t only_pid);
    void stop_watching();
    void end_collecting() {
        stop_watching();
        collector_->finish();
    }
    void remove_trace() const;

    struct instant {
        std::uint64_t ticks = 0;
        std::uint64_t ns = 0;
    };
    static instant now();
    /// Counts the events of processes that ended then, writes the end of the trace, and warns of the problems that every recording can have.
    /// @pre of `result_.end`: how it ended, its duration and CPU times
    void conclude(const instant& end);
    bool fail(std::string problem) {
        result_.problem = std::move(problem);
        return false;
    }

    const standard_streams_taken first_of_all_;
    const record_options& options_;
    const announce_function& announce_;
    recording_watcher* const watcher_; ///< null: there is no watcher
    record_result result_;
    std::filesystem::path library_;
    signal_desk desk_;
    recording_start start_;
    trace_output output_;
    ring_file ring_;
    std::optional<collector> collector_;
    std::uint64_t start_ns_ = 0;

private:
    void count_events(const instant& end);
    void note_event_cost();
    void warn_of_events();
};

} // namespace linn::tool
