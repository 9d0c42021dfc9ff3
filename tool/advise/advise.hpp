// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "snippet.hpp"
#include "type_groups.hpp"

#include <functional>

namespace linn::tool {

struct advise_options {
    double threshold = worth_a_pool;
    bool shows_runtime_leaks = false; ///< also what the C and C++ runtime keeps on purpose
};

/// What advise() asks of others.
struct advise_parts {
    naming names;
    source_reader sources;
    std::function<void(const char* doing, double share)> progress; ///< may be empty
};

/// Everything that `linn advise` says of an analysed trace.
/// @complexity O(sites x log), and the naming of each site
advice advise(trace_analysis analysis, const advise_options& options, const advise_parts& parts);

} // namespace linn::tool
