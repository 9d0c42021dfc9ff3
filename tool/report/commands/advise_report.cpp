// SPDX-License-Identifier: Apache-2.0
#include "../../advise/advice.hpp"
#include "../../advise/rules.hpp"
#include "../../advise/type_groups.hpp"
#include "../../measure/suggest.hpp"
#include "../../measure/words.hpp"
#include "../../run/run.hpp"
#include "../../symbols/cxx_name.hpp"
#include "../plots/plots.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

/// Null where it is not known.
ordered_json time_json(const allocation_time& t) {
    if (!t.is_known()) {
        return {};
    }
    return {{"share", t.share},
            {"low", t.low},
            {"high", t.high},
            {"calls", t.calls},
            {"page_faults", t.page_faults},
            {"waiting", t.waiting},
            {"samples", t.samples},
            {"left_out", t.left_out},
            {"faults", t.faults},
            {"cpu_ns", t.cpu_ns}};
}

const char* to_word(time_unknown why) {
    return word_of(why, {"", "not-recorded", "no-counter", "counter-jumps", "few-samples", "no-cpu-time"});
}

/// A histogram without the empty places at its end.
ordered_json histogram_json(const log2_histogram& h) {
    std::size_t used = h.size();
    while (used != 0 && h[used - 1] == 0) {
        --used;
    }
    return ordered_json(std::vector<std::uint64_t>(h.begin(), h.begin() + static_cast<std::ptrdiff_t>(used)));
}

ordered_json statistics_json(const site_statistics& s) {
    const ordered_json sizes = list_json(s.sizes, [](const auto& entry) {
        return ordered_json{{"bytes", entry.first}, {"count", entry.second}};
    });
    // What lies next to each other is not in a sample.
    const bool is_sample = s.spread.blocks != 0;
    const auto of_neighbours = [&](std::uint64_t n) { return known_or_null(!is_sample, n); };
    return {{"allocations", s.allocations},
            {"bytes", s.bytes},
            {"sample", sample_json(s.spread, static_cast<double>(s.bytes))},
            {"smallest", s.smallest},
            {"largest", s.largest},
            {"sizes", sizes},
            {"uniformity", s.uniformity()},
            {"releases", s.releases},
            {"remote_releases", s.remote_releases},
            {"temporary", of_neighbours(s.temporary)},
            {"reallocations", s.reallocations},
            {"outgrown", of_neighbours(s.outgrown)},
            {"lifetime_histogram_ns", histogram_json(s.lifetimes)},
            {"median_lifetime_ns", known_or_null(s.releases != 0, s.lifetime_quantile(0.5))},
            {"live_at_end", s.live_at_end},
            {"live_bytes_at_end", s.live_bytes_at_end},
            {"peak_live", s.peak_live},
            {"peak_live_bytes", s.peak_live_bytes},
            {"longest_burst", of_neighbours(s.longest_burst)},
            {"threads", s.threads}};
}

ordered_json advised_place_json(const advised_place& p) {
    ordered_json place = frame_json(p.frame);
    place["share"] = p.share;
    place["callers"] = list_json(p.callers, frame_json);
    return place;
}

ordered_json type_json(const advised_type& t, bool is_time_known) {
    const time_share time = t.statistics.time.share();
    const auto of_time = [&](double share) { return known_or_null(is_time_known, share); };
    return {{"label", label_of(t)},
            {"type", t.name},
            {"address", text_or_null(t.named.blocks.address)},
            {"container", text_or_null(t.container)},
            {"allocated", text_or_null(t.named.allocated)},
            {"instantiations", t.instantiations},
            {"named_by", to_string(t.named.rule)},
            {"is_array", t.named.is_array},
            {"declared", t.named.declared.file.empty() ? ordered_json{}
                                                       : ordered_json{{"file", t.named.declared.file},
                                                                      {"line", t.named.declared.line}}},
            {"takes_allocator", text_or_null(t.named.takes_allocator)},
            {"share", t.share},
            {"time_share", of_time(time.value)},
            {"time_low", of_time(time.low)},
            {"time_high", of_time(time.high)},
            {"remedy", to_string(t.what)},
            {"rule", t.rule},
            {"use", text_or_null(t.use.text)},
            {"runtime", text_or_null(t.runtime)},
            {"huge_pages", t.wants_huge_pages},
            {"why", t.why},
            {"change", text_or_null(t.snippet)},
            {"places", list_json(t.places, advised_place_json)},
            {"statistics", statistics_json(t.statistics)}};
}

ordered_json trace_json(const trace_info& info) {
    ordered_json json = recorded_json(info);
    json.update({{"event_cost_ns", info.event_cost_ns},
                 {"baseline_cpu_ns", positive_or_null(info.baseline.cpu_ns)},
                 {"sample_bytes", info.sample_bytes},
                 {"events", info.events},
                 {"dropped", info.dropped},
                 {"processes", info.processes.size()},
                 {"threads", info.threads.size()},
                 {"damage", info.missing}});
    return json;
}

ordered_json advice_finding_json(const advice_finding& f) {
    const bool has_place = !f.place.file.empty() || !f.place.function.empty();
    return {{"kind", f.kind},
            {"text", f.text},
            {"bytes", f.bytes},
            {"count", f.count},
            {"place", known_or_null(has_place, frame_json(f.place))}};
}

ordered_json runtime_json(const runtime_blocks& blocks) {
    return {{"rule", blocks.rule}, {"what", blocks.what}, {"count", blocks.count}, {"bytes", blocks.bytes}};
}

data_table advise_data(const advice& a) {
    ordered_json lines = ordered_json::array();
    for (const advised_type& t : a.types) {
        ordered_json line = type_json(t, a.analysis.time.is_known());
        line.update(ordered_json(line["statistics"])); // a copy: it grows the object that holds them
        line.update({{"command", shell_words(a.analysis.info.command)},
                     {"started", a.analysis.info.started},
                     {"version", version_text()},
                     {"answer", to_string(a.answer)}});
        lines.push_back(std::move(line));
    }
    return data_of(lines,
                   "label type container allocations share time_share time_low time_high bytes "
                   "most_frequent_size=sizes/0/bytes uniformity smallest largest releases remote_releases "
                   "temporary peak_live peak_live_bytes live_at_end live_bytes_at_end median_lifetime_ns "
                   "threads remedy rule use file=places/0/file line=places/0/line "
                   "function=places/0/function command started version runtime answer address");
}

ordered_json advise_json(const advice& a) {
    const trace_analysis& run = a.analysis;
    const program_cost cost = cost_of_program(run.info);
    return result_json(
        "linn.advise/2",
        {{"complete", run.info.missing.empty()},
         {"verdict", a.verdict},
         {"answer", to_string(a.answer)},
         {"to_know", text_or_null(a.to_know)},
         {"pool_needed", a.answer == pool_answer::yes},
         {"threshold", a.threshold},
         {"allocation_time", time_json(run.time)},
         {"time_unknown", known_or_null(!run.time.is_known(), to_word(run.time.why_not))},
         {"pools",
          run.time.is_known() ? ordered_json{{"low", a.pools.low}, {"high", a.pools.high}} : ordered_json{}},
         {"program_cpu_ns", positive_or_null(cost.is_guess || cost.has_recording ? 0 : cost.cpu_ns)},
         {"trace", trace_json(run.info)},
         {"all", statistics_json(run.all)},
         {"unknown_releases", run.unknown_releases},
         {"unseen_releases", run.unseen_releases},
         {"inherited_releases", run.inherited_releases},
         {"failures", run.failures},
         {"timeline",
          {{"step_ns", run.over_time.step_ns},
           {"live_bytes", run.over_time.live_bytes},
           {"live_blocks", run.over_time.live_blocks},
           {"events", run.over_time.events}}},
         {"types",
          list_json(a.types, [&](const advised_type& t) { return type_json(t, run.time.is_known()); })},
         {"findings", list_json(a.findings, advice_finding_json)},
         {"kept_by_runtime", list_json(a.kept_by_runtime, runtime_json)},
         {"warnings", a.warnings}});
}

constexpr std::size_t detailed = 5;     // types with details in text, unless the user names types
constexpr std::size_t most_places = 3;  // of a type
constexpr std::size_t many_places = 12; // of a type that was asked for
constexpr std::size_t most_callers = 8;
constexpr std::size_t most_findings = 12;
constexpr std::size_t long_name = 160; // of a heading
constexpr std::size_t rows_of_page = 60;

using advised_types = std::vector<const advised_type*>;

std::string about(std::uint64_t count, std::string_view one, std::string_view many = {}) {
    return counted(figure_of(unit::about, count), lettering::plain, one, many);
}

advised_types chosen_types(const advice& a, const advise_view& view) {
    advised_types types;
    for (const advised_type& type : a.types) {
        if (view.only_type.empty() || label_of(type).find(view.only_type) != std::string::npos ||
            type.name.find(view.only_type) != std::string::npos) {
            types.push_back(&type);
        }
    }
    return types;
}

/// With two digits: a terminal has little room.
cell roughly(cell c) {
    if (c.figure) {
        c.figure->digits = 2;
    }
    return c;
}

/// The share of the CPU time that a type's allocations take, as its interval: "9-12 %"; empty where it is not known.
cell time_cell(const advice& a, const site_time& time) {
    if (!a.analysis.time.is_known()) {
        return {};
    }
    const time_share share = time.share();
    quantity q = bounds_of(unit::share, share.low, share.high);
    q.value = share.value;
    return q;
}

/// The size of most blocks, or from where to where.
cell size_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.allocations == 0) {
        return {};
    }
    const bool is_named_by_sizes = !type.named.blocks.what.empty(); // all of them
    if (!is_named_by_sizes && s.uniformity() >= 0.9 && !s.sizes.empty()) {
        return figure_of(unit::bytes, s.sizes.front().first);
    }
    return bounds_of(unit::bytes, static_cast<double>(s.smallest), static_cast<double>(s.largest));
}

/// Of a sampled trace: the 95 % interval of the bytes that the type allocated; else empty.
cell sampled_bytes_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.spread.blocks == 0) {
        return "";
    }
    const sample_bounds b = bounds_of_sample(static_cast<double>(s.bytes), s.spread);
    return bounds_of(unit::bytes, b.low, b.high);
}

/// "./app 100: 15.1 M allocations and 15.1 M releases by 2 threads, 412 ms of CPU time without the recording".
std::string run_line(const advice& a) {
    const trace_info& info = a.analysis.info;
    std::string text =
        fmt::format("{}: {}{} and {} by {}", short_command(info.command),
                    info.sample_bytes == 0 ? "" : "about ", about(a.analysis.all.allocations, "allocation"),
                    about(a.analysis.all.releases, "release"), counted(info.threads.size(), "thread"));
    if (info.processes.size() > 1) {
        text += " of " + counted(info.processes.size(), "process");
    }
    if (const program_cost cost = cost_of_program(info); cost.cpu_ns > 0 && !cost.is_guess) {
        text += fmt::format(", {} of CPU time{}", figure_of(unit::nanoseconds, cost.cpu_ns).text(),
                            cost.has_recording ? ", recording included" : " without the recording");
    }
    return text;
}

/// What the shares are, and how many calls were timed; why they are not known.
std::string method_line(const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known()) {
        return "the time in the allocator is not known: types stand in the order of their calls";
    }
    std::string text = fmt::format("time: share of the program's CPU time in calls of the allocator and in "
                                   "the page faults of the blocks, 95 %; {} timed in the program",
                                   about(time.samples, "call was", "calls were"));
    if (time.waiting >= 0.001) {
        text += fmt::format("; threads waited for the allocator's locks for {} more", percent(time.waiting));
    }
    return text;
}

std::string place_line(const symbol_frame& f) {
    if (f.file.empty()) {
        return f.function.empty() ? f.library() : f.function;
    }
    return fmt::format("{}:{}{}{}", f.file, f.line, f.function.empty() ? "" : ", ", f.function);
}

/// Why, where and by whom: the sentences below the heading of a type.
list details_of(const advised_type& type, bool is_asked_for) {
    std::vector<std::string> lines;
    lines.push_back(type.why + '.');
    if (std::string pages = huge_pages_text(type); !pages.empty()) {
        lines.push_back(std::move(pages));
    }
    const std::size_t most = is_asked_for ? many_places : most_places;
    for (std::size_t i = 0; i != std::min(type.places.size(), most); ++i) {
        const advised_place& place = type.places[i];
        if (const std::string line = place_line(place.frame); !line.empty()) {
            lines.push_back(fmt::format("{} ({})", line, share_text(place.share)));
        }
        if (is_asked_for) {
            for (std::size_t k = 1; k < std::min(place.callers.size(), most_callers + 1); ++k) {
                if (const std::string line = place_line(place.callers[k]); !line.empty()) {
                    lines.push_back("from " + line);
                }
            }
        }
    }
    if (type.places.size() > most) {
        lines.push_back("and " + counted(type.places.size() - most, "more place"));
    }
    return {std::move(lines)};
}

std::string title_of(const advised_type& type) {
    const std::string title = short_type(label_of(type), long_name);
    return type.use.empty() ? title : fmt::format("{}: {}", title, short_type(type.use.sentence, long_name));
}

/// What a page folds away below the row of a type.
block folded_details(const advised_type& type) {
    std::string place = type.places.empty() ? std::string{} : place_text(type.places.front().frame);
    if (type.places.size() > 1) {
        place += fmt::format(" and {} more", type.places.size() - 1);
    }
    return {fold{place.empty() ? "place not known" : place,
                 {block{details_of(type, true)}, block{code{type.snippet, true}}}}};
}

/// The first types in rows of their own, the others together in the last one.
table types_table(const advice& a, const advised_types& types, std::size_t most) {
    const std::size_t shown = std::min(types.size(), most);
    const bool is_known = a.analysis.time.is_known();
    table t{is_known ? "Most time in the allocator first" : "Most calls first",
            {{.heading = "type", .is_text = true, .shorten = cut::type, .least = 22},
             {.heading = "time"},
             {.heading = "count"},
             {.heading = "share", .droppable = 3}, // of the count
             {.heading = "bytes, 95 %", .droppable = 2},
             {.heading = "size", .droppable = 4},
             {.heading = "live", .droppable = 7},
             {.heading = "life", .droppable = 6},
             {.heading = "remote", .droppable = 5},
             {.heading = "use", .is_text = true, .droppable = 1}}};
    for (const advised_type* const one : std::span{types}.first(shown)) {
        const advised_type& type = *one;
        const site_statistics& s = type.statistics;
        const bool is_released = s.releases != 0;
        row& added = t.add(
            {label_of(type), time_cell(a, s.time), figure_of(unit::about, s.allocations),
             is_known ? cell{} : cell{figure_of(unit::share, type.share)}, roughly(sampled_bytes_cell(type)),
             roughly(size_cell(type)), figure_of(unit::about, s.peak_live),
             roughly(figure_of(unit::nanoseconds, is_released ? s.lifetime_quantile(0.5) : unknown_bound)),
             figure_of(unit::share, is_released ? part_of(s.remote_releases, s.releases) : unknown_bound),
             type.use.empty() ? "-" : type.use.name},
            type.what != remedy::nothing ? emphasis::ours : emphasis::none);
        added.detail.push_back(folded_details(type));
    }
    if (types.size() > shown) {
        std::uint64_t allocations = 0;
        site_time time;
        for (const advised_type* const one : std::span{types}.subspan(shown)) {
            allocations += one->statistics.allocations;
            time.merge(one->statistics.time);
        }
        std::vector<cell> cells(t.columns.size());
        cells[0] = counted(types.size() - shown, "more type");
        cells[1] = time_cell(a, time);
        cells[2] = figure_of(unit::about, allocations);
        if (!is_known) {
            cells[3] = figure_of(unit::share, part_of(allocations, a.analysis.all.allocations));
        }
        t.add(std::move(cells), emphasis::muted);
        t.remarks.emplace_back("--top shows more types in rows of their own, --json all");
    }
    t.remarks.push_back(method_line(a));
    return t;
}

/// Why each type, where it is allocated, and the change.
void add_details(section& s, const advised_types& types, const advise_view& view) {
    const bool is_asked_for = !view.only_type.empty();
    std::size_t left = is_asked_for ? view.top : std::min(view.top, detailed);
    for (const advised_type* type : types) {
        if (left != 0 && (is_asked_for || type->what != remedy::nothing)) {
            s.add(subheading{title_of(*type)}, forms::text);
            s.add(details_of(*type, is_asked_for), forms::text);
            s.add(code{type->snippet, true}, forms::text);
            --left;
        }
    }
}

facts facts_of(const advice& a) {
    const trace_info& t = a.analysis.info;
    facts f = recording_facts(t);
    f.entries.emplace(f.entries.begin(), "Command", shell_words(t.command));
    const auto count = [](std::uint64_t n, std::uint64_t least) {
        return n < least ? cell{} : cell{figure_of(unit::count, n)};
    };
    f.entries.insert(f.entries.end(), {{"Events", count(t.events, 0)},
                                       {"Events lost", count(t.dropped, 1)},
                                       {"Processes", count(t.processes.size(), 2)}});
    return f;
}

list reading_of_advise() {
    return {{
        "Time is the share of the program's CPU time that calls of the allocator and page faults of heap "
        "memory take. A random sample of the calls was timed in the program. Another allocator or pools can "
        "save about as much at most, and a little more where they lay objects out better.",
        "The shares of types add up, so that many small types count as much as one large one.",
        "A place is the innermost frame in code of the program's own: where to change something.",
        "Live: the most blocks that were live at once. Life: the median lifetime. Remote: released by "
        "another thread than the one that allocated it.",
    }};
}

} // namespace

document advise_document(const advice& a, const advise_view& view) {
    const trace_info& trace = a.analysis.info;
    const std::string program = program_of(trace.command, "this program");
    document d{.command = "linn advise",
               .subject = program,
               .question = fmt::format("Does {} need a pool?", program),
               .started = trace.started,
               .machine = trace.machine,
               .lead = a.verdict,
               .warnings = a.warnings,
               .json = [&] { return advise_json(a); },
               .data = [&] { return advise_data(a); }};
    if (!trace.missing.empty()) {
        d.alert = "the trace is not whole: " + trace.missing.front();
    }
    d.add(paragraph{run_line(a) + '.'});

    const advised_types types = chosen_types(a, view);
    section& shown = d.add_section("types", "Types", forms::page);
    if (types.empty() && !view.only_type.empty()) {
        shown.add(paragraph{fmt::format("no type has '{}' in its name", view.only_type)});
    }
    shown.add(types_table(a, types, view.top), forms::text);
    shown.add(types_table(a, types, std::max(view.top, rows_of_page)), forms::page);
    add_details(shown, types, view);
    d.add_section("time", "Over time")
        .add(picture{[&a] { return html::run_over_time(a.analysis); },
                     "Each is the most within a step. Events are allocations, releases and reallocations of "
                     "all threads. Time passes as it did under the recorder."});
    list seen{{}, {}, most_findings};
    for (const advice_finding& f : a.findings) {
        seen.lines.push_back(f.text);
    }
    d.add_section("findings", "Also seen").add(std::move(seen));
    d.add_section("trace", "Program, trace and machine").add(facts_of(a), forms::page);
    d.add_section("reading", "How to read this report").add(reading_of_advise(), forms::page);
    return d;
}

} // namespace linn::tool::report
