// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trial.hpp"

#include <string>

namespace linn::tool {

/// Writes what a trial measured into the advice whose candidates it tried: each type's gain, or why it has none, and that of
/// the pools together. `only_type`: what the types that were tried have in their name; empty: all were. A trial that could not measure leaves its problem, and the advice as it was predicted.
/// @complexity O(types x log)
void take_trial(advice& a, const try_result& result, const std::string& only_type = {});

} // namespace linn::tool
