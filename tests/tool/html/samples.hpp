// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/results.hpp"
#include "run/results.hpp"
#include "try/trial.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

namespace linn::tool::samples {

/// A name that an HTML page must not take for markup.
inline const std::string hostile = "<script>document.title='stolen'</script>&\"'";

/// A number from 0 to 1 that looks random and is the same everywhere.
inline double wobble(std::size_t seed) {
    const double x = static_cast<double>(seed + 1) * std::numbers::phi;
    return x - std::floor(x);
}

/// What a made-up run of `linn bench` is like.
struct bench_sample {
    std::vector<std::string> scenarios = {};            ///< empty: all
    std::vector<std::string> allocators = {"jemalloc"}; ///< besides glibc twice
    std::size_t rounds = 10;
    double spread = 0.05; ///< of the samples around their median, as a share
    bool with_linn = true;
};

/// Figures that depend on the names alone: the first allocator 10 % faster than glibc, the next 20 %, Linn six times.
bench_result make_bench(const bench_sample& what);

/// A made-up run of `linn run` with the default, its copy and these allocators.
run_result make_run(const std::vector<std::string>& allocators, std::size_t rounds = 12);

/// A made-up trial of two types, one of them called `hostile`, with what is left out.
try_result make_try();

} // namespace linn::tool::samples
