// SPDX-License-Identifier: Apache-2.0
#include "bench_table.hpp"

#include "../bench/summary.hpp"
#include "../measure/process.hpp"
#include "remarks.hpp"
#include "variant_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

namespace linn::tool {
namespace {

std::string heading(const bench_result& result, const scenario_result& s) {
    const std::string rounds = s.least_rounds == s.most_rounds
                                   ? fmt::format("{} round{}", s.most_rounds, s.most_rounds == 1 ? "" : "s")
                                   : fmt::format("{} to {} rounds", s.least_rounds, s.most_rounds);
    return fmt::format("{}: {}, {}", s.what->name, heading_of(result.options, *s.what), rounds);
}

/// "quick: 3 of at most 5 rounds in 240 s, 50 % of the usual work; took 3:47".
std::string effort_line(const bench_result& result) {
    const bench_options& o = result.options;
    std::string text = o.full ? "full" : "quick";
    const auto seconds = static_cast<int>(result.seconds + 0.5);
    if (result.budget_spent())
        text +=
            fmt::format(": {} of {} rounds fitted in {:.0f} s", result.complete_rounds, o.rounds, o.budget_s);
    else
        text += fmt::format(": {} round{}", result.complete_rounds, result.complete_rounds == 1 ? "" : "s");
    if (o.work != 100)
        text += fmt::format(", {} % of the usual work", o.work);
    text += fmt::format("; took {}:{:02}", seconds / 60, seconds % 60);
    return text;
}

std::string machine_lines(const bench_result& result, std::size_t width) {
    const machine_info& m = result.machine;
    const bench_options& o = result.options;
    // A run that was stopped at once has not asked the worker yet.
    const std::string build =
        m.build.empty() ? "" : fmt::format("worker: compiler {}, {}; ", m.compiler, m.build);
    const std::string pinning = o.cpu == "none"   ? "not pinned"
                                : o.cpu == "auto" ? "each process pinned to the CPU it started on"
                                                  : fmt::format("pinned to CPU {}", o.cpu);
    std::string out = wrap(fmt::format("machine: {}, {} CPUs, {}; transparent huge pages: {}", m.cpu_model,
                                       m.cpus, m.kernel, m.huge_pages),
                           width, 2);
    out += '\n' + wrap(fmt::format("{}{}; cycles: {} at {:.3f} GHz; seed {}", build, pinning, m.counter,
                                   m.ticks_per_ns, o.seed),
                       width, 2);
    if (!m.environment.empty())
        out +=
            '\n' + wrap(fmt::format("environment that steers allocators: {}", fmt::join(m.environment, " ")),
                        width, 2);
    out += '\n' + wrap(effort_line(result), width, 2);
    return out + '\n';
}

} // namespace

std::string bench_report(const bench_result& result, const output_style& style) {
    std::map<std::string, int> marks;
    std::vector<std::string> notes;
    for (const contender& c : result.contenders)
        if (c.kind != contender_kind::in_process && !c.notes.empty()) {
            notes.push_back(fmt::format("{}: {}", c.title, fmt::join(c.notes, "; ")));
            marks[c.name] = static_cast<int>(notes.size());
        }

    std::string out;
    if (!result.complete())
        out += bold(style, fmt::format("partial: stopped by {} after {} of {} complete rounds",
                                       signal_name(result.interrupted_by), result.complete_rounds,
                                       result.options.rounds)) +
               '\n';
    out += machine_lines(result, style.width);
    if (result.machine.build == "not optimised")
        out += bold(style, "The worker was built without optimisation: these figures mean nothing.") + '\n';
    for (const scenario_result& s : result.scenarios) {
        if (s.rows.empty())
            continue;
        out += '\n' + bold(style, wrap(heading(result, s), style.width, 2)) + '\n';
        out += variant_report(result, s, marks, style);
    }
    if (!notes.empty() || !result.missing.empty())
        out += '\n';
    for (std::size_t i = 0; i != notes.size(); ++i)
        out += wrap(fmt::format("[{}] {}", i + 1, notes[i]), style.width, 4) + '\n';
    for (const left_out& l : result.missing) {
        std::string where = l.scenario.empty() ? "" : fmt::format(" in {}", l.scenario);
        if (!l.variant.empty())
            where += fmt::format(", {}", l.variant);
        out += wrap(fmt::format("left out: {}{}: {}", l.name, where, l.reason), style.width, 4) + '\n';
    }
    for (const std::string& finding : findings(result))
        out += '\n' + wrap(finding, style.width) + '\n';
    return out;
}

} // namespace linn::tool
