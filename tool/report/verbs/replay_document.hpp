// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../replay/results.hpp"
#include "../document/document.hpp"

#include <vector>

namespace linn::tool::report {

/// The report of `linn replay`: the verdict, the allocators, the types, how it agrees with a run, and how far to trust it.
document replay_document(const replay_result& result);

/// What each allocator needed for the recorded requests, then the same for one type at a time: for pages.
std::vector<block> replayed_allocators(const replay_result& result);

} // namespace linn::tool::report
