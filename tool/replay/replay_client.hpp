// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/worker.hpp"
#include "results.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace linn::tool {

/// What one worker process measured.
struct replay_sample : worker_answer {
    double cpu_seconds = 0;
    double wait_seconds = 0;
    double wall_seconds = 0;
    double peak_rss_bytes = 0;
    std::uint64_t checksum = 0;
    std::uint64_t wrong_blocks = 0; ///< with "check"
};

/// The worker's word for it.
const char* to_string(replay_touch touch) noexcept;

/// Executes the program in `file` in a worker process. `source` is what serves it: its `worker_id` is "system", "linn",
/// "group=N" or "null". `touch` is a word of the worker's: one of `to_string`, or "check", which verifies every block.
replay_sample execute_program(const std::string& file, const contender& source, const std::string& touch,
                              std::chrono::seconds timeout, const interrupt_guard& guard,
                              const std::function<void()>& tick);

} // namespace linn::tool
