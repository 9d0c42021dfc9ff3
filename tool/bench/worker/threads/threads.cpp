// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include "../../inputs.hpp"
#include "../apart.hpp"
#include "timed_lock.hpp"

#include <algorithm>
#include <string>

namespace linn::tool::worker {
namespace {

/// What a process tells of its program, in memory that it shares with its parent.
struct report {
    bool complete;
    tally work;
    std::uint64_t peak_bytes;
    std::uint64_t faults;
    double held_ticks; ///< of the lock that was held longest
    double visits;     ///< of that lock
    double all_ticks;  ///< under all locks
};

void run_here(program run, const work_plan& plan, report& r) {
    lock_watch::calibrate();
    const std::uint64_t faults = page_faults();
    r.work = run(plan);
    r.faults = page_faults() - faults;
    r.peak_bytes = peak_rss_bytes();
    for (const lock_record& l : lock_watch::records) {
        const double held =
            std::max(0.0, static_cast<double>(l.held) - lock_watch::cost * static_cast<double>(l.visits));
        r.all_ticks += held;
        if (held > r.held_ticks) {
            r.held_ticks = held;
            r.visits = static_cast<double>(l.visits);
        }
    }
    r.complete = true;
}

/// Runs the program in a process of its own. @returns why it failed; empty when it did not
std::string run_program_apart(program run, const work_plan& plan, report& r) {
    if (std::string problem = run_apart([&] { run_here(run, plan, r); }); !problem.empty()) {
        return problem;
    }
    if (!r.complete) {
        return "it ended before its time";
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

/// What the timed run says of the plain one.
void add_lock_metrics(phase& p, const report& plain, const report& timed) {
    const double operations = static_cast<double>(plain.work.operations);
    const double ns_a_tick = static_cast<double>(timed.work.wall_ns) / static_cast<double>(timed.work.ticks);
    const double scale = ns_a_tick / static_cast<double>(timed.work.operations);
    const double busy_ns = static_cast<double>(plain.work.cpu_ns) / operations;
    const double held_ns = timed.held_ticks * scale;
    // A lock without visits never saturates; a number says so better than a missing field.
    constexpr double most = 1e6;
    p.metrics.emplace_back("lock_ns", held_ns);
    p.metrics.emplace_back("lock_visits", timed.visits / static_cast<double>(timed.work.operations));
    p.metrics.emplace_back("all_locks_ns", timed.all_ticks * scale);
    p.metrics.emplace_back("saturation_threads",
                           held_ns * most > busy_ns ? std::max(1.0, busy_ns / held_ns) : most);
}

} // namespace

outcome measure_program(const options& o, std::size_t usual_operations, program run,
                        program with_timed_locks) {
    outcome result;
    result.waits = true;
    const unsigned cpus = usable_cpus();
    for (const unsigned threads : thread_counts(cpus)) {
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
        if (with_timed_locks != nullptr && threads <= cpus) {
            const shared_report<report> timed;
            result.error = run_program_apart(with_timed_locks, plan, *timed);
            if (!result.error.empty()) {
                break;
            }
            add_lock_metrics(p, *done, *timed);
        }
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
