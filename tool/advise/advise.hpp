// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"
#include "allocation_cost.hpp"
#include "snippet.hpp"
#include "type_groups.hpp"

#include <cstddef>
#include <functional>

namespace linn::tool {

struct advise_options {
    allocation_prices prices = {};
    bool shows_runtime_leaks = false; ///< also what the C and C++ runtime keeps on purpose
};

/// What advise() asks of others.
struct advise_parts {
    naming names;
    source_reader sources;
    std::function<void(const char* doing, double share)> progress; ///< may be empty
};

/// Everything that `linn advise` says of an analysed trace.
advice advise(trace_analysis analysis, const advise_options& options, const advise_parts& parts);

} // namespace linn::tool
