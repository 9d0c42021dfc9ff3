// SPDX-License-Identifier: Apache-2.0
#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "../../profile/trace_profile.hpp"
#include "../../symbols/cxx_name.hpp"
#include "../../trace/info.hpp"
#include "../plots/plots.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const block_counts& counts) {
    return {{"blocks", counts.blocks}, {"bytes", counts.bytes}};
}

ordered_json view_row_json(const view_row& r) {
    ordered_json json = row_name_json(r);
    json.update(counts_json(r.counts));
    json["allocated"] = counts_json(r.allocated);
    return json;
}

constexpr std::size_t lead_letters = 60;

std::string in_prose(const quantity& q) {
    return q.text(lettering::prose);
}

std::string moment_text(std::uint64_t ns) {
    return in_prose(figure_of(unit::nanoseconds, ns));
}

/// Of all rows together.
double share_of(const view_row& r, const trace_view& view) {
    return part_of(view.measure(r.counts, r.allocator_ns), view.measure(view.all, view.allocator_ns));
}

/// "; 45 % of it is std::list<Particle>".
std::string most_of(const trace_view& view) {
    if (view.types.empty() || view.measure(view.all, view.allocator_ns) == 0) {
        return {};
    }
    const view_row& first = view.types.front();
    return fmt::format("; {} of {} {}", percent(share_of(first, view)),
                       view.is_by_time                          ? "the time in the allocator is for"
                       : view.filter == block_filter::temporary ? "them are"
                                                                : "it is",
                       short_type(first.label, lead_letters));
}

std::string blocks_text(const block_counts& counts) {
    return fmt::format("{} in {}", in_prose(figure_of(unit::bytes, counts.bytes)),
                       counted(figure_of(unit::count, counts.blocks), lettering::prose, "block"));
}

std::string lead_of(const trace_profile& profile, const trace_view& view) {
    const trace_analysis& a = profile.analysis;
    const std::string program = program_of(a.info.command, "the program");
    if (view.allocated.blocks == 0) {
        return a.info.missing.empty() ? fmt::format("{} allocated nothing.", program)
                                      : fmt::format("Nothing that {} allocated is in the trace.", program);
    }
    switch (view.filter) {
    case block_filter::all:
        return fmt::format("{} allocated {}{}.", program, blocks_text(view.all), most_of(view));
    case block_filter::peak:
        return fmt::format("At its peak, {} after the beginning of {}, {} held {}{}.", moment_text(a.peak_ns),
                           moment_text(a.info.duration_ns), program, blocks_text(view.all), most_of(view));
    case block_filter::temporary:
        return fmt::format(
            "{} of {} ({}) {} temporary: the very next call of their thread released them{}.",
            in_prose(figure_of(unit::count, view.all.blocks)),
            counted(figure_of(unit::count, view.allocated.blocks), lettering::prose, "allocation"),
            percent(part_of(view.all.blocks, view.allocated.blocks)), agreeing(view.all.blocks, "is", "are"),
            most_of(view));
    case block_filter::leaks:
        break;
    }
    if (a.info.ran_on) {
        return fmt::format("{} held {} when the recording ended, and ran on{}.", program,
                           blocks_text(view.all), most_of(view));
    }
    if (view.all.blocks == 0 && !a.info.missing.empty()) {
        return fmt::format("Not known whether {} released every block: events are missing from the trace.",
                           program);
    }
    return view.all.blocks == 0
               ? fmt::format("{} released every block.", program)
               : fmt::format("{} never released {}{}.", program, blocks_text(view.all), most_of(view));
}

/// What the runtime libraries keep, which is not counted.
std::string runtime_text(const trace_profile& profile) {
    block_counts kept;
    for (const runtime_blocks& blocks : profile.kept_by_runtime) {
        kept += {blocks.count, blocks.bytes};
    }
    return kept.blocks == 0
               ? std::string{}
               : fmt::format(
                     "Not counted: {} that the C and C++ runtime keeps on purpose; --all-leaks counts them.",
                     blocks_text(kept));
}

/// "Types, by bytes live at the peak": the first rows, of which text shows `top`.
table view_table(const trace_view& view, row_kind kind, const std::vector<view_row>& rows, std::size_t top) {
    const std::string order = view.is_by_time ? "CPU time in the allocator"
                              : view.filter == block_filter::temporary
                                  ? "blocks released at once"
                                  : fmt::format("bytes {}", words_of(view.filter));
    return table_of(
        kind, capitalised(fmt::format("{}, by {}", to_string(kind), order)),
        {{.heading = "blocks"},
         {.heading = "bytes"},
         {.heading = "share"},
         {.heading = "allocated", .droppable = 2}},
        std::span{rows}, top, [&](const view_row& r) {
            return row{{figure_of(unit::count, r.counts.blocks), figure_of(unit::bytes, r.counts.bytes),
                        figure_of(unit::share, share_of(r, view)),
                        view.filter == block_filter::all ? cell{}
                                                         : cell{figure_of(unit::about, r.allocated.blocks)}}};
        });
}

data_table lines_of(const trace_view& view) {
    return data_of(lines_of_tables(view, view_row_json),
                   "what type function=place/function file=place/file line=place/line stack blocks "
                   "bytes allocated_blocks=allocated/blocks allocated_bytes=allocated/bytes");
}

void add_tables(document& d, const trace_view& view, std::size_t top, forms shown_in) {
    if (view.types.empty()) {
        return;
    }
    d.add_section("types", "Types").add(held_types(view, top), shown_in);
    d.add_section("places", "Places").add(view_table(view, row_kind::places, view.places, top), shown_in);
    d.add_section("stacks", "Stacks").add(view_table(view, row_kind::stacks, view.stacks, top), shown_in);
}

void add_time(document& d, const trace_profile& profile) {
    d.add_section("time", "Over time")
        .add(picture{[&a = profile.analysis] { return html::run_over_time(a); },
                     "Each is the most within a step; the line marks the peak. Events are allocations, "
                     "releases and reallocations of all threads. Time passes as it did under the recorder."});
}

void add_flame(document& d, const trace_profile& profile, const trace_view& view) {
    d.add_section("flame", "Stacks as a flame graph")
        .add(picture{
            [&profile, &view] { return html::flame_of_stacks(profile, view.filter, view.keeps_runtime); },
            "From the outermost call at the top to the type at the end, in blue. A box is as wide "
            "as its share."});
}

/// What a page about a whole recording has: live bytes over time, the types, places and stacks, and the flame graph.
void add_recording(document& d, const trace_profile& profile, const trace_view& view) {
    d.warnings.insert(d.warnings.end(), view.missing_symbols.begin(), view.missing_symbols.end());
    d.add(paragraph{lead_of(profile, view), true}, forms::page);
    if (view.allocated.blocks != 0) {
        const trace_analysis& a = profile.analysis;
        d.add(paragraph{fmt::format("At its peak, {} after the beginning of {}, it held {}.",
                                    moment_text(a.peak_ns), moment_text(a.info.duration_ns),
                                    blocks_text({a.all.live_at_peak, a.all.peak_live_bytes})),
                        true},
              forms::page);
    }
    add_time(d, profile);
    add_flame(d, profile, view);
    add_tables(d, view, 0, forms::page);
}

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
    facts f = recording_facts(info);
    f.entries.insert(
        f.entries.end(),
        {{"Began late",
          text_if(info.attached_pid != 0,
                  fmt::format("process {} had run for {}: what it allocated before is not in the "
                              "trace, only its release",
                              info.attached_pid, age))},
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
         {"Not whole", fmt::format("{}", fmt::join(info.missing, "; "))}});
    return f;
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
    std::vector<trace_thread> threads = info.threads;
    std::ranges::stable_sort(threads, std::ranges::greater{}, &trace_thread::events);
    table t{"Threads with most events",
            {{.heading = "thread"},
             {.heading = "name", .is_text = true},
             {.heading = "process", .droppable = 1},
             {.heading = "events"}}};
    for (const trace_thread& one : std::span{threads}.first(std::min(most, threads.size()))) {
        t.add({std::to_string(one.tid), one.name, std::to_string(info.processes[one.process].pid),
               figure_of(unit::count, one.events)});
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

ordered_json trace_view_json(const trace_profile& profile, const trace_view& view) {
    const trace_info& info = profile.analysis.info;
    ordered_json json{{"file", profile.path.string()},
                      {"command", info.command},
                      {"started", info.started},
                      {"duration_ns", info.duration_ns},
                      {"incomplete", why_incomplete(info)},
                      {"attached", info.attached_pid != 0},
                      {"ran_on", info.ran_on},
                      {"filter", to_string(view.filter)},
                      {"peak",
                       {{"at_ns", profile.analysis.peak_ns},
                        {"bytes", profile.analysis.all.peak_live_bytes},
                        {"blocks", profile.analysis.all.live_at_peak}}},
                      {"sample_bytes", info.sample_bytes}};
    json.update(counts_json(view.all));
    json["allocated"] = counts_json(view.allocated);
    json["kept_by_runtime"] = list_json(profile.kept_by_runtime, [](const runtime_blocks& blocks) {
        return ordered_json{{"rule", blocks.rule}, {"blocks", blocks.count}, {"bytes", blocks.bytes}};
    });
    json["missing_symbols"] = view.missing_symbols;
    json["types"] = list_json(view.types, view_row_json);
    json["places"] = list_json(view.places, view_row_json);
    json["stacks"] = list_json(view.stacks, view_row_json);
    return result_json("linn.trace-view/2", json);
}

ordered_json trace_json(const std::string& file, const trace_info& info, const trace_counts& counts) {
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
    return result_json("linn.trace/2", json);
}

} // namespace

table held_types(const trace_view& view, std::size_t top) {
    return view_table(view, row_kind::types, view.types, top);
}

document trace_view_document(const trace_profile& profile, const trace_view& view, std::size_t top) {
    const trace_info& info = profile.analysis.info;
    const std::string program = program_of(info.command, "the program");
    document d{.command = "linn trace",
               .subject = fmt::format("{}: {}", program, words_of(view.filter)),
               .question = fmt::format("What is {} in {}?", words_of(view.filter), program),
               .started = info.started,
               .machine = info.machine,
               .lead = lead_of(profile, view)};
    d.add(code{shell_words(info.command)}, forms::page);
    if (view.filter == block_filter::leaks && !view.keeps_runtime) {
        if (std::string kept = runtime_text(profile); !kept.empty()) {
            d.add(paragraph{std::move(kept)});
        }
    }
    add_tables(d, view, top, forms::everywhere);
    add_time(d, profile);
    if (view.all.blocks != 0) {
        add_flame(d, profile, view);
    }
    d.warnings = why_incomplete(info);
    d.warnings.insert(d.warnings.end(), view.missing_symbols.begin(), view.missing_symbols.end());
    d.json = [&] { return trace_view_json(profile, view); };
    d.data = [&] { return lines_of(view); };
    return d;
}

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
    d.json = [&] { return trace_json(file, info, counts); };
    d.data = [&] {
        data_table data{{"event", "call", "count"}, {}};
        for (const counted_events& e : events_by_call(counts)) {
            data.rows.push_back({e.kind, e.call, e.count});
        }
        return data;
    };
    return d;
}

} // namespace linn::tool::report
