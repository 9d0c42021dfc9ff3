// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../allocators/proof.hpp"
#include "../measure/interrupt.hpp"
#include "results.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linn::tool {

/// One way to execute a program.
struct replay_source {
    std::string source = "system";        ///< the worker's word: "system", "linn", "group=N", "null"
    std::filesystem::path library;        ///< preloaded; empty: nothing
    std::vector<std::string> environment; ///< NAME=value
};

/// What one worker process measured.
struct replay_sample {
    std::string problem; ///< why there are no figures; empty when there are
    bool is_interrupted = false;
    double cpu_seconds = 0;
    double wait_seconds = 0;
    double wall_seconds = 0;
    double peak_rss_bytes = 0;
    std::uint64_t checksum = 0;
    std::uint64_t wrong_blocks = 0; ///< with "check"
};

/// The worker's word for it.
const char* to_string(replay_touch touch) noexcept;

/// Executes the program in `file` in a worker process, and believes it only with proof of the allocator. `touch` is a
/// word of the worker's: one of `to_string`, or "check", which verifies every block.
replay_sample execute_program(const std::string& file, const replay_source& source, const std::string& touch,
                              std::chrono::seconds timeout, const interrupt_guard& guard,
                              const std::function<void()>& tick);

} // namespace linn::tool
