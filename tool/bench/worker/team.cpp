// SPDX-License-Identifier: Apache-2.0
#include "team.hpp"

#include <algorithm>
#include <vector>

namespace linn::tool::worker {
namespace {

/// What the passes of one thread took.
struct member {
    struct pass {
        std::uint64_t start = 0;
        std::uint64_t end = 0;
    };

    std::vector<pass> passes;
    double share = 1; ///< of its CPU
};

} // namespace

phase measure_team(std::string name, unsigned threads, std::size_t operations, passes how,
                   double& least_share, const std::function<void(const run_passes&)>& work) {
    spin_barrier barrier{threads};
    std::uint64_t faults = 0;
    std::vector<member> members(threads);
    const auto take_part = [&](unsigned index) {
        member& own = members[index];
        own.passes.resize(how.count);
        work([&](const std::function<void(std::size_t)>& body) {
            barrier.wait();
            if (how.warm_up) {
                body(operations);
            }
            barrier.wait();
            if (index == 0) {
                faults = page_faults();
            }
            const std::uint64_t wall = now_ns();
            const std::uint64_t busy = cpu_ns();
            for (member::pass& p : own.passes) {
                barrier.wait();
                p.start = ticks();
                body(operations);
                p.end = ticks();
            }
            own.share = static_cast<double>(cpu_ns() - busy) / static_cast<double>(now_ns() - wall);
            barrier.wait();
            if (index == 0) {
                faults = page_faults() - faults;
            }
            barrier.wait(); // no thread returns memory while faults are counted
        });
    };
    {
        std::vector<std::thread> helpers;
        for (unsigned index = 1; index < threads; ++index) {
            helpers.emplace_back([&, index] {
                pin_thread(index);
                take_part(index);
            });
        }
        take_part(0);
        for (std::thread& t : helpers) {
            t.join();
        }
    }
    std::vector<double> durations;
    for (std::size_t p = 0; p != how.count; ++p) {
        member::pass whole = members.front().passes[p];
        for (const member& m : members) {
            whole.start = std::min(whole.start, m.passes[p].start);
            whole.end = std::max(whole.end, m.passes[p].end);
        }
        durations.push_back(static_cast<double>(whole.end - whole.start) / static_cast<double>(operations));
    }
    std::sort(durations.begin(), durations.end());
    for (unsigned index = 1; index < threads; ++index) {
        least_share = std::min(least_share, members[index].share);
    }
    const double all = static_cast<double>(operations * how.count * threads);
    return {std::move(name), durations[how.count / 2], static_cast<double>(faults) / all, {}};
}

} // namespace linn::tool::worker
