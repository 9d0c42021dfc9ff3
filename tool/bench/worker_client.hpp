// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../experiment/contenders.hpp"
#include "results.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// The answer of one worker process.
struct worker_reply : worker_answer {
    sample measured;
    std::string compiler;
    std::string build;
};

/// Starts worker processes, and believes none of them without proof.
class worker_client {
public:
    worker_client(const bench_options& options, const interrupt_guard& guard, std::function<void()> tick);

    /// Asks a worker program who provides memory under this contender, without measuring.
    worker_reply prove(const contender& c, std::string_view worker) const;

    /// Runs one variant of a scenario once.
    worker_reply measure(const contender& c, const scenario& s, std::string_view variant) const;

private:
    worker_reply run(const contender& c, std::vector<std::string> arguments, std::string_view worker,
                     std::span<const phase_info> phases) const;

    const bench_options* options_;
    const interrupt_guard* guard_;
    std::function<void()> tick_;
};

} // namespace linn::tool
