// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include "../../scenario.hpp"
#include "../measure.hpp"

#include <algorithm>
#include <string>

namespace linn::tool::worker {
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
        const shared_report<report> done;
        result.error = run_program_apart(run, plan, *done);
        if (!result.error.empty()) {
            break;
        }
        const tally& t = done->work;
        const double operations = static_cast<double>(t.operations);
        phase p{std::to_string(threads),
                static_cast<double>(t.ticks) / operations,
                static_cast<double>(done->faults) / operations,
                {}};
        p.metrics.emplace_back("peak_rss_bytes", static_cast<double>(done->peak_bytes));
        p.metrics.emplace_back("seconds", static_cast<double>(t.wall_ns) * 1e-9);
        result.phases.push_back(std::move(p));
        result.work_check += t.operations + t.bytes;
        result.peak_rss_bytes = std::max(result.peak_rss_bytes, done->peak_bytes);
        if (threads == 1) { // more may have to wait for one another
            result.cpu_share = static_cast<double>(t.cpu_ns) / static_cast<double>(t.wall_ns);
        }
    }
    return result;
}

} // namespace linn::tool::worker
