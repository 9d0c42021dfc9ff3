// SPDX-License-Identifier: Apache-2.0
#include "trace_profile.hpp"

#include "../analysis/accumulator.hpp"
#include "../symbols/call_chain.hpp"
#include "../trace/trace_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <set>
#include <tuple>

namespace linn::tool {

const char* to_string(profile_measure m) noexcept {
    return word_of(m, {"allocations", "bytes", "temporary", "live-blocks", "live-bytes", "peak-bytes"});
}

const char* words_of(profile_measure m) noexcept {
    return word_of(m, {"allocations", "bytes", "temporary allocations", "blocks never released",
                       "bytes never released", "bytes live at once"});
}

figures::quantity figure_of(profile_measure m, double value) {
    using figures::unit;
    if (is_of_bytes(m)) {
        return figures::figure_of(unit::bytes, value);
    }
    figures::quantity q = figures::figure_of(value == std::floor(value) ? unit::count : unit::number, value);
    q.digits = 4;
    return q;
}

profile_counts& profile_counts::operator+=(const profile_counts& more) noexcept {
    for (std::size_t i = 0; i != of.size(); ++i) {
        of[i] += more.of[i];
    }
    return *this;
}

namespace {

/// Why the type of a site is not known: its code has no debug information, or not that of the recorded build. Empty where the type is
/// known; where it is a block that has none, such as one from malloc in code with debug information; and in another project's library.
std::string why_unnamed(const allocation_site& site, const profile_site& named, const naming& names) {
    if (named.named.rule != type_rule::none || site.stack.empty() ||
        is_system_library(site.stack.front().module)) {
        return {};
    }
    const code_site& by = site.stack.front();
    if (!names.about || by.module.empty()) {
        return {};
    }
    const module_symbols known = names.about(by.module, by.build_id);
    if (!known.problem.empty()) {
        return known.problem;
    }
    return known.known == module_symbols::level::full
               ? std::string{}
               : by.module + " has no debug information that names types";
}

/// As the tables of types call it.
std::string label_of_site(const named_type& named) {
    advised_type type;
    type.name = named.type;
    type.container = named.container;
    type.named = named;
    return label_of(type);
}

} // namespace

std::string function_name(const symbol_frame& frame) {
    return !frame.function.empty() ? frame.function
           : frame.module.empty()  ? "unknown"
                                   : "unknown in " + frame.module;
}

std::string place_name(const symbol_frame& frame) {
    const std::string place = place_text(frame);
    return !place.empty() ? place : "in " + (frame.module.empty() ? "unknown" : frame.module);
}

std::string frame_key(const symbol_frame& frame) {
    return function_name(frame) + '\x02' + frame.file_name();
}

std::string blocks_label(std::uint64_t smallest, std::uint64_t largest, const std::string& where) {
    return blocks_of_sizes(smallest, largest) + ' ' + where;
}

std::string profile_site::callers_key() const {
    std::string key;
    for (const symbol_frame& f : named.frames) {
        key += '\x01' + frame_key(f);
    }
    return key;
}

trace_profile name_profile(const std::filesystem::path& file, trace_analysis analysis, const naming& names) {
    trace_profile profile;
    profile.path = file;
    std::vector<named_type> types = name_sites(analysis, names);
    runtime_memory runtime = find_runtime_blocks(analysis, types);
    for (std::uint32_t i = 0; i != types.size(); ++i) {
        const analysed_site& site = analysis.sites[i];
        const bool is_runtime = runtime.rule_of.contains(i);
        const site_statistics& s = site.statistics;
        profile_site& named = profile.sites.emplace_back();
        named.named = types[i];
        named.label = label_of_site(named.named);
        named.lacks = why_unnamed(site_of_stack(analysis.info, site.stack), named, names);
        if (lacks_names(named.named, named.named.place)) {
            named.unnamed = why_unnamed(analysis.info, site.stack, names);
        }
        named.counts = {{s.allocations, s.bytes, s.temporary, is_runtime ? 0 : s.live_at_end,
                         is_runtime ? 0 : s.live_bytes_at_end, s.peak_live_bytes}};
        profile.all += named.counts;
    }
    // Blocks without a type's name are called as linn advise calls them.
    for (const advised_type& type : group_types(analysis, std::move(types))) {
        for (const advised_place& place : type.places) {
            for (const std::uint32_t site : place.sites) {
                profile_site& named = profile.sites[site];
                named.label = named.named.blocks.where.empty() ? named.label : type.name;
            }
        }
    }
    profile.analysis = std::move(analysis);
    profile.kept_by_runtime = std::move(runtime.kept);
    return profile;
}

trace_profile profile_trace(const std::filesystem::path& file, const naming& names,
                            const std::function<bool(double)>& progress) {
    refuse_corrupt(file);
    trace_reader reader{file};
    trace_analysis analysis = analyse_trace(reader, progress);
    return name_profile(file, std::move(analysis), names);
}

std::uint64_t peak_of_sites(const trace_profile& profile, const std::vector<bool>& sites) {
    trace_reader reader{profile.path};
    std::set<std::pair<std::uint32_t, allocation_call>> wanted;
    for (std::size_t i = 0; i != sites.size(); ++i) {
        if (sites[i]) {
            wanted.emplace(profile.analysis.sites[i].stack, profile.analysis.sites[i].call);
        }
    }
    // As one site, whose peak is exact.
    constexpr std::uint32_t of_these = 1;
    constexpr std::uint32_t of_others = 2;
    accumulator counted;
    std::vector<event> joined;
    reader.read([&](std::span<const event> events) {
        joined.assign(events.begin(), events.end());
        for (event& e : joined) {
            if (e.kind == event_kind::allocation || e.kind == event_kind::reallocation) {
                e.stack = wanted.contains({e.stack, e.call}) ? of_these : of_others;
                e.call = allocation_call::malloc;
            }
        }
        counted.take(joined);
    });
    const trace_analysis analysis = counted.finish(reader.info());
    const auto found =
        std::ranges::find_if(analysis.sites, [](const analysed_site& s) { return s.stack == of_these; });
    return found == analysis.sites.end() ? 0 : found->statistics.peak_live_bytes;
}

bool begins_as_trace(const std::filesystem::path& file) {
    std::array<char, trace_magic.size()> begin{};
    std::ifstream in{file, std::ios::binary};
    in.read(begin.data(), begin.size());
    return in.gcount() == static_cast<std::streamsize>(begin.size()) &&
           std::equal(begin.begin(), begin.end(), trace_magic.begin(),
                      [](char c, unsigned char wanted) { return static_cast<unsigned char>(c) == wanted; });
}

std::vector<std::string> why_incomplete(const trace_info& info) {
    std::vector<std::string> reasons = info.missing;
    if (info.attached_pid != 0) {
        reasons.push_back(fmt::format("the recording began when the program had run for {}",
                                      figures::written(figures::unit::nanoseconds, info.attached_age_ns)));
    }
    return reasons;
}

namespace {

/// Rows while sites are added; which row a site belongs to is decided by its key.
class view_rows {
public:
    view_row& add(const std::string& key, const profile_site& site, const block_counts& counts,
                  const block_counts& allocated, std::uint64_t ns) {
        view_row& row = rows_[key];
        row.label = site.label;
        row.counts += counts;
        row.allocated += allocated;
        row.allocator_ns += ns;
        return row;
    }

    std::vector<view_row> sorted(const trace_view& view) {
        std::erase_if(rows_, [](const auto& keyed) { return keyed.second.counts.blocks == 0; });
        return sorted_rows(std::move(rows_), [&](const view_row& r) {
            return std::tuple{view.measure(r.counts, r.allocator_ns), r.counts.bytes, r.counts.blocks};
        });
    }

private:
    std::map<std::string, view_row> rows_;
};

/// The modules that at least one percent of the blocks, or of their bytes, come from. The system's count from ten percent of
/// the blocks on: every program has one large block of the C++ runtime.
std::vector<std::string> missing_symbols_of(const trace_profile& profile, const trace_view& view) {
    std::map<std::string, std::pair<missing_symbols, block_counts>> modules;
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        if (const auto& why = profile.sites[i].unnamed) {
            auto& [what, counts] = modules[why->module];
            what = *why;
            counts += counts_of(profile, i, view.filter, view.keeps_runtime);
        }
    }
    std::vector<std::string> texts;
    for (const auto& [module, one] : modules) {
        const auto& [what, counts] = one;
        const bool is_notable = what.is_of_system ? counts.blocks * 10 >= view.all.blocks
                                                  : counts.blocks * 100 >= view.all.blocks ||
                                                        counts.bytes * 100 >= view.all.bytes;
        if (counts.blocks != 0 && is_notable) {
            texts.push_back(what.text(counts.blocks, "block"));
        }
    }
    return texts;
}

} // namespace

block_counts counts_of(const trace_profile& profile, std::size_t site, block_filter filter,
                       bool keeps_runtime) {
    const site_statistics& s = profile.analysis.sites[site].statistics;
    switch (filter) {
    case block_filter::all:
        break;
    case block_filter::peak:
        return {s.live_at_peak, s.live_bytes_at_peak};
    case block_filter::temporary:
        return {s.temporary, s.temporary_bytes};
    case block_filter::leaks: {
        const profile_counts& own = profile.sites[site].counts;
        return keeps_runtime
                   ? block_counts{s.live_at_end, s.live_bytes_at_end}
                   : block_counts{own[profile_measure::live_blocks], own[profile_measure::live_bytes]};
    }
    }
    return {s.allocations, s.bytes};
}

std::uint64_t allocator_ns(const trace_profile& profile, std::size_t site) {
    const trace_analysis& a = profile.analysis;
    const site_time& t = a.sites[site].statistics.time;
    return a.time.is_known()
               ? static_cast<std::uint64_t>(std::llround((t.calls + t.page_faults) * a.time.cpu_ns))
               : 0;
}

trace_view look_at(const trace_profile& profile, block_filter filter, bool keeps_runtime) {
    trace_view view;
    view.filter = filter;
    view.keeps_runtime = keeps_runtime;
    view.is_by_time = filter == block_filter::all && profile.analysis.time.is_known();
    view_rows types;
    view_rows places;
    view_rows stacks;
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const profile_site& site = profile.sites[i];
        const block_counts counts = counts_of(profile, i, filter, keeps_runtime);
        const block_counts allocated = counts_of(profile, i, block_filter::all);
        const std::uint64_t ns = allocator_ns(profile, i);
        view.all += counts;
        view.allocator_ns += ns;
        view.allocated += allocated;
        types.add(site.label, site, counts, allocated, ns);
        view_row& place =
            places.add(fmt::format("{}\x02{}", frame_key(site.named.place), site.named.place.line), site,
                       counts, allocated, ns);
        place.label.clear();
        place.place = site.named.place;
        view_row& stack = stacks.add(site.label + site.callers_key(), site, counts, allocated, ns);
        stack.place = site.named.place;
        stack.stack = site.named.frames;
    }
    view.types = types.sorted(view);
    view.places = places.sorted(view);
    view.stacks = stacks.sorted(view);
    view.missing_symbols = missing_symbols_of(profile, view);
    return view;
}

std::string program_name(const std::string& path) {
    constexpr std::string_view replaced = " (deleted)";
    std::string name = path.substr(path.rfind('/') + 1);
    if (name.ends_with(replaced)) {
        name.resize(name.size() - replaced.size());
    }
    return name;
}

std::string recorded_program(const trace_info& info) {
    const auto most = std::ranges::max_element(
        info.processes, [](const trace_process& a, const trace_process& b) { return a.events < b.events; });
    if (most != info.processes.end() && !most->executable.empty()) {
        return most->executable;
    }
    return info.command.empty() ? std::string{} : info.command.front();
}

} // namespace linn::tool
