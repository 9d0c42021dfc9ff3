// SPDX-License-Identifier: Apache-2.0
#include "trace_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace linn::tool {
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
        view_row& place = places.add(fmt::format("{}\x02{}", site.place.key(), site.place.line), site, counts,
                                     allocated, ns);
        place.label.clear();
        place.place = site.place;
        view_row& stack = stacks.add(site.label + site.callers_key(), site, counts, allocated, ns);
        stack.place = site.place;
        stack.stack = site.callers;
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
