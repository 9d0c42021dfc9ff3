// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../replay/results.hpp"
#include "figure.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::html {

/// The row's title with its version.
std::string name_of(const replay_row& row);

/// Linn's own rows, and those that are no contenders.
emphasis style_of(const replay_row& row);

/// Every round of every row as a dot, by the default's in the same round; at most `most` rows.
markup rounds_plot(id_source& ids, const replay_result& result, const std::vector<replay_row>& rows,
                   const char* title, std::size_t most);

/// What each allocator would save of the program's CPU time; nothing where that is not known.
markup savings_plot(id_source& ids, const replay_result& result);

} // namespace linn::tool::html
