// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include "../team.hpp"

#include <algorithm>
#include <thread>
#include <vector>

namespace linn::tool::worker {
namespace {

struct member {
    tally counts;
    std::uint64_t start_ticks = 0;
    std::uint64_t start_ns = 0;
    std::uint64_t end_ticks = 0;
    std::uint64_t end_ns = 0;
};

} // namespace

tally run_crew(unsigned threads, const std::function<tally(unsigned)>& body) {
    const bool has_own_cpus = threads <= usable_cpus();
    std::vector<member> members(threads);
    spin_barrier barrier{threads};
    const std::uint64_t cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    std::vector<std::thread> crew;
    crew.reserve(threads);
    for (unsigned index = 0; index != threads; ++index) {
        crew.emplace_back([&, index] {
            if (has_own_cpus) {
                pin_thread(index);
            } else {
                unpin_thread();
            }
            member& own = members[index];
            barrier.wait();
            own.start_ns = now_ns();
            own.start_ticks = ticks();
            own.counts = body(index);
            own.end_ticks = ticks();
            own.end_ns = now_ns();
        });
    }
    for (std::thread& t : crew) {
        t.join();
    }

    tally all;
    member whole = members.front();
    for (const member& m : members) {
        all += m.counts;
        whole.start_ticks = std::min(whole.start_ticks, m.start_ticks);
        whole.start_ns = std::min(whole.start_ns, m.start_ns);
        whole.end_ticks = std::max(whole.end_ticks, m.end_ticks);
        whole.end_ns = std::max(whole.end_ns, m.end_ns);
    }
    all.ticks = whole.end_ticks - whole.start_ticks;
    all.wall_ns = whole.end_ns - whole.start_ns;
    all.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    return all;
}

} // namespace linn::tool::worker
