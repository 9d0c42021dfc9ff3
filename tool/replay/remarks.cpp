// SPDX-License-Identifier: Apache-2.0
#include "../experiment/too_few_rounds.hpp"
#include "../measure/quantity.hpp"
#include "estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace linn::tool {
namespace {

using figures::percent;

const char* touch_text(replay_touch touch) noexcept {
    switch (touch) {
    case replay_touch::none:
        return "no block is written to, so page faults and cache misses that the program would pay are "
               "missing";
    case replay_touch::byte:
        return "the first byte of each new block is written";
    case replay_touch::lines:
        return "one byte in 64 of each new block is written, up to 1 MiB of it";
    case replay_touch::all:
        return "each new block is written whole";
    }
    return "";
}

void remark_on_threads(replay_result& result, const replay_circumstances& c) {
    if (result.threads < 2) {
        return;
    }
    std::string text =
        fmt::format("{} threads, {} blocks handed over between them: each waits where it needs "
                    "another's block, which is not counted as cost",
                    result.threads, result.hand_overs);
    if (result.threads > result.machine.cpus && result.machine.cpus != 0) {
        text += fmt::format("; they share {}, so contention differs from that on more CPUs",
                            figures::counted(result.machine.cpus, "CPU"));
    }
    result.remarks.push_back(text + '.');
    // Where the replay was wrong, it was here: a pipeline whose threads slept more often the faster its allocator was.
    if (result.hand_overs * 20 > result.allocations) {
        result.warnings.push_back(
            fmt::format("{} of the blocks are released by another thread; a replay does not have the pace of "
                        "the threads, so it cannot show how long they wait for each other",
                        percent(static_cast<double>(result.hand_overs) /
                                static_cast<double>(std::max<std::uint64_t>(result.allocations, 1)))));
    }
    if (c.info->clock != "tsc" && !c.info->clock.empty()) {
        result.warnings.push_back(fmt::format(
            "the trace was recorded with --clock={}, so the order of events of different threads is "
            "approximate; {} allocations came before the release of the block that was at their address",
            c.info->clock, c.reused_addresses));
    }
}

std::string change_of_program(double change) {
    return fmt::format("{} {}", percent(std::abs(change)), change <= 0 ? "less" : "more");
}

/// The rows that are compared with the default.
std::vector<const replay_row*> rivals(const replay_result& result) {
    std::vector<const replay_row*> list;
    for (const replay_row& r : result.rows) {
        if (r.failure.empty() && !r.seconds.empty() && r.name != default_name &&
            r.name != default_again_name && r.name != null_name) {
            list.push_back(&r);
        }
    }
    return list;
}

/// The smallest ratio; null for no rows.
const replay_row* fastest(const std::vector<const replay_row*>& rows) {
    const auto found =
        std::min_element(rows.begin(), rows.end(),
                         [](const replay_row* a, const replay_row* b) { return a->ratio < b->ratio; });
    return found == rows.end() ? nullptr : *found;
}

std::string too_few(const replay_result& result, std::size_t compared) {
    too_few_rounds rounds;
    rounds.done = result.complete_rounds;
    rounds.seconds = result.measured_seconds;
    rounds.why = why_stopped(result.interrupted_by, result.complete_rounds, result.options.rounds);
    rounds.others = compared > 1 ? "--allocators" : "";
    const std::string purpose =
        compared == 0 ? "to judge anything" : "to compare " + figures::counted(compared, "allocator");
    return text_of(rounds, purpose) + '.';
}

} // namespace

std::string verdict_of(const replay_result& result) {
    if (!result.problem.empty()) {
        return fmt::format("Nothing was replayed: {}.", result.problem);
    }
    if (result.complete_rounds == 0) {
        return "Nothing was replayed: it was stopped before a round was complete.";
    }
    std::vector<const replay_row*> rows = rivals(result);
    if (result.complete_rounds < rounds_to_judge) {
        return too_few(result, rows.size());
    }
    const replay_row* best = fastest(rows);
    std::erase_if(rows, [](const replay_row* r) { return r->call != replay_call::faster; });
    const replay_row* winner = fastest(rows);
    const bool has_program = result.program_cpu_seconds > 0;
    std::string text = "There was nothing to compare with the default";
    if (winner != nullptr) {
        text = fmt::format("{} serves the recorded requests in {} CPU time than the default", winner->title,
                           change_of_program(winner->ratio - 1));
        if (has_program) {
            text += fmt::format(", which would be {} of the program's", change_of_program(winner->change));
        }
    } else if (best != nullptr) {
        text = fmt::format(
            "No allocator serves the recorded requests measurably faster than the default; the best is "
            "{}, with {} CPU time",
            best->title, change_of_program(best->ratio - 1));
    }
    if (has_program) {
        text += fmt::format("; an allocator that costs nothing would save {}", percent(result.ceiling()));
    }
    return text + '.';
}

void remark_on_replay(replay_result& result, const replay_circumstances& c) {
    result.verdict = verdict_of(result);
    result.remarks.push_back(
        fmt::format("The replay repeats {} recorded requests without the program's own work. So the caches "
                    "hold less of the program's data, and gains from a better layout of memory do not show. "
                    "Where this was measured, most predicted changes were 50 to 130 % of the true ones, and "
                    "a few were far off; the order was right up to ties. 'linn run' measures the truth.",
                    result.events));
    result.remarks.push_back(fmt::format("Touching: {}.", touch_text(result.options.touch)));
    remark_on_threads(result, c);
    if (result.find(linn_name) != nullptr && result.by_operator_new * 2000 < result.allocations * 1999) {
        result.remarks.push_back(fmt::format(
            "Linn serves what came from operator new, {} of the allocations; what called malloc stays with "
            "the default.",
            percent(static_cast<double>(result.by_operator_new) / static_cast<double>(result.allocations))));
    }
    if (result.noise_floor > 0) {
        result.remarks.push_back(
            fmt::format("Noise floor, the default against itself: {}; smaller differences mean "
                        "nothing.",
                        percent(result.noise_floor)));
    }
    if (c.info->baseline_cpu_ns <= 0 && result.program_cpu_seconds > 0) {
        result.remarks.push_back(fmt::format(
            "The program's own CPU time is an estimate: the recorded one, less {} for each event. "
            "'linn record --baseline' measures it.",
            figures::written(figures::unit::nanoseconds, c.info->event_cost_ns)));
    }
    if (result.program_cpu_seconds <= 0) {
        result.warnings.push_back(
            "the program's CPU time without the recording is not known, so changes of the "
            "program cannot be told; 'linn record --baseline' measures it");
    }
    if (!result.rows.empty() && result.program_cpu_seconds > 0 &&
        result.rows.front().median > 0.9 * result.program_cpu_seconds) {
        result.warnings.emplace_back(
            "the replay under the default took as long as the whole program did, so it does not show what "
            "happened in the program: threads may get into each other's way more than in the "
            "program, or the program's CPU time is wrong");
    }
    if (c.is_cut) {
        result.remarks.push_back(
            fmt::format("Of the trace the first {} events are replayed, {} of them all; the "
                        "program's CPU time is scaled by that.",
                        result.events, percent(c.replayed_share)));
    }
    if (c.process_share < 0.9999) {
        result.remarks.push_back(
            fmt::format("The trace has several process images; the busiest is replayed, {}, with "
                        "{} of the events. The changes are shares of the CPU time of all.",
                        result.process, percent(c.process_share)));
    }
    if (c.info->attached_pid != 0) {
        result.remarks.push_back(fmt::format(
            "The program had run for {} when its recording began: {} releases of blocks "
            "from before are left out.",
            figures::written(figures::unit::nanoseconds, c.info->attached_age_ns), result.skipped));
    } else if (result.skipped * 1000 > result.events) {
        result.warnings.push_back(
            fmt::format("{} releases were left out, because the trace does not have the "
                        "allocation of their blocks",
                        result.skipped));
    }
    if (c.info->dropped != 0) {
        result.warnings.push_back(
            fmt::format("the recording lost {} events; the replay lacks them", c.info->dropped));
    }
}

} // namespace linn::tool
