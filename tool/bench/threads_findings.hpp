// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>

namespace linn::tool {

/// A lock of the library that saturates with fewer threads limits a program.
inline constexpr double enough_threads = 64;

/// What the locks of Linn's ways cost in one program of the group threads, in sentences with a space before each; empty where
/// it was not measured. Needs no rounds to judge: it is no comparison.
std::string lock_finding(const bench_result& result, const scenario_result& s);

/// How Linn stands in all programs of the group threads that were measured, on two threads: a place for each, the sum of their
/// times, memory, and which locks saturate. Empty where fewer than two were measured.
std::string threads_finding(const bench_result& result);

} // namespace linn::tool
