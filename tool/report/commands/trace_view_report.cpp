// SPDX-License-Identifier: Apache-2.0
#include "../../measure/suggest.hpp"
#include "../../symbols/short_name.hpp"
#include "../plots/advise_plots.hpp"
#include "../plots/stack_views.hpp"
#include "../version.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "trace_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const block_counts& counts) {
    return {{"blocks", counts.blocks}, {"bytes", counts.bytes}};
}

ordered_json row_json(const view_row& r) {
    ordered_json json = row_name_json(r.label, r.place, r.stack);
    json.update(counts_json(r.counts));
    json["allocated"] = counts_json(r.allocated);
    return json;
}

ordered_json rows_json(const std::vector<view_row>& rows) {
    ordered_json json = ordered_json::array();
    for (const view_row& r : rows) {
        json.push_back(row_json(r));
    }
    return json;
}

ordered_json rule_json(const trace_view& view) {
    if (view.filter != block_filter::temporary) {
        return {};
    }
    const auto& between = view.temporary.allocations_between;
    return {{"rule", between ? "allocations-between" : "next-call"},
            {"most", between ? ordered_json(*between) : ordered_json{}}};
}

constexpr std::size_t most_view_rows = 200;
constexpr std::size_t most_view_stacks = 60;
constexpr std::size_t most_text_stacks = 3; // in a terminal, where each takes a dozen lines
constexpr std::size_t lead_letters = 60;

quantity view_bytes(std::uint64_t bytes) {
    return figure_of(unit::bytes, static_cast<double>(bytes));
}

quantity view_blocks(std::uint64_t n) {
    return figure_of(unit::count, static_cast<double>(n));
}

std::string in_prose(const quantity& q) {
    return q.text(lettering::prose);
}

std::string moment_text(std::uint64_t ns) {
    return in_prose(figure_of(unit::nanoseconds, static_cast<double>(ns)));
}

/// The program without its folder.
std::string program_of(const trace_info& info) {
    return info.command.empty() ? std::string{"the program"}
                                : std::filesystem::path{info.command.front()}.filename().string();
}

double share_of(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Of all rows together.
double share_of(const view_row& r, const trace_view& view) {
    return share_of(view.measure(r.counts, r.allocator_ns), view.measure(view.all, view.allocator_ns));
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
    return fmt::format("{} in {}", in_prose(view_bytes(counts.bytes)),
                       counted(view_blocks(counts.blocks), lettering::prose, "block"));
}

std::string rule_text(const temporary_rule& rule) {
    return rule.allocations_between
               ? fmt::format("their thread released them after at most {}",
                             counted(*rule.allocations_between, "other allocation of its own",
                                     "other allocations of its own"))
               : std::string{"the very next call of their thread released them"};
}

std::string lead_of(const trace_profile& profile, const trace_view& view) {
    const trace_analysis& a = profile.analysis;
    const std::string program = program_of(a.info);
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
        return fmt::format("{} of {} ({}) {} temporary: {}{}.", in_prose(view_blocks(view.all.blocks)),
                           counted(view_blocks(view.allocated.blocks), lettering::prose, "allocation"),
                           percent(share_of(view.all.blocks, view.allocated.blocks)),
                           agreeing(view.all.blocks, "is", "are"), rule_text(view.temporary), most_of(view));
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
    return kept.blocks == 0 ? std::string{}
                            : fmt::format("Not counted: {} that the C and C++ runtime keeps on purpose; "
                                          "--all-leaks counts them.",
                                          blocks_text(kept));
}

class view_tables {
public:
    explicit view_tables(const trace_view& view) : view_{view} {}

    table rows(const std::vector<view_row>& from, std::size_t most, bool are_places) const {
        table t = empty(are_places ? "places" : "types", are_places ? "place" : "type", are_places);
        for (std::size_t i = 0; i != std::min(from.size(), most); ++i) {
            const view_row& r = from[i];
            add(t, r,
                are_places ? std::vector<cell>{r.place.place(), r.place.name} : std::vector<cell>{r.label});
        }
        add_rest(t, from.size(), most, are_places ? "places" : "types");
        return t;
    }

    table stacks(std::size_t most, bool is_page) const {
        table t = empty("stacks", "type and stack", false);
        for (std::size_t i = 0; i != std::min(view_.stacks.size(), most); ++i) {
            const view_row& r = view_.stacks[i];
            row& added = add(t, r, {cell{r.label}});
            if (is_page) {
                added.detail.push_back(
                    {fold{"stack", {block{code{stack_text(r.stack, r.place, stack_part::whole)}}}}});
            } else {
                added.detail.push_back({code{stack_text(r.stack, r.place, stack_part::from_place)}});
            }
        }
        add_rest(t, view_.stacks.size(), most, "stacks");
        return t;
    }

private:
    /// "Types, by bytes live at the peak".
    table empty(const char* rows, const char* what, bool are_places) const {
        const std::string order = view_.is_by_time ? "CPU time in the allocator"
                                  : view_.filter == block_filter::temporary
                                      ? "blocks released at once"
                                      : fmt::format("bytes {}", words_of(view_.filter));
        return {
            html::capitalised(fmt::format("{}, by {}", rows, order)),
            {{.heading = what, .is_text = true, .shorten = are_places ? cut::front : cut::type, .least = 20},
             {.heading = "function",
              .is_text = true,
              .droppable = 3,
              .shown_in = are_places ? forms::everywhere : forms::nowhere,
              .shorten = cut::end,
              .least = 12},
             {.heading = "blocks"},
             {.heading = "bytes"},
             {.heading = "share"},
             {.heading = "allocated",
              .droppable = 2,
              .shown_in = view_.filter == block_filter::all ? forms::nowhere : forms::everywhere}}};
    }

    row& add(table& t, const view_row& r, std::vector<cell> cells) const {
        cells.resize(2);
        cells.push_back(view_blocks(r.counts.blocks));
        cells.push_back(view_bytes(r.counts.bytes));
        cells.push_back(figure_of(unit::share, share_of(r, view_)));
        cells.push_back(figure_of(unit::about, static_cast<double>(r.allocated.blocks)));
        return t.add(std::move(cells));
    }

    static void add_rest(table& t, std::size_t all, std::size_t shown, const char* what) {
        if (all > shown) {
            t.remarks.push_back(
                fmt::format("and {} more {}; --top shows more, --json all", all - shown, what));
        }
    }

    const trace_view& view_;
};

data_table lines_of(const trace_view& view) {
    ordered_json lines = ordered_json::array();
    for (const auto& [what, rows] : {std::pair{"type", &view.types}, std::pair{"place", &view.places},
                                     std::pair{"stack", &view.stacks}}) {
        for (const view_row& r : *rows) {
            lines.push_back(line_of(what, row_json(r)));
        }
    }
    return data_of(lines,
                   "what type function=place/function file=place/file line=place/line stack blocks bytes "
                   "allocated_blocks=allocated/blocks allocated_bytes=allocated/bytes");
}

void add_tables(document& d, const trace_view& view, std::size_t top) {
    if (view.types.empty()) {
        return;
    }
    const view_tables all{view};
    d.add_section("types", "Types", forms::text).add(all.rows(view.types, top, false), forms::text);
    d.add_section("places", "Places", forms::text).add(all.rows(view.places, top, true), forms::text);
    d.add_section("stacks", "Stacks", forms::text)
        .add(all.stacks(std::min(top, most_text_stacks), false), forms::text);
}

void add_page_tables(document& d, const trace_view& view, std::size_t top) {
    if (view.types.empty()) {
        return;
    }
    const view_tables all{view};
    d.add_section("types", "Types", forms::html)
        .add(all.rows(view.types, std::max(top, most_view_rows), false), forms::html);
    d.add_section("places", "Places", forms::html)
        .add(all.rows(view.places, std::max(top, most_view_rows), true), forms::html);
    d.add_section("stacks", "Stacks", forms::html)
        .add(all.stacks(std::max(top, most_view_stacks), true), forms::html);
}

void add_time(document& d, const trace_profile& profile) {
    d.add_section("time", "Over time", forms::html)
        .add(
            picture{
                [&a = profile.analysis](html::id_source& ids) { return html::run_over_time(ids, a); },
                "Live: the most within a step; the line marks the peak. Events are allocations, releases and "
                "reallocations of all threads. Time passes as it did under the recorder."},
            forms::html);
}

void add_flame(document& d, const trace_profile& profile, const trace_view& view) {
    d.add_section("flame", "Stacks as a flame graph", forms::html)
        .add(picture{[&profile, filter = view.filter, keeps_runtime = view.keeps_runtime](html::id_source&) {
                         return html::draw_stacks(profile, filter, keeps_runtime);
                     },
                     "From the outermost call at the top to the type at the end, in blue. A box is as wide "
                     "as its share. "
                     "In order of time, what was allocated first stands left. Around one function: what "
                     "calls it stands "
                     "above it, what it calls hangs below."},
             forms::html);
}

} // namespace

void add_recording(document& d, const trace_profile& profile, const trace_view& view) {
    d.warnings.insert(d.warnings.end(), view.missing_symbols.begin(), view.missing_symbols.end());
    d.add(paragraph{lead_of(profile, view), true}, forms::html);
    if (view.allocated.blocks != 0) {
        const trace_analysis& a = profile.analysis;
        d.add(paragraph{fmt::format("At its peak, {} after the beginning of {}, it held {}.",
                                    moment_text(a.peak_ns), moment_text(a.info.duration_ns),
                                    blocks_text({a.all.live_at_peak, a.all.peak_live_bytes})),
                        true},
              forms::html);
    }
    add_time(d, profile);
    add_flame(d, profile, view);
    add_page_tables(d, view, 0);
}

document trace_view_document(const trace_profile& profile, const trace_view& view, std::size_t top) {
    const trace_info& info = profile.analysis.info;
    document d;
    d.command = "linn trace";
    d.title = fmt::format("linn trace {}: {}", program_of(info), words_of(view.filter));
    d.heading = fmt::format("What is {} in {}?", words_of(view.filter), program_of(info));
    d.kicker = fmt::format("linn trace · recorded {} · {}", date_text(info.started), info.machine);
    d.lead = lead_of(profile, view);
    d.add(code{shell_words(info.command)}, forms::html);
    if (view.filter == block_filter::leaks && !view.keeps_runtime) {
        if (std::string kept = runtime_text(profile); !kept.empty()) {
            d.add(paragraph{std::move(kept)});
        }
    }
    add_tables(d, view, top);
    add_page_tables(d, view, top);
    add_time(d, profile);
    if (view.all.blocks != 0) {
        add_flame(d, profile, view);
    }
    d.warnings = why_incomplete(info);
    d.warnings.insert(d.warnings.end(), view.missing_symbols.begin(), view.missing_symbols.end());
    d.data = [&] { return lines_of(view); };
    return d;
}

std::string trace_view_json(const trace_profile& profile, const trace_view& view) {
    const trace_info& info = profile.analysis.info;
    ordered_json json{{"schema", "linn.trace-view/1"},
                      {"version", version_text()},
                      {"file", profile.path.string()},
                      {"command", info.command},
                      {"started", info.started},
                      {"duration_ns", info.duration_ns},
                      {"incomplete", why_incomplete(info)},
                      {"attached", info.attached_pid != 0},
                      {"ran_on", info.ran_on},
                      {"filter", to_string(view.filter)},
                      {"temporary", rule_json(view)},
                      {"peak",
                       {{"at_ns", profile.analysis.peak_ns},
                        {"bytes", profile.analysis.all.peak_live_bytes},
                        {"blocks", profile.analysis.all.live_at_peak}}},
                      {"sample_bytes", info.sample_bytes}};
    json.update(counts_json(view.all));
    json["allocated"] = counts_json(view.allocated);
    ordered_json& kept = json["kept_by_runtime"] = ordered_json::array();
    for (const runtime_blocks& blocks : profile.kept_by_runtime) {
        kept.push_back({{"rule", blocks.rule}, {"blocks", blocks.count}, {"bytes", blocks.bytes}});
    }
    json["missing_symbols"] = view.missing_symbols;
    json["types"] = rows_json(view.types);
    json["places"] = rows_json(view.places);
    json["stacks"] = rows_json(view.stacks);
    return file_text(json);
}

} // namespace linn::tool::report
