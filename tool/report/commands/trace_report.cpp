// SPDX-License-Identifier: Apache-2.0
#include "../../advise/fills.hpp"
#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "../../profile/trace_view.hpp"
#include "../../trace/counts.hpp"
#include "../../trace/info.hpp"
#include "../document/document.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

const char* to_string(trace_process::origin began) {
    return word_of(began, {"start", "fork", "exec"});
}

std::string began(const trace_info& info, const trace_process& p) {
    const char* const how = to_string(p.began);
    const bool is_start = p.began == trace_process::origin::start;
    return !is_start && p.parent < info.processes.size() && &info.processes[p.parent] != &p
               ? fmt::format("{} of {}", how, info.processes[p.parent].pid)
               : how;
}

/// "about one block in 512 KiB: 30 blocks stand for 12.3 k allocations of ...".
std::string sample_text(const trace_info& info, const trace_counts& counts) {
    const sample_bounds b = bounds_of_sample(counts.estimated_bytes, counts.spread);
    return fmt::format(
        "about one block in {}: {} for {} of {}; counts below are of the sample",
        figure_of(unit::bytes, info.sample_bytes).text(),
        counted(counts.spread.blocks, "block stands", "blocks stand"),
        counted(figure_of(unit::about, counts.estimated_allocations), lettering::plain, "allocation"),
        figure_of(unit::bytes, {counts.estimated_bytes, b.low, b.high}).text(lettering::prose));
}

facts facts_of(const trace_info& info, const trace_counts& counts) {
    const auto time = [](double ns) { return ns > 0 ? cell{figure_of(unit::nanoseconds, ns)} : cell{}; };
    const auto text_if = [](bool is_so, const std::string& text) { return is_so ? text : std::string{}; };
    const std::size_t stacks = info.stacks.empty() ? 0 : info.stacks.size() - 1;
    const std::string age = figure_of(unit::nanoseconds, info.attached_age_ns).text();
    return {
        {{"Recorded", fmt::format("{} in {}, on {}", date_text(info.started), info.directory, info.machine)},
         {"Ended", info.ending.empty() ? "not known" : info.ending},
         {"Wall time", time(static_cast<double>(info.duration_ns))},
         {"CPU time, recording included", time(info.user_ns + info.system_ns)},
         {"CPU time without", time(info.baseline.cpu_ns)},
         {"Began late",
          text_if(info.attached_pid != 0,
                  fmt::format("process {} had run for {}: what it allocated before is not in the "
                              "trace, only its release",
                              info.attached_pid, age))},
         {"Holds only", text_if(info.holds_fills_only(),
                                fmt::format("blocks that {} or more of zeros were written into, without "
                                            "their releases",
                                            counted(info.smallest_fill, "byte")))},
         {"Sample", info.sample_bytes == 0 ? "" : sample_text(info, counts)},
         {"Events", fmt::format("{}{}", counts.events,
                                text_if(info.dropped != 0, fmt::format(", {} dropped", info.dropped)))},
         {"Cost of an event", time(info.event_cost_ns)},
         {"Stacks",
          fmt::format("{} of up to {}{}", stacks, counted(info.depth, "call"),
                      text_if(info.cut_stacks != 0,
                              fmt::format(", {} too early", counted(info.cut_stacks, "ends", "end"))))},
         {"Size", cell{{},
                       figure_of(unit::bytes, info.file_bytes),
                       fmt::format(", {} bytes an event",
                                   figure_of(unit::times, part_of(info.file_bytes, counts.events)).text())}},
         {"Not whole", fmt::format("{}", fmt::join(info.missing, "; "))}}};
}

struct counted_events {
    const char* kind;
    const char* call; ///< that caused them; empty: none
    std::uint64_t count;
};

std::vector<counted_events> events_by_call(const trace_counts& counts) {
    std::vector<counted_events> events;
    for (std::size_t k = 0; k != trace_counts::kinds; ++k) {
        for (std::size_t c = 0; c != trace_counts::calls; ++c) {
            if (const std::uint64_t n = counts.of_call[k][c]; n != 0) {
                events.push_back({to_string(static_cast<event_kind>(k)),
                                  c == 0 ? "" : to_string(static_cast<allocation_call>(c)), n});
            }
        }
    }
    return events;
}

table kinds_table(const trace_counts& counts) {
    table t{"Events by kind",
            {{.heading = "event", .is_text = true},
             {.heading = "by", .is_text = true},
             {.heading = "count"},
             {.heading = "share", .droppable = 1}}};
    for (const counted_events& e : events_by_call(counts)) {
        t.add({e.kind, e.call, figure_of(unit::count, e.count),
               figure_of(unit::share, part_of(e.count, counts.events))});
    }
    return t;
}

table processes_table(const trace_info& info) {
    table t{"Processes of the trace",
            {{.heading = "process"},
             {.heading = "program", .is_text = true},
             {.heading = "began", .is_text = true, .droppable = 2},
             {.heading = "at", .droppable = 2},
             {.heading = "events"},
             {.heading = "dropped", .droppable = 1}}};
    for (const trace_process& p : info.processes) {
        t.add({std::to_string(p.pid), p.executable.empty() ? "?" : p.executable, began(info, p),
               figure_of(unit::nanoseconds, p.began_at), figure_of(unit::count, p.events),
               figure_of(unit::count, p.dropped)});
    }
    return t;
}

table threads_table(const trace_info& info) {
    constexpr std::size_t most = 20;
    std::vector<const trace_thread*> threads;
    for (const trace_thread& thread : info.threads) {
        threads.push_back(&thread);
    }
    std::ranges::stable_sort(
        threads, [](const trace_thread* a, const trace_thread* b) { return a->events > b->events; });
    table t{"Threads with most events",
            {{.heading = "thread"},
             {.heading = "name", .is_text = true},
             {.heading = "process", .droppable = 1},
             {.heading = "events"}}};
    for (std::size_t i = 0; i != std::min(most, threads.size()); ++i) {
        t.add({std::to_string(threads[i]->tid), threads[i]->name,
               std::to_string(info.processes[threads[i]->process].pid),
               figure_of(unit::count, threads[i]->events)});
    }
    if (threads.size() > most) {
        t.remarks.push_back(fmt::format("and {} more", threads.size() - most));
    }
    return t;
}

table modules_table(const trace_info& info) {
    table t{
        "Modules of the program",
        {{.heading = "module", .is_text = true}, {.heading = "build id", .is_text = true, .droppable = 1}}};
    for (const trace_module& m : info.modules) {
        t.add({m.path, m.build_id.empty() ? "none" : m.build_id});
    }
    return t;
}

} // namespace

document trace_document(const std::string& file, const trace_info& info, const trace_counts& counts,
                        const trace_profile* profile, const trace_view& view) {
    const std::string program = program_of(info.command, file);
    document d{.command = "linn trace",
               .subject = program,
               .question = fmt::format("What did {} allocate?", program),
               .started = info.started,
               .machine = info.machine,
               .lead = file + ": " + shell_words(info.command)};
    d.add(facts_of(info, counts));
    if (profile != nullptr) {
        add_recording(d, *profile, view);
    }
    d.add_section("events", "Events").add(kinds_table(counts));
    d.add_section("processes", "Processes").add(processes_table(info));
    d.add_section("threads", "Threads, by events").add(threads_table(info));
    d.add_section("modules", "Modules").add(modules_table(info));
    d.data = [&] {
        data_table data{{"event", "call", "count"}, {}};
        for (const counted_events& e : events_by_call(counts)) {
            data.rows.push_back({e.kind, e.call, e.count});
        }
        return data;
    };
    return d;
}

namespace {

ordered_json counts_json(const trace_counts& counts) {
    ordered_json json = ordered_json::object();
    for (std::size_t k = 0; k != trace_counts::kinds; ++k) {
        ordered_json calls = ordered_json::object();
        for (std::size_t c = 1; c != trace_counts::calls; ++c) {
            if (counts.of_call[k][c] != 0) {
                calls[to_string(static_cast<allocation_call>(c))] = counts.of_call[k][c];
            }
        }
        json[to_string(static_cast<event_kind>(k))] = {{"count", counts.of_kind[k]}, {"calls", calls}};
    }
    return json;
}

ordered_json process_json(const trace_process& p) {
    return {{"pid", p.pid},
            {"parent", p.parent},
            {"began", to_string(p.began)},
            {"began_at_ns", p.began_at},
            {"executable", p.executable},
            {"arguments", p.arguments},
            {"events", p.events},
            {"dropped", p.dropped}};
}

} // namespace

std::string trace_json(const std::string& file, const trace_info& info, const trace_counts& counts) {
    ordered_json json{{"file", file},
                      {"file_bytes", info.file_bytes},
                      {"format", info.version},
                      {"whole", info.missing.empty()},
                      {"damage", info.missing}};
    json.update(recorded_json(info));
    json["baseline"] = info.baseline.cpu_ns > 0 ? ordered_json{{"cpu_ns", info.baseline.cpu_ns},
                                                               {"wall_ns", info.baseline.wall_ns},
                                                               {"system_ns", info.baseline.system_ns},
                                                               {"page_faults", info.baseline.page_faults}}
                                                : ordered_json{};
    json["recording"] = {{"depth", info.depth},
                         {"contents", info.contents},
                         {"smallest_fill", info.smallest_fill},
                         {"sample_bytes", info.sample_bytes},
                         {"event_cost_ns", info.event_cost_ns},
                         {"event_cost_samples", info.event_cost_samples}};
    json["events"] = counts.events;
    json["dropped"] = info.dropped;
    json["requested_bytes"] = counts.bytes;
    json["sample"] = sample_json(counts.spread, counts.estimated_bytes);
    if (counts.spread.blocks != 0) {
        json["sample"]["allocations"] = counts.estimated_allocations;
        json["sample"]["bytes"] = counts.estimated_bytes;
    }
    json["kinds"] = counts_json(counts);
    json["stacks"] = info.stacks.empty() ? 0 : info.stacks.size() - 1;
    json["cut_stacks"] = info.cut_stacks;
    json["processes"] = list_json(info.processes, process_json);
    json["threads"] = list_json(info.threads, [](const trace_thread& t) {
        return ordered_json{{"process", t.process}, {"tid", t.tid}, {"name", t.name}, {"events", t.events}};
    });
    json["modules"] = list_json(info.modules, [](const trace_module& m) {
        return ordered_json{{"path", m.path}, {"build_id", text_or_null(m.build_id)}};
    });
    return result_text("linn.trace/1", json);
}

} // namespace linn::tool::report
