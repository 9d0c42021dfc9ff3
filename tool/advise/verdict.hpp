// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advice.hpp"

#include <string>

namespace linn::tool {

struct advice_verdict {
    std::string sentence;
    bool is_pool_needed = false;
};

/// The sentence that comes first. @pre types have their gains and are in order
advice_verdict verdict_of(const advice& a);

} // namespace linn::tool
