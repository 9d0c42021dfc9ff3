// SPDX-License-Identifier: Apache-2.0
#include "../../advise/fills.hpp"
#include "../../measure/suggest.hpp"
#include "../../profile/trace_view.hpp"
#include "../../symbols/short_name.hpp"
#include "../../trace/counts.hpp"
#include "../../trace/info.hpp"
#include "../document/document.hpp"
#include "../plots/plots.hpp"
#include "profile_parts.hpp"
#include "report_parts.hpp"
#include "reports.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace linn::tool::report {
namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const block_counts& counts) {
    return {{"blocks", counts.blocks}, {"bytes", counts.bytes}};
}

ordered_json view_row_json(const view_row& r) {
    ordered_json json = row_name_json(r.label, r.place, r.stack);
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
    d.add_section("types", "Types").add(view_table(view, row_kind::types, view.types, top), shown_in);
    d.add_section("places", "Places").add(view_table(view, row_kind::places, view.places, top), shown_in);
    d.add_section("stacks", "Stacks").add(view_table(view, row_kind::stacks, view.stacks, top), shown_in);
}

void add_time(document& d, const trace_profile& profile) {
    d.add_section("time", "Over time")
        .add(picture{[&a = profile.analysis](html::id_source& ids) { return html::run_over_time(ids, a); },
                     "Live: the most within a step; the line marks the peak. Events are allocations, "
                     "releases and reallocations of all threads. Time passes as it did under the recorder."});
}

void add_flame(document& d, const trace_profile& profile, const trace_view& view) {
    d.add_section("flame", "Stacks as a flame graph")
        .add(picture{[&profile, &view](html::id_source&) {
                         return html::flame_of_stacks(profile, view.filter, view.keeps_runtime);
                     },
                     "From the outermost call at the top to the type at the end, in blue. A box is as wide "
                     "as its share."});
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
    add_tables(d, view, 0, forms::html);
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
    d.add(code{shell_words(info.command)}, forms::html);
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
    d.data = [&] { return lines_of(view); };
    return d;
}

std::string trace_view_json(const trace_profile& profile, const trace_view& view) {
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
    return result_text("linn.trace-view/1", json);
}

} // namespace linn::tool::report
