// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/interrupt.hpp"
#include "results.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// What a run does to the world outside, so that a test can put another world in its place.
struct run_world {
    std::function<target(const launch_spec& options)> find_target;
    std::function<std::vector<allocator_entry>()> take_inventory;
    std::function<observation(const launch_spec& spec)> launch;
    std::function<std::string(const std::string& command)> prepare;
    std::function<machine_info()> inspect;
    std::function<double()> canary; ///< ticks a step
    std::function<void(std::size_t bytes)> touch_memory;
    std::function<std::chrono::duration<double>()> now; ///< seconds since whenever
    std::function<int()> interrupted;                   ///< the signal pending, or 0
};

/// Called a few times a second while the program is measured.
using run_progress = std::function<void(const work_progress&)>;

/// Given a sentence for the person who waits, such as how long it will take.
using run_notice = std::function<void(const std::string&)>;

/// Asked after each round, when the least number of them is done: whether enough is known. It may end a row by its `most_rounds`.
using round_judge = std::function<bool(run_result& so_far)>;

/// The world that the program runs in. `tick` is called a few times a second while a process runs. What is given must outlive it.
run_world world_of(const run_options& options, const std::vector<std::string>& command,
                   const interrupt_guard& guard, const std::function<void()>& tick);

/// Finds the program, proves who provides its memory, and runs it under every allocator: all of them once a round, each
/// round in a random order of its own, until the intervals are narrow or the budget is spent. Returns early, with what
/// there is, when a signal is pending.
run_result run_program(const run_options& options, const std::vector<std::string>& command,
                       const interrupt_guard& guard, const run_progress& report, const run_notice& notice);

/// The same in another world. With `judge` an adaptive run ends when that says so, and not when the intervals are narrow.
run_result run_program(const run_options& options, const run_world& world, const run_progress& report,
                       const run_notice& notice, const round_judge& judge = {});

} // namespace linn::tool
