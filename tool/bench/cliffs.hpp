// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

namespace linn::tool {

/// A size whose cost is more than this many times that of the size before it is a cliff.
inline constexpr double cliff_factor = 3;

/// The cliffs of one row on all its curves. Both the medians and the minima must show one, and the next size, where there is
/// one, must cost as much: neither one slow round nor one slow size makes a cliff. Sizes that the row does not serve are
/// passed over. @pre the figures of its phases are known
std::vector<cliff> find_cliffs(const scenario& s, const row& r);

/// Those on the curve of so many threads.
std::vector<cliff> cliffs_on(const scenario& s, const row& r, unsigned threads);

/// "64K" for 65 536.
std::string short_size(std::size_t bytes);

} // namespace linn::tool
