// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "results.hpp"

#include <string>
#include <vector>

namespace linn::bench {

/// Where a contender leaves what it measured. It allocates nothing, so it does not disturb the allocator under
/// test: every value goes straight to a buffered standard output, which the driver reads.
class sampler {
public:
    explicit sampler(bool quick) noexcept : quick_{quick} {}

    /// One measured value of one cell. Times are in ticks an operation unless the workload says otherwise.
    void add(const char* cell, double value) noexcept;
    /// A remark that the driver prints below the tables, from the last round.
    void note(const char* text) noexcept;
    /// Whether to shrink the work to a check that it runs.
    bool quick() const noexcept { return quick_; }

private:
    bool quick_;
};

/// One way of doing the work of a workload.
struct contender {
    std::string name;
    role kind;
    void (*run)(sampler&);
};

/// What was asked and what came out, in words.
struct verdict {
    std::string target;
    std::string measured;
    bool pass;
};

/// A question and the contenders that answer it.
struct workload {
    std::string name;
    std::string title;
    std::string unit;       ///< of a printed value, where less is better
    bool samples_are_ticks; ///< then they are printed in nanoseconds and in cycles
    std::vector<std::string> cells;
    std::vector<contender> contenders;
    std::size_t rounds;
    std::vector<verdict> (*judge)(const results&);
};

/// The main function of every workload: drives the rounds, or is one contender in a child process.
int run_workload(int argc, char** argv, const workload& w);

} // namespace linn::bench
