// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// What a person in a hurry should read: where Linn wins and by how much, where it loses and what to use there, and which
/// general allocator is the best over all; four lines of a hundred characters at most unless names are very long. Empty
/// where fewer than two scenarios were measured: their own paragraphs say it all. Nothing within the noise is claimed.
std::string headline(const bench_result& result);

} // namespace linn::tool
