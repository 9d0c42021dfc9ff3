// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/results.hpp"
#include "terminal.hpp"

#include <string>

namespace linn::tool {

/// The replay as text: the verdict, the table of allocators, that of types, how it agrees with a run, and how far to
/// trust it.
std::string replay_report(const replay_result& result, const output_style& style);

} // namespace linn::tool
