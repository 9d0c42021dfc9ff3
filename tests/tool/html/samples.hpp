// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advise/advice.hpp"
#include "bench/results.hpp"
#include "run/results.hpp"
#include "try/trial.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::samples {

/// A name that an HTML page must not take for markup.
inline const std::string hostile = "<script>document.title='stolen'</script>&\"'";

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

/// The advice for a made-up program with four types, one of which is named `hostile`, and as many small ones more.
advice make_advice(std::size_t more_types = 6);

} // namespace linn::tool::samples
