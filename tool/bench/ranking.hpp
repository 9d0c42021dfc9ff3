// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <vector>

namespace linn::tool {

/// A general allocator over everything that was measured of it.
struct ranked_allocator {
    std::size_t contender = 0;
    double speed = 1; ///< glibc's time by its, the geometric mean over scenarios: above 1 it is faster
};

/// The general allocators that ran in every scenario measured, fastest first, glibc among them. Every scenario counts
/// alike, whatever its number of columns. glibc that keeps its heap takes no part: it is a setting, and not everywhere.
std::vector<ranked_allocator> rank_allocators(const bench_result& result);

/// How far apart two of them must be to be told apart: what glibc and its second copy differ by, but at least 2 %.
double ranking_threshold(const bench_result& result);

} // namespace linn::tool
