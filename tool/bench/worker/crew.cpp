// SPDX-License-Identifier: Apache-2.0
#include "crew.hpp"

#include "../scenario.hpp"

#include <algorithm>
#include <string>
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

namespace {

/// What a process tells of its program, in memory that it shares with its parent.
struct report {
    tally work;
    std::uint64_t peak_bytes;
    std::uint64_t faults;
};

/// Runs the program in a process of its own. @returns why it failed; empty when it did not
std::string run_program_apart(program run, const work_plan& plan, report& r) {
    const auto work = [&] {
        const std::uint64_t faults = page_faults();
        r.work = run(plan);
        r.faults = page_faults() - faults;
        r.peak_bytes = peak_rss_bytes();
        return true;
    };
    if (std::string problem = run_apart(work); !problem.empty()) {
        return problem;
    }
    if (r.work.damaged != 0) {
        return std::to_string(r.work.damaged) + " blocks no longer held what was written";
    }
    if (r.work.allocated != r.work.freed) {
        return std::to_string(r.work.allocated) + " blocks were allocated, but " +
               std::to_string(r.work.freed) + " freed";
    }
    return {};
}

} // namespace

outcome measure_program(const options& o, std::size_t usual_operations, program run) {
    outcome result;
    result.waits = true;
    for (const unsigned threads : thread_counts(usable_cpus())) {
        const work_plan plan{threads, std::max<std::size_t>(1, o.scaled(usual_operations))};
        mapped_array<report> done{1, MAP_SHARED};
        result.error = run_program_apart(run, plan, done[0]);
        if (!result.error.empty()) {
            break;
        }
        const tally& t = done[0].work;
        const double operations = static_cast<double>(t.operations);
        phase p{std::to_string(threads),
                static_cast<double>(t.ticks) / operations,
                static_cast<double>(done[0].faults) / operations,
                {}};
        p.metrics.emplace_back("peak_rss_bytes", static_cast<double>(done[0].peak_bytes));
        p.metrics.emplace_back("seconds", static_cast<double>(t.wall_ns) * 1e-9);
        result.phases.push_back(std::move(p));
        result.work_check += t.operations + t.bytes;
        result.peak_rss_bytes = std::max(result.peak_rss_bytes, done[0].peak_bytes);
        if (threads == 1) { // more may have to wait for one another
            result.cpu_share = static_cast<double>(t.cpu_ns) / static_cast<double>(t.wall_ns);
        }
    }
    return result;
}

} // namespace linn::tool::worker
