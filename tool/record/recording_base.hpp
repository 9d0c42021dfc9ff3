// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/machine.hpp"
#include "../trace/event.hpp"
#include "child_program.hpp"
#include "collector.hpp"
#include "recorder.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace linn::tool {

/// 4 GiB of addresses in linn; a recorded program maps those that it uses.
inline constexpr std::size_t ring_chunks = 16'384;

/// What a recording is made of, whether it starts the program or attaches to it. In the order of the calls: find_library(),
/// start_from(), ring_options(), begin_trace(), start_collecting(), conclude().
class recording_base {
public:
    explicit recording_base(const record_options& options) : options_(options) {}

protected:
    ~recording_base() = default;

    /// False: no library, which is in `result_`.
    bool find_library();
    /// Everything known before the start except the program.
    void start_from(const machine_info& machine);
    wire::ring_options ring_options() const;
    /// The clock starts, and the trace has its begin. False: the file cannot be created, which is in `result_`.
    bool begin_trace();
    /// What the program writes goes into the trace from now on. `pid`: of the program, whose children count only where they are
    /// followed.
    void start_collecting(pid_t pid);
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

    record_options options_;
    record_result result_;
    std::filesystem::path library_;
    signal_desk desk_;
    recording_start start_;
    trace_writer trace_;
    ring_file ring_;
    std::optional<collector> collector_;
    std::uint64_t start_ns_ = 0;
    std::jthread watcher_; ///< to make it empty stops and joins it

private:
    void count_events(const instant& end);
    void warn_of_events();
};

/// record_program() where the program runs already.
record_result record_running_program(const record_options& options);

} // namespace linn::tool
