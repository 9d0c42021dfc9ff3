// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "results.hpp"

#include <functional>
#include <string>

namespace linn::tool {

/// The answer of one worker process.
struct worker_reply {
    bool interrupted = false;
    std::string problem; ///< why there is no sample; empty when there is one
    sample measured;
    provider_proof proof;
    std::string broken_alignment;
    std::string compiler;
    std::string build;
};

/// Starts worker processes, and believes none of them without proof.
class worker_client {
public:
    /// Finds the worker program next to this one.
    worker_client(const bench_options& options, const interrupt_guard& guard, std::function<void()> tick);

    /// Asks who provides memory under this contender, without measuring.
    worker_reply prove(const contender& c) const;

    /// Runs one scenario once; `variant` is empty in scenarios without.
    worker_reply measure(const contender& c, const scenario& s, std::string_view variant) const;

private:
    worker_reply run(const contender& c, std::vector<std::string> arguments, const scenario* s) const;

    const bench_options* options_;
    const interrupt_guard* guard_;
    std::function<void()> tick_;
    std::string program_;
};

/// Reads one line of a worker's JSON; on a malformed one, `problem` says so. `phases` are the expected ones.
worker_reply parse_reply(const std::string& text, std::span<const phase_info> phases);

} // namespace linn::tool
