// SPDX-License-Identifier: Apache-2.0
#include "trace_profile.hpp"

#include "../advise/runtime_blocks.hpp"
#include "../analysis/accumulator.hpp"
#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "../symbols/memory_owner.hpp"
#include "../trace/frame.hpp"
#include "../trace/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace linn::tool {

const std::vector<std::string>& profile_measure_names() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (std::size_t i = 0; i != profile_measures; ++i) {
            all.emplace_back(to_string(static_cast<profile_measure>(i)));
        }
        return all;
    }();
    return names;
}

const char* to_string(profile_measure m) noexcept {
    return word_of(m, {"allocations", "bytes", "temporary", "live-blocks", "live-bytes"});
}

const char* words_of(profile_measure m) noexcept {
    return word_of(m, {"allocations", "bytes", "temporary allocations", "blocks never released",
                       "bytes never released"});
}

figures::quantity figure_of(profile_measure m, double value) {
    using figures::unit;
    if (m == profile_measure::bytes || m == profile_measure::live_bytes) {
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

std::string file_name(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

bool is_system_library(const std::string& module) {
    return module.starts_with('[') || ((module.starts_with("/usr/lib") || module.starts_with("/lib")) &&
                                       module.find(".so") != module.npos);
}

profile_frame frame_of(const symbol_frame& f, const std::string& module) {
    profile_frame frame;
    frame.file = file_name(f.file);
    frame.folders = f.file.substr(0, f.file.size() - frame.file.size());
    frame.line = f.line;
    frame.library = f.library;
    frame.is_own = !module.empty() && !is_system_library(module);
    if (!f.function.empty()) {
        frame.name = f.function;
    } else {
        // An address would differ between builds.
        frame.name = module.empty() ? "unknown" : "unknown in " + file_name(module);
        frame.is_unnamed = true;
    }
    return frame;
}

/// The frames of a site: one that is not inlined ends an address of the stack.
std::vector<profile_frame> frames_of(const allocation_site& site, const named_type& named) {
    std::vector<profile_frame> frames;
    std::size_t at = 0;
    for (const symbol_frame& f : named.frames) {
        frames.push_back(frame_of(f, at < site.stack.size() ? site.stack[at].module : std::string{}));
        at += f.is_inlined ? 0 : 1;
    }
    return frames;
}

profile_frame place_of_site(const named_type& named, const std::vector<profile_frame>& frames) {
    const symbol_frame& f = named.place;
    if (f.function.empty() && f.file.empty() && f.library.empty()) {
        return frames.empty() ? frame_of({}, {}) : frames.front();
    }
    return frame_of(f, f.library);
}

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

/// One type for each site, as what finds the runtime's own blocks wants them.
advised_type type_of(const named_type& named, std::uint32_t index, const site_statistics& statistics) {
    advised_type type;
    type.name = named.type;
    type.container = named.container;
    type.named = named;
    type.statistics = statistics;
    type.places.emplace_back().sites.push_back(index);
    return type;
}

profile_counts counts_of(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return {{s.allocations, s.bytes, s.temporary, s.live_at_end - std::min(type.runtime_live, s.live_at_end),
             s.live_bytes_at_end - std::min(type.runtime_live_bytes, s.live_bytes_at_end)}};
}

} // namespace

std::string profile_frame::place() const {
    if (!file.empty()) {
        return line == 0 ? file : fmt::format("{}:{}", file, line);
    }
    // A function without a name has that of its file: "unknown in libfoo.so".
    constexpr std::string_view unnamed = "unknown in ";
    if (name.starts_with(unnamed)) {
        return "in " + name.substr(unnamed.size());
    }
    return library.empty() ? "in " + name : fmt::format("in {} of {}", name, library);
}

std::string blocks_label(std::uint64_t smallest, std::uint64_t largest, const std::string& where) {
    return blocks_of_sizes(smallest, largest) + ' ' + where;
}

std::string profile_site::callers_key() const {
    std::string key;
    for (const profile_frame& f : callers) {
        key += '\x01' + f.key();
    }
    return key;
}

trace_profile name_profile(const std::filesystem::path& file, trace_analysis analysis, const naming& names) {
    advice a;
    a.analysis = std::move(analysis);
    trace_profile profile;
    profile.path = file;
    std::vector<named_type> types;
    for (const analysed_site& site : a.analysis.sites) {
        const allocation_site to_name = site_to_name(a.analysis.info, site);
        profile_site& named = profile.sites.emplace_back();
        named.named = names.name(to_name);
        named.callers = frames_of(to_name, named.named);
        named.place = place_of_site(named.named, named.callers);
        named.where = named.named.blocks.where;
        named.lacks = why_unnamed(to_name, named, names);
        named.smallest = site.statistics.smallest;
        named.largest = site.statistics.largest;
        if (lacks_names(named.named, named.named.place)) {
            named.unnamed = why_unnamed(a.analysis.info, site.stack, names);
        }
        const auto index = static_cast<std::uint32_t>(a.types.size());
        a.types.push_back(type_of(named.named, index, site.statistics));
        named.label = label_of(a.types.back());
        types.push_back(named.named);
    }
    // Blocks without a type's name are called as linn advise calls them.
    for (const advised_type& type : group_types(a.analysis, std::move(types))) {
        for (const advised_place& place : type.places) {
            for (const std::uint32_t site : place.sites) {
                profile_site& named = profile.sites[site];
                named.label = named.where.empty() ? named.label : type.name;
            }
        }
    }
    find_runtime_blocks(a, names);
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        profile.sites[i].counts = counts_of(a.types[i]);
        profile.all += profile.sites[i].counts;
    }
    profile.analysis = std::move(a.analysis);
    profile.kept_by_runtime = std::move(a.kept_by_runtime);
    return profile;
}

trace_profile profile_trace(const std::filesystem::path& file, const naming& names,
                            const std::function<bool(double)>& progress) {
    refuse_corrupt(file);
    trace_reader reader{file};
    trace_analysis analysis = analyse_trace(reader, progress);
    if (analysis.info.contents != "all") {
        throw unusable_input{fmt::format(
            "{} holds only blocks that zeros were written into: record the program again without --fills",
            file.string())};
    }
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

} // namespace linn::tool
