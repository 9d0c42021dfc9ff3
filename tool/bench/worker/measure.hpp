// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/ticks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool::worker {

/// One timed phase of a scenario.
struct phase {
    std::string name;
    double cycles_per_operation = 0;
    double faults_per_operation = 0;                     ///< minor page faults
    std::vector<std::pair<std::string, double>> metrics; ///< what else the scenario promises of this phase
};

/// What a scenario hands back.
struct outcome {
    std::vector<phase> phases;
    std::size_t work_check = 0; ///< a number every contender must agree on, so that all did the same work
    std::string error;          ///< not empty: the contender computed something wrong
    double cpu_share = 1;       ///< of the helper thread that had the least of its CPU while it was measured

    /// This process waits for others, or its threads for a CPU: then its own share of a CPU says nothing of a disturbance.
    bool waits = false;
    std::uint64_t peak_rss_bytes = 0; ///< of the processes that did the work, the highest; 0: it was this one
};

/// Makes the pointer escape, so that no compiler may delete the allocation behind it.
inline void escape(const void* p) noexcept {
    asm volatile("" : : "g"(p) : "memory");
}

/// Minor page faults of this process so far.
std::uint64_t page_faults() noexcept;

/// CPU time of the calling thread, in nanoseconds.
std::uint64_t cpu_ns() noexcept;

/// Highest resident size of this process so far, in bytes; 0 where the kernel does not say.
/// (VmHWM, because ru_maxrss is inherited over exec and would show the parent's peak.)
std::uint64_t peak_rss_bytes();

/// Pins the process as `options::cpu` says; returns the CPU, or -1 when it is not pinned.
int pin(const std::string& cpu);

/// CPUs that the process might use before `pin`.
unsigned usable_cpus();

/// Moves the calling thread to a CPU of its own: 0 is the one of `pin`, others follow, those of other cores before
/// the second thread of a core. Does nothing when the process is not pinned or has no other CPU.
void pin_thread(unsigned index);

/// Lets the calling thread run on every CPU that the process might use before `pin`. Does nothing when it is not pinned.
void unpin_thread();

/// Measures ticks and page faults from its construction to `finish`.
class stopwatch {
public:
    stopwatch() noexcept : faults_{page_faults()}, start_{ticks()} {}

    phase finish(std::string name, std::size_t operations) const {
        const std::uint64_t end = ticks();
        const std::uint64_t faults = page_faults();
        const double count = operations == 0 ? 1.0 : static_cast<double>(operations);
        return {std::move(name),
                static_cast<double>(end - start_) / count,
                static_cast<double>(faults - faults_) / count,
                {}};
    }

private:
    std::uint64_t faults_;
    std::uint64_t start_; // last, so that reading the faults is not timed
};

/// The middle one of several passes, by its time. @pre there is one
inline phase median_pass(std::span<phase> passes) {
    std::sort(passes.begin(), passes.end(),
              [](const phase& a, const phase& b) { return a.cycles_per_operation < b.cycles_per_operation; });
    return passes[passes.size() / 2];
}

} // namespace linn::tool::worker
