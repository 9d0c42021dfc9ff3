// SPDX-License-Identifier: Apache-2.0
#include "advise_report.hpp"

#include "../../advise/change_text.hpp"
#include "../../advise/rules.hpp"
#include "../../advise/type_groups.hpp"
#include "../../advise/verdict.hpp"
#include "../../measure/suggest.hpp"
#include "../../symbols/short_name.hpp"
#include "../plots/advise_plots.hpp"
#include "../plots/flame_plot.hpp"
#include "report_parts.hpp"
#include "run_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace linn::tool::report {
namespace {

constexpr std::size_t detailed = 5;     // types with details in a terminal where none is asked for
constexpr std::size_t most_places = 3;  // of a type
constexpr std::size_t many_places = 12; // of a type that was asked for
constexpr std::size_t most_callers = 8;
constexpr std::size_t most_findings = 12; // of a terminal
constexpr std::size_t most_page_findings = 100;
constexpr std::size_t most_boxes = 1200;
constexpr std::size_t long_name = 160; // of a heading

using advised_types = std::vector<const advised_type*>;

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

/// The part without what the type's name says already: "linn::list", "linn::pooled", "reserve()".
std::string short_part(const advised_type& type) {
    if (type.part.empty()) {
        return "-";
    }
    std::string part = type.part;
    if (const std::size_t linn = part.find("linn::");
        linn != std::string::npos && part.starts_with("struct ")) {
        part.erase(0, linn);
    }
    const std::size_t end =
        std::min({part.find('<'), part.find(" of "), part.find(" with "), part.find(" as "), part.find(','),
                  part.find(':', part.starts_with("linn") ? 6 : 0), part.size()});
    return part.substr(0, end);
}

/// With two digits: a terminal has little room.
cell roughly(cell c) {
    if (c.figure) {
        c.figure->digits = 2;
    }
    return c;
}

table types_table(const advice& a, const advised_types& types, std::size_t top) {
    const bool is_known = a.analysis.time.is_known();
    table t{"Types",
            {{.heading = "type", .is_text = true, .shorten = cut::type, .least = 22},
             {.heading = "time", .shown_in = is_known ? forms::text : forms::nowhere},
             {.heading = "count"},
             {.heading = "share", .droppable = 3, .shown_in = is_known ? forms::nowhere : forms::text},
             {.heading = "bytes, 95 %",
              .droppable = 2,
              .shown_in = a.analysis.info.sample_bytes != 0 ? forms::text : forms::nowhere},
             {.heading = "size", .droppable = 4},
             {.heading = "live", .droppable = 7},
             {.heading = "life", .droppable = 6},
             {.heading = "remote", .droppable = 5},
             {.heading = "use", .is_text = true, .droppable = 1},
             {.heading = "where", .is_text = true, .shown_in = forms::markdown}}};
    const std::size_t shown = std::min(types.size(), top);
    for (const advised_type* const one : std::span{types}.first(shown)) {
        const advised_type& type = *one;
        const site_statistics& s = type.statistics;
        t.add({label_of(type), time_cell(a, s.time),
               figure_of(unit::about, static_cast<double>(s.allocations)), figure_of(unit::share, type.share),
               roughly(sampled_bytes_cell(type)), roughly(size_cell(type)),
               figure_of(unit::about, static_cast<double>(s.peak_live)), roughly(lifetime_cell(type)),
               remote_cell(type), short_part(type),
               type.places.empty() ? std::string{} : place_text(type.places.front().frame)},
              type.what != remedy::nothing ? emphasis::ours : emphasis::none);
    }
    if (types.size() > shown) {
        const types_together rest = sum_of(std::span{types}.subspan(shown));
        std::vector<cell> cells(t.columns.size());
        cells[0] = counted(rest.types, "more type");
        cells[1] = time_cell(a, rest.time);
        cells[2] = figure_of(unit::about, static_cast<double>(rest.allocations));
        cells[3] = figure_of(unit::share, part_of(rest.allocations, a.analysis.all.allocations));
        t.rows.push_back({std::move(cells), emphasis::none, row::kind::last});
        t.remarks.emplace_back("--top shows more types in rows of their own, --json all");
    }
    t.remarks.push_back(method_line(a));
    return t;
}

std::string place_line(const symbol_frame& f) {
    const std::string where = f.file.empty() ? "" : fmt::format("{}:{}", f.file, f.line);
    if (where.empty()) {
        return place_text(f).substr(f.function.empty() && f.library.empty() ? 0 : 3); // without "in "
    }
    return f.function.empty() ? where : fmt::format("{}, {}", where, f.function);
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
                lines.push_back("from " + place_line(place.callers[k]));
            }
        }
    }
    if (type.places.size() > most) {
        lines.push_back("and " + counted(type.places.size() - most, "more place"));
    }
    return sentences(lines);
}

std::string title_of(const advised_type& type) {
    const std::string title = short_type(label_of(type), long_name);
    return type.part.empty() ? title : fmt::format("{}: {}", title, short_type(what_to_do(type), long_name));
}

/// Why each type, where it is allocated, and the change, which is shown once.
void add_details(section& s, const advised_types& types, const advise_view& view) {
    const bool is_asked_for = !view.only_type.empty();
    std::size_t shown = 0;
    std::set<std::string> changes;
    for (const advised_type* type : types) {
        if (!is_asked_for && type->what == remedy::nothing) {
            continue;
        }
        if (shown == view.top) {
            break;
        }
        const forms where = is_asked_for || shown < detailed ? forms::text : forms::markdown;
        const bool is_new = changes.insert(type->snippet).second;
        s.add(subheading{title_of(*type)}, where);
        s.add(details_of(*type, is_asked_for), where);
        if (is_new || type->snippet.empty()) {
            s.add(code{type->snippet, true}, where);
        } else {
            s.add(paragraph{"The change is the one above."}, where);
        }
        ++shown;
    }
}

void add_findings(document& d, const advice& a) {
    std::vector<std::string> lines;
    table t{"Findings",
            {{.heading = "kind", .is_text = true},
             {.heading = "what", .is_text = true},
             {.heading = "place", .is_text = true},
             {.heading = "count"},
             {.heading = "bytes"}}};
    for (const advice_finding& f : a.findings) {
        lines.push_back(f.text);
        if (lines.size() <= most_page_findings) {
            t.add({f.kind, f.text, place_text(f.place),
                   figure_of(unit::count, f.count == 0 ? unknown_bound : static_cast<double>(f.count)),
                   figure_of(unit::bytes, f.bytes == 0 ? unknown_bound : static_cast<double>(f.bytes))});
        }
    }
    section& s = d.add_section("findings", "Also seen");
    s.add(std::move(t), forms::html);
    s.add(sentences(lines), forms::markdown);
    if (lines.size() > most_findings) {
        const std::size_t more = lines.size() - most_findings;
        lines.resize(most_findings);
        lines.push_back(fmt::format("and {}; --json has all", counted(more, "more finding")));
    }
    s.add(sentences(lines), forms::terminal);
}

picture time_of(const advice& a) {
    return {[&a](html::id_source& ids) { return html::time_plot(ids, a); },
            "Solid: at least; faint: up to the upper end of the 95 % interval."};
}

void add_pictures(document& d, const advice& a, const html::frames_of_stack& frames) {
    section& time = d.add_section("time", "Over time");
    time.add(picture{
        [&a](html::id_source& ids) { return html::run_over_time(ids, a.analysis); },
        "Live: the most within a step. Events are allocations, releases and reallocations of all threads. "
        "Time passes as it did under the recorder."});
    time.add(picture{
        [&a](html::id_source& ids) {
            return html::block_histograms(ids, a.analysis.all, "Lifetime of a block", "Size of a block");
        },
        "How long the released blocks lived, and how large blocks were; a bar is a power of two."});
    d.add_section("flame", "From types to places")
        .add(picture{[&a, frames](html::id_source&) {
                         html::flame_node root = html::grow_flame(a, frames);
                         html::fold_flame(root, most_boxes);
                         return html::draw(root, html::words_of_types());
                     },
                     "The types are below the whole, the places that allocate a type below it, and their "
                     "callers below those. A box is as wide as its share. Blue: a part of Linn fits."});
}

std::string count_text(std::uint64_t n) {
    return figure_of(unit::count, static_cast<double>(n)).text(lettering::typeset);
}

std::string typeset_count(std::uint64_t n, std::string_view thing) {
    return counted(figure_of(unit::count, static_cast<double>(n)), lettering::typeset, thing);
}

std::string time_text(double ns) {
    return ns > 0 ? figure_of(unit::nanoseconds, ns).text(lettering::typeset) : std::string{};
}

std::string processes_text(const trace_info& t) {
    if (t.processes.size() < 2) {
        return {};
    }
    std::vector<std::string> names;
    for (const trace_process& p : t.processes) {
        if (names.size() < 8) {
            names.push_back(fmt::format("{} ({})", std::filesystem::path{p.executable}.filename().string(),
                                        typeset_count(p.events, "event")));
        }
    }
    return fmt::format("{}: {}{}", t.processes.size(), fmt::join(names, ", "),
                       t.processes.size() > names.size() ? " …" : "");
}

std::string events_text(const trace_analysis& a) {
    std::string words =
        fmt::format("{}: {}, {}", count_text(a.info.events), typeset_count(a.all.allocations, "allocation"),
                    typeset_count(a.all.releases, "release"));
    if (a.unknown_releases != 0) {
        words += fmt::format(", {} of blocks from before the recording",
                             typeset_count(a.unknown_releases, "release"));
    }
    if (a.failures != 0) {
        words += ", " + typeset_count(a.failures, "failure");
    }
    if (a.info.dropped != 0) {
        words += fmt::format("; {} lost", count_text(a.info.dropped));
    }
    return words;
}

facts facts_of(const advice& a) {
    const trace_info& t = a.analysis.info;
    return {
        {{"Command", shell_words(t.command)},
         {"In", t.directory},
         {"Recorded", date_text(t.started)},
         {"Took", time_text(static_cast<double>(t.duration_ns))},
         {"CPU time, recording included", time_text(t.user_ns + t.system_ns)},
         {"CPU time without",
          t.baseline_cpu_ns > 0 ? time_text(t.baseline_cpu_ns) + ", measured" : std::string{}},
         {"Recording an event cost", time_text(t.event_cost_ns)},
         {"Ended", t.ending.empty() ? "not known: the recording was cut off" : t.ending},
         {"Events", events_text(a.analysis)},
         {"Stacks", fmt::format("{}, at most {} deep, by the {} unwinder", count_text(t.stacks.size()),
                                counted(t.depth, "frame"), t.unwinder)},
         {"Threads", t.threads.empty() ? std::string{} : count_text(t.threads.size())},
         {"Processes", processes_text(t)},
         {"Clock", t.clock},
         {"Trace", t.file_bytes == 0
                       ? std::string{}
                       : figure_of(unit::bytes, static_cast<double>(t.file_bytes)).text(lettering::typeset)},
         {"Machine", t.machine}}};
}

list reading_of_advise() {
    return sentences({
        "Time is the share of the program's CPU time that calls of the allocator and page faults of heap "
        "memory "
        "take. A random sample of the calls was timed in the program. Another allocator or pools can save "
        "about "
        "as much at most, and a little more where they lay objects out better.",
        "The shares of types add up, so that many small types count as much as one large one.",
        "A type is what a block holds. It comes from the debug information; where there is none, from the "
        "block itself or the symbols. \"Named by\" says which.",
        "A place is the innermost frame in code of the program's own: where to change something.",
        "Remote: released by another thread than the one that allocated it.",
        "Lifetimes are measured on the clock of the recorded run, which is slower than the program alone.",
    });
}

std::string alert_of(const advice& a) {
    if (!a.analysis.info.missing.empty()) {
        return "the trace is not whole: " + a.analysis.info.missing.front();
    }
    return {};
}

} // namespace

document advise_document(const advice& a, const advise_view& view, const html::frames_of_stack& frames) {
    const trace_info& trace = a.analysis.info;
    const std::string program = trace.command.empty() ? "this program" : program_name(trace.command);
    document d;
    d.command = "linn advise";
    d.title = fmt::format("linn advise {}, {}", program, date_text(trace.started));
    d.heading = fmt::format("Does {} need a pool?", program);
    d.kicker = fmt::format("linn advise · recorded {} · {}", date_text(trace.started), trace.machine);
    d.alert = alert_of(a);
    d.lead = a.verdict;
    d.add(code{shell_words(trace.command)}, forms::html);
    d.add(time_of(a));
    d.add(paragraph{run_line(a) + '.'}, forms::text);

    const advised_types types = chosen_types(a, view);
    section& shown = d.add_section("types", "Types", forms::html);
    if (types.empty() && !view.only_type.empty()) {
        shown.add(paragraph{fmt::format("no type has '{}' in its name", view.only_type)}, forms::text);
    }
    shown.add(types_table(a, types, view.top), forms::text);
    add_page_of_types(shown, a);
    add_details(shown, types, view);
    add_pictures(d, a, frames);
    add_findings(d, a);
    d.add_section("trace", "Program, trace and machine").add(facts_of(a), forms::html);
    d.add_section("reading", "How to read this report").add(reading_of_advise(), forms::html);
    d.warnings = a.warnings;
    d.data = [&] { return advise_data(a); };
    return d;
}

} // namespace linn::tool::report
