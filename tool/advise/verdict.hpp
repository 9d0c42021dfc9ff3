// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <string>

namespace linn::tool {

/// A ceiling below it, as a share of the run, means that no pool is needed: docs/guide/choosing.md.
inline constexpr double negligible_ceiling = 0.05;

struct advice_verdict {
    std::string sentence;
    bool is_pool_needed = false;
};

/// The sentence that comes first. @pre types have their gains and are in order
advice_verdict verdict_of(const advice& a);

} // namespace linn::tool
