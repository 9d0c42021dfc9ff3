// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "allocation_cost.hpp"
#include "snippet.hpp"
#include "type_groups.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>

namespace linn::tool {

struct advise_options {
    std::filesystem::path trace;
    bool use_replay = true;
    std::chrono::seconds replay_budget{20}; ///< for all replays together
    std::size_t replay_rounds = 11;
    std::size_t most_priced = 10; ///< types that one replay prices, each alone
    std::size_t most_replays = 3; ///< within the budget
    allocation_prices prices = {};
    bool shows_runtime_leaks = false; ///< also what the C and C++ runtime keeps on purpose
};

/// What advise() asks of others.
struct advise_parts {
    naming names;
    std::function<replay_result(const replay_options&)>
        replay; ///< may be empty: gains are estimated from counts
    source_reader sources;
    std::function<void(const char* doing, double share)> progress; ///< may be empty
    std::function<void(advice&)>
        measure; ///< may be empty: writes what was tried into the advice, with the types in order
};

/// Everything that `linn advise` says of an analysed trace.
advice advise(trace_analysis analysis, const advise_options& options, const advise_parts& parts);

} // namespace linn::tool
