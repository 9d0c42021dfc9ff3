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

#include <fmt/ranges.h>

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
            {"size_histogram", histogram_json(s.size_histogram)},
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
            {"threads", s.threads},
            {"zero_fills", s.fills},
            {"zero_filled_bytes", s.filled_bytes},
            {"zero_fill_ns", s.fill_ns}};
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
                 {"contents", info.contents},
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
                   "threads zero_filled_bytes remedy rule use file=places/0/file line=places/0/line "
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
         {"program_cpu_ns", positive_or_null(cost.is_guess ? 0 : cost.cpu_ns)},
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

constexpr std::size_t detailed = 5;     // types with details in a terminal where none is asked for
constexpr std::size_t most_places = 3;  // of a type
constexpr std::size_t many_places = 12; // of a type that was asked for
constexpr std::size_t most_callers = 8;
constexpr std::size_t most_findings = 12;
constexpr std::size_t long_name = 160; // of a heading
constexpr std::size_t most_type_rows = 60;
constexpr std::size_t first_type_rows = 10;
constexpr double least_time = 0.002; // of the CPU time, for a row of a page behind the first few

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

cell remote_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::share, s.releases == 0 ? unknown_bound
                                                  : static_cast<double>(s.remote_releases) /
                                                        static_cast<double>(s.releases));
}

cell lifetime_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::nanoseconds, s.releases == 0 ? unknown_bound : s.lifetime_quantile(0.5));
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
        text += fmt::format(", {} of CPU time without the recording",
                            figure_of(unit::nanoseconds, cost.cpu_ns).text());
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
        return f.function.empty() ? f.library : f.function;
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

/// "64 B (90 %), 128 B (10 %)".
std::string sizes_text(const site_statistics& s) {
    std::vector<std::string> sizes;
    for (const auto& [size, count] : s.sizes) {
        sizes.push_back(fmt::format("{} ({})", figure_of(unit::bytes, size).text(),
                                    percent(part_of(count, s.allocations))));
    }
    return fmt::format("{}", fmt::join(sizes, ", "));
}

/// "1 234 (7 %)"; nothing for none.
cell count_and_share(std::uint64_t part, const site_statistics& s) {
    return part == 0 ? cell{}
                     : cell{{},
                            figure_of(unit::count, part),
                            fmt::format(" ({})", percent(part_of(part, s.allocations)))};
}

cell never_released(const advised_type& t) {
    const site_statistics& s = t.statistics;
    if (s.live_at_end == 0) {
        return {};
    }
    std::string rest = ", " + figure_of(unit::bytes, s.live_bytes_at_end).text();
    if (t.runtime_live != 0) {
        rest += fmt::format("; the runtime library keeps {} of them on purpose", t.runtime_live);
    }
    return {{}, figure_of(unit::count, s.live_at_end), std::move(rest)};
}

facts facts_of(const advised_type& t) {
    const site_statistics& s = t.statistics;
    const std::string held = short_type(t.named.allocated, long_name);
    const auto count = [](std::uint64_t n) { return n > 1 ? cell{figure_of(unit::count, n)} : cell{}; };
    return {{{"What a block holds", held == t.name ? "" : held},
             {"Sizes", sizes_text(s)},
             {"Lifetime, shortest 5 % to longest 5 %",
              s.releases == 0
                  ? cell{}
                  : bounds_of(unit::nanoseconds, s.lifetime_quantile(0.05), s.lifetime_quantile(0.95))},
             {"Live at most", figure_of(unit::count, s.peak_live)},
             {"Allocated in a row at most", count(s.longest_burst)},
             {"Threads that allocate it", count(s.threads)},
             {"Released by another thread", count_and_share(s.remote_releases, s)},
             {"Released at once", count_and_share(s.temporary, s)},
             {"Moved by realloc", count_and_share(s.reallocations, s)},
             {"Never released", never_released(t)},
             {"Zeros written at once", s.fills == 0 ? cell{} : figure_of(unit::bytes, s.filled_bytes)},
             {"Named by", to_string(t.named.rule)}}};
}

/// How many types have a row in a page: those that take time, and the first few in any case.
std::size_t page_rows(const advice& a, const advised_types& types) {
    std::size_t rows = std::min(types.size(), most_type_rows);
    while (rows > first_type_rows && a.analysis.time.is_known() &&
           types[rows - 1]->statistics.time.share().value < least_time) {
        --rows;
    }
    return rows;
}

/// What a page folds away below the row of a type.
block folded_details(const advised_type& type) {
    std::string place = type.places.empty() ? std::string{} : place_text(type.places.front().frame);
    if (type.places.size() > 1) {
        place += fmt::format(" and {} more", type.places.size() - 1);
    }
    return {fold{place.empty() ? "place not known" : place,
                 {block{details_of(type, true)}, block{code{type.snippet, true}}, block{facts_of(type)}}}};
}

/// The first types in rows of their own, the others together in the last one.
table types_table(const advice& a, const advised_types& types, std::size_t shown) {
    const bool is_known = a.analysis.time.is_known();
    table t{is_known ? "Most time in the allocator first" : "Most calls first",
            {{.heading = "type", .is_text = true, .shorten = cut::type, .least = 22},
             {.heading = "time"},
             {.heading = "count"},
             {.heading = "share", .droppable = 3, .shown_in = is_known ? forms::html : forms::everywhere},
             {.heading = "bytes, 95 %", .droppable = 2},
             {.heading = "size", .droppable = 4},
             {.heading = "live", .droppable = 7},
             {.heading = "life", .droppable = 6},
             {.heading = "remote", .droppable = 5},
             {.heading = "use", .is_text = true, .droppable = 1},
             {.heading = "where", .is_text = true, .shown_in = forms::markdown}}};
    for (const advised_type* const one : std::span{types}.first(shown)) {
        const advised_type& type = *one;
        const site_statistics& s = type.statistics;
        row& added =
            t.add({label_of(type), time_cell(a, s.time), figure_of(unit::about, s.allocations),
                   figure_of(unit::share, type.share), roughly(sampled_bytes_cell(type)),
                   roughly(size_cell(type)), figure_of(unit::about, s.peak_live),
                   roughly(lifetime_cell(type)), remote_cell(type), type.use.empty() ? "-" : type.use.name,
                   type.places.empty() ? std::string{} : place_text(type.places.front().frame)},
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
        cells[3] = figure_of(unit::share, part_of(allocations, a.analysis.all.allocations));
        t.add(std::move(cells), emphasis::muted);
        t.remarks.emplace_back("--top shows more types in rows of their own, --json all");
    }
    t.remarks.push_back(method_line(a));
    return t;
}

/// Why each type, where it is allocated, and the change.
void add_details(section& s, const advised_types& types, const advise_view& view) {
    const bool is_asked_for = !view.only_type.empty();
    std::size_t shown = 0;
    for (const advised_type* type : types) {
        if (!is_asked_for && type->what == remedy::nothing) {
            continue;
        }
        if (shown == view.top) {
            break;
        }
        const forms where = is_asked_for || shown < detailed ? forms::text : forms::markdown;
        s.add(subheading{title_of(*type)}, where);
        s.add(details_of(*type, is_asked_for), where);
        s.add(code{type->snippet, true}, where);
        ++shown;
    }
}

void add_findings(document& d, const advice& a) {
    std::vector<std::string> lines;
    for (const advice_finding& f : a.findings) {
        lines.push_back(f.text);
    }
    if (lines.size() > most_findings) {
        const std::size_t more = lines.size() - most_findings;
        lines.resize(most_findings);
        lines.push_back(fmt::format("and {}; --json has all", counted(more, "more finding")));
    }
    d.add_section("findings", "Also seen").add(list{std::move(lines)});
}

facts facts_of(const advice& a) {
    const trace_info& t = a.analysis.info;
    const auto time = [](double ns) { return ns > 0 ? cell{figure_of(unit::nanoseconds, ns)} : cell{}; };
    return {{{"Command", shell_words(t.command)},
             {"Recorded", fmt::format("{} in {}, on {}", date_text(t.started), t.directory, t.machine)},
             {"Took", time(static_cast<double>(t.duration_ns))},
             {"CPU time, recording included", time(t.user_ns + t.system_ns)},
             {"CPU time without", time(t.baseline.cpu_ns)},
             {"Ended", t.ending.empty() ? "not known: the recording was cut off" : t.ending},
             {"Events", figure_of(unit::count, t.events)},
             {"Events lost", t.dropped == 0 ? cell{} : figure_of(unit::count, t.dropped)},
             {"Processes", t.processes.size() < 2 ? cell{} : figure_of(unit::count, t.processes.size())}}};
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
    section& shown = d.add_section("types", "Types", forms::html);
    if (types.empty() && !view.only_type.empty()) {
        shown.add(paragraph{fmt::format("no type has '{}' in its name", view.only_type)});
    }
    shown.add(types_table(a, types, std::min(types.size(), view.top)), forms::text);
    shown.add(types_table(a, types, std::min(types.size(), std::max(view.top, page_rows(a, types)))),
              forms::html);
    add_details(shown, types, view);
    d.add_section("time", "Over time")
        .add(picture{[&a] { return html::run_over_time(a.analysis); },
                     "Each is the most within a step. Events are allocations, releases and reallocations of "
                     "all threads. Time passes as it did under the recorder."});
    add_findings(d, a);
    d.add_section("trace", "Program, trace and machine").add(facts_of(a), forms::html);
    d.add_section("reading", "How to read this report").add(reading_of_advise(), forms::html);
    return d;
}

} // namespace linn::tool::report
