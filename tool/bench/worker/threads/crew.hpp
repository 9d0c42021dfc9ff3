// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../mapped_array.hpp"
#include "user.hpp"

#include <functional>

namespace linn::tool::worker {

/// Calls `body(index)` on `threads` new threads, which begin at once, and adds up what they return. Its times are from the
/// common start to the last end. Up to the number of CPUs each thread has one for itself; more threads run where
/// the system puts them.
tally run_crew(unsigned threads, const std::function<tally(unsigned)>& body);

} // namespace linn::tool::worker
