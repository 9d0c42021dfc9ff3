// SPDX-License-Identifier: Apache-2.0
#include "fills.hpp"

#include "../measure/quantity.hpp"
#include "../trace/info.hpp"
#include "advice.hpp"
#include "rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace linn::tool {
namespace {

/// What GCC writes without a call of memset where the size is a constant. @source its default tuning for x86-64
constexpr std::uint64_t inlined_from = 256;
constexpr std::uint64_t inlined_to = 8192;

const advice_rule& fill_rule() {
    const auto rules = advice_rules();
    return *std::find_if(rules.begin(), rules.end(),
                         [](const advice_rule& rule) { return rule.what == remedy::for_overwrite; });
}

/// The standard library's function instead of Linn's of the same name, for users who do not have Linn.
std::string of_std(std::string part) {
    constexpr std::string_view linn = "linn::";
    return part.starts_with(linn) ? "std::" + part.substr(linn.size()) : part;
}

bool is_zeroed(const trace_analysis& analysis, const advised_place& place) {
    return std::all_of(place.sites.begin(), place.sites.end(), [&](std::uint32_t index) {
        return analysis.sites[index].call == allocation_call::calloc;
    });
}

bool is_from_malloc(const trace_analysis& analysis, const advised_place& place) {
    return std::any_of(place.sites.begin(), place.sites.end(), [&](std::uint32_t index) {
        return analysis.sites[index].call < allocation_call::operator_new;
    });
}

/// True for code of a library's, which writes zeros because its caller asked for T().
bool is_library(const symbol_frame& frame) {
    return frame.file.starts_with("/usr/") || frame.function.starts_with("std::") ||
           frame.function.starts_with("boost::") || frame.function.starts_with("linn::");
}

/// "net::packet::packet(int)" is a constructor of net::packet.
bool is_constructor(const std::string& function) {
    const std::string_view name{function.data(), std::min(function.find('('), function.size())};
    const std::size_t colon = name.rfind("::");
    return colon != std::string_view::npos && last_component(name.substr(0, colon)) == name.substr(colon + 2);
}

/// The user's own function that wrote the zeros, other than in the expression that allocated; none where there is no such.
const symbol_frame* writer_of(const std::vector<symbol_frame>& stack, const symbol_frame& place) {
    // A fortified memset is a function of its own, inlined.
    const auto begin = std::find_if(stack.begin(), stack.end(), [](const symbol_frame& frame) {
        return !frame.function.starts_with("memset") && !frame.function.starts_with("bzero");
    });
    if (begin == stack.end() || is_library(*begin) || begin->function.empty()) {
        return nullptr;
    }
    const symbol_frame& innermost = *begin;
    if (is_constructor(innermost.function)) {
        return &innermost;
    }
    const bool is_apart =
        innermost.line != 0 && (innermost.line != place.line || innermost.file != place.file);
    return is_apart ? &innermost : nullptr;
}

/// The fix where the zeros come from a line of the user's own, as they do in a constructor that clears its members.
std::string fix_of_writer(const symbol_frame& writer) {
    if (is_constructor(writer.function)) {
        return fmt::format("a constructor that leaves these bytes alone: {} writes them{}", writer.function,
                           writer.file.empty() ? "" : at_place(writer));
    }
    return fmt::format("no memset{} where the content is overwritten anyway", at_place(writer));
}

void find_mend(filled_place& row, advised_type type, const advised_place& place,
               const trace_analysis& analysis, const source_reader& sources) {
    const container_kind kind = kind_of(type.named);
    if (kind == container_kind::hash_buckets) {
        row.is_candidate = false;
        row.fix = "none: a hash table needs its buckets to be zero";
        return;
    }
    if (is_zeroed(analysis, place)) {
        row.fix = "no memset: calloc has zeroed the block already";
        return;
    }
    if (const symbol_frame* const writer = writer_of(row.written_by, row.place)) {
        row.fix = fix_of_writer(*writer);
        return;
    }
    if (is_from_malloc(analysis, place)) {
        row.fix = "no memset where the content is overwritten; else calloc, whose new pages are zero";
        return;
    }
    if (kind == container_kind::text || kind == container_kind::pmr || kind == container_kind::other ||
        (kind == container_kind::none && type.named.rule == type_rule::none)) {
        row.fix = unnamed_fill_use().text;
        return;
    }
    type.what = remedy::for_overwrite;
    type.rule = fill_rule().name;
    type_facts facts{.type = type};
    facts.kind = kind;
    row.fix = of_std(fill_rule().use(facts).text);
    type.places = {place};
    row.change = snippet_for(type, sources);
}

std::string where(const filled_place& row) {
    return row.label + at_place(row.place);
}

std::string verdict_of(const fill_report& report, const trace_info& info) {
    const auto first = std::find_if(report.places.begin(), report.places.end(),
                                    [](const filled_place& row) { return row.is_candidate; });
    if (first == report.places.end()) {
        return fmt::format("No out-of-line zero fill of {} or more into a fresh block was seen{}{}.",
                           figures::counted(info.smallest_fill, "byte"),
                           report.places.empty() ? "" : ", but for those that hash tables need",
                           info.missing.empty() ? "" : "; there may be some in what the trace lost");
    }
    std::uint64_t fills = 0;
    std::uint64_t bytes = 0;
    double ns = 0;
    for (const filled_place& row : report.places) {
        if (row.is_candidate) {
            fills += row.fills;
            bytes += row.bytes;
            ns += row.time_ns;
        }
    }
    std::string text = fmt::format("{} wrote {} of zeros into fresh blocks", figures::counted(fills, "fill"),
                                   figures::bytes_text(bytes));
    if (report.program_cpu_ns > 0 && ns > 0) {
        text += fmt::format(", {} of the run", share_text(std::min(1.0, ns / report.program_cpu_ns)));
    }
    return text +
           fmt::format("; {} of it in {}.",
                       figures::percent(static_cast<double>(first->bytes) / static_cast<double>(bytes)),
                       where(*first));
}

void add_notes(fill_report& report, const trace_info& info) {
    report.notes.push_back(fmt::format("zeros that the compiler wrote inline are not seen, which g++ does "
                                       "for {} to {} bytes where their number is a "
                                       "constant; linn lint sees them",
                                       inlined_from, inlined_to));
    if (!report.places.empty()) {
        report.notes.emplace_back("these are candidates: whether the zeros are overwritten before they are "
                                  "read cannot be seen from outside");
    }
    if (report.time_ns > 0) {
        report.notes.emplace_back(
            "the time was measured in the program, with the page faults of memory that is new: those move to "
            "the first write when the fill goes, so the gain is at most this");
    }
    for (const std::string& missing : info.missing) {
        report.notes.push_back("the trace is not whole: " + missing);
    }
}

} // namespace

fill_report report_fills(const trace_analysis& analysis, const naming& names, const source_reader& sources) {
    fill_report report;
    report.program_cpu_ns = cost_of_program(analysis.info).cpu_ns;
    for (const advised_type& type : group_types(analysis, name_sites(analysis, names))) {
        for (const advised_place& place : type.places) {
            filled_place row;
            for (const std::uint32_t index : place.sites) {
                const site_statistics& s = analysis.sites[index].statistics;
                row.fills += s.fills;
                row.bytes += s.filled_bytes;
                row.time_ns += static_cast<double>(s.fill_ns);
                if (row.written_by.empty() && analysis.sites[index].fill_stack != 0) {
                    row.written_by =
                        names.name(site_of_stack(analysis.info, analysis.sites[index].fill_stack)).frames;
                }
            }
            if (row.fills == 0) {
                continue;
            }
            row.label = label_of(type);
            row.type = type.name;
            row.container = type.container;
            row.named_by = type.named.rule;
            row.place = place.frame;
            row.callers = place.callers;
            find_mend(row, type, place, analysis, sources);
            report.fills += row.fills;
            report.bytes += row.bytes;
            report.time_ns += row.time_ns;
            report.places.push_back(std::move(row));
        }
    }
    std::sort(report.places.begin(), report.places.end(), [](const filled_place& a, const filled_place& b) {
        if (a.bytes != b.bytes) {
            return a.bytes > b.bytes;
        }
        return std::tie(a.label, a.place.file, a.place.line) < std::tie(b.label, b.place.file, b.place.line);
    });
    report.verdict = verdict_of(report, analysis.info);
    add_notes(report, analysis.info);
    return report;
}

} // namespace linn::tool
