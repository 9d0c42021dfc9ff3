// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "contenders.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// What is known of every worker process.
struct worker_answer {
    bool is_interrupted = false;
    std::string problem; ///< why its figures must not be used; empty when they may
    provider_proof proof;
};

/// Takes from a worker's JSON what one command wants of it, and returns what is wrong with that, or an empty string. Where
/// something is missing, it may throw nlohmann's exceptions.
using answer_reader = std::function<std::string(const nlohmann::json&)>;

/// Starts the companion program `worker` as a process of `c`, and waits for its answer, which `read` gets. Believes no
/// worker without proof of who provided its memory. `tick` is called a few times a second.
worker_answer ask_worker(std::string_view worker, std::vector<std::string> arguments, const contender& c,
                         std::chrono::seconds timeout, const interrupt_guard& guard,
                         const std::function<void()>& tick, const answer_reader& read);

/// The proof in a worker's JSON, the problem that it has itself, and what `read` takes from it.
worker_answer read_answer(const std::string& text, const answer_reader& read);

} // namespace linn::tool
