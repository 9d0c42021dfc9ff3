// SPDX-License-Identifier: Apache-2.0
#include "trace_report.hpp"

#include "quantity.hpp"
#include "remarks.hpp"
#include "shell_words.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace linn::tool {
namespace {

std::string heading(const output_style& style, const char* text) {
    return '\n' + bold(style, text) + '\n';
}

std::string began(const trace_info& info, const trace_process& p) {
    switch (p.began) {
    case trace_process::origin::start:
        return "start";
    case trace_process::origin::fork:
    case trace_process::origin::exec:
        break;
    }
    const char* const how = p.began == trace_process::origin::fork ? "fork" : "exec";
    return p.parent < info.processes.size() && &info.processes[p.parent] != &p
               ? fmt::format("{} of {}", how, info.processes[p.parent].pid)
               : how;
}

std::string facts(const std::string& file, const trace_info& info, const trace_counts& counts,
                  const output_style& style) {
    std::string out = bold(style, file) + ": " + shell_words(info.command) + '\n';
    const auto line = [&](const std::string& text) { out += wrap(text, style.width, 2) + '\n'; };
    line(fmt::format("recorded {} in {}, on {}", info.started, info.directory, info.machine));
    line(fmt::format("{}; {} of wall time, {} of CPU time with the recording{}",
                     info.ending.empty() ? "how it ended is not known" : info.ending,
                     quantity_text(static_cast<double>(info.duration_ns), "ns"),
                     quantity_text(info.user_ns + info.system_ns, "ns"),
                     info.baseline_cpu_ns > 0
                         ? fmt::format(", {} without", quantity_text(info.baseline_cpu_ns, "ns"))
                         : ""));
    line(fmt::format(
        "stacks of up to {} calls by the {} unwinder, clock {}, {} an event{}", info.depth, info.unwinder,
        info.clock, info.event_cost_ns > 0 ? quantity_text(info.event_cost_ns, "ns") : "unmeasured cost",
        info.event_cost_samples == 0 ? ""
                                     : fmt::format(" (measured with {} of them)", info.event_cost_samples)));
    if (info.contents == "fills")
        line(fmt::format(
            "only blocks that {} or more bytes of zeros were written into, without their releases",
            info.smallest_fill));
    line(fmt::format("{} events{}, {} stacks{}, {} ({:.2f} bytes an event)", counts.events,
                     info.dropped == 0 ? "" : fmt::format(" ({} more were dropped)", info.dropped),
                     info.stacks.empty() ? 0 : info.stacks.size() - 1,
                     info.cut_stacks == 0 ? "" : fmt::format(" ({} end too early)", info.cut_stacks),
                     quantity_text(static_cast<double>(info.file_bytes), "bytes"),
                     counts.events == 0
                         ? 0.0
                         : static_cast<double>(info.file_bytes) / static_cast<double>(counts.events)));
    return out;
}

std::string kinds_table(const trace_counts& counts, const output_style& style) {
    table t{{{"event", "", true, 0}, {"by", "", true, 0}, {"count", "", false, 0}, {"share", "", false, 1}}};
    for (std::size_t k = 0; k != trace_counts::kinds; ++k)
        for (std::size_t c = 0; c != trace_counts::calls; ++c)
            if (const std::uint64_t n = counts.of_call[k][c]; n != 0)
                t.add_row({to_string(static_cast<event_kind>(k)),
                           c == 0 ? "" : to_string(static_cast<allocation_call>(c)), std::to_string(n),
                           fmt::format("{:.1f} %",
                                       100 * static_cast<double>(n) / static_cast<double>(counts.events))});
    return table_and_hidden(t, style);
}

std::string processes_table(const trace_info& info, const output_style& style) {
    table t{{{"process", "", false, 0},
             {"program", "", true, 0},
             {"began", "", true, 2},
             {"at", "", false, 2},
             {"events", "", false, 0},
             {"dropped", "", false, 1}}};
    for (const trace_process& p : info.processes)
        t.add_row({std::to_string(p.pid), p.executable.empty() ? "?" : p.executable, began(info, p),
                   quantity_text(static_cast<double>(p.began_at), "ns"), std::to_string(p.events),
                   std::to_string(p.dropped)});
    return table_and_hidden(t, style);
}

std::string threads_table(const trace_info& info, const output_style& style) {
    constexpr std::size_t most = 20;
    std::vector<const trace_thread*> threads;
    for (const trace_thread& thread : info.threads)
        threads.push_back(&thread);
    std::sort(threads.begin(), threads.end(), [](const trace_thread* a, const trace_thread* b) {
        return a->events != b->events ? a->events > b->events : a < b;
    });
    table t{{{"thread", "", false, 0},
             {"name", "", true, 0},
             {"process", "", false, 1},
             {"events", "", false, 0}}};
    for (std::size_t i = 0; i != std::min(most, threads.size()); ++i)
        t.add_row({std::to_string(threads[i]->tid), threads[i]->name,
                   std::to_string(info.processes[threads[i]->process].pid),
                   std::to_string(threads[i]->events)});
    return table_and_hidden(t, style) +
           (threads.size() > most ? fmt::format("  and {} more\n", threads.size() - most) : "");
}

std::string modules_table(const trace_info& info, const output_style& style) {
    table t{{{"module", "", true, 0}, {"build id", "", true, 1}}};
    for (const trace_module& m : info.modules)
        t.add_row({m.path, m.build_id.empty() ? "none" : m.build_id});
    return table_and_hidden(t, style);
}

/// Without the spaces of empty columns at the end.
std::string trimmed(std::string line) {
    line.resize(line.find_last_not_of(" \n") + 1);
    return line + '\n';
}

} // namespace

std::string trace_summary(const std::string& file, const trace_info& info, const trace_counts& counts,
                          const output_style& style) {
    std::string out = facts(file, info, counts, style);
    for (const std::string& damage : info.damage)
        out += wrap("  damage: " + damage, style.width, 4) + '\n';
    if (counts.events != 0)
        out += heading(style, "Events") + kinds_table(counts, style);
    if (!info.processes.empty())
        out += heading(style, "Processes") + processes_table(info, style);
    if (!info.threads.empty())
        out += heading(style, "Threads, by events") + threads_table(info, style);
    if (!info.modules.empty())
        out += heading(style, "Modules") + modules_table(info, style);
    return out;
}

std::string event_heading() {
    return trimmed(fmt::format("{:>14}  {:>8}  {:<12}  {:<24}  {:>18}  {:>12}  {:>7}  {}\n", "seconds",
                               "thread", "event", "by", "address", "bytes", "stack", ""));
}

std::string event_line(const trace_info& info, const event& e) {
    std::string more;
    if (e.kind == event_kind::reallocation)
        more = fmt::format("was {:#x}", e.old_address);
    else if (e.kind == event_kind::fill)
        more = fmt::format("took {}", quantity_text(static_cast<double>(e.old_address), "ns"));
    else if (e.alignment_log2 != 0)
        more = fmt::format("aligned to {}", std::uint64_t{1} << (e.alignment_log2 & 63));
    return trimmed(fmt::format("{:>14.9f}  {:>8}  {:<12}  {:<24}  {:>#18x}  {:>12}  {:>7}  {}\n",
                               static_cast<double>(e.time) / 1e9, info.threads[e.thread].tid,
                               to_string(e.kind), e.call == allocation_call::none ? "" : to_string(e.call),
                               e.address, e.kind == event_kind::release ? "" : std::to_string(e.bytes),
                               e.stack == 0 ? "" : std::to_string(e.stack), more));
}

} // namespace linn::tool
