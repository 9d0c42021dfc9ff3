// SPDX-License-Identifier: Apache-2.0
#include "trace_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>

namespace linn::tool {

std::vector<exported_stack> exported_stacks(const trace_profile& profile, block_filter filter,
                                            bool keeps_runtime) {
    std::vector<exported_stack> stacks;
    for (std::size_t i = 0; i != profile.sites.size(); ++i) {
        const block_counts counts = counts_of(profile, i, filter, keeps_runtime);
        if (counts.blocks == 0 && counts.bytes == 0) {
            continue;
        }
        const analysed_site& site = profile.analysis.sites[i];
        const block_counts live =
            filter == block_filter::leaks ? counts : counts_of(profile, i, block_filter::leaks, true);
        stacks.push_back({site.stack, site.call, site.statistics, counts, live, allocator_ns(profile, i)});
    }
    return stacks;
}

address_names names_by(const trace_info& info, symbolizer& symbols) {
    return [&](const code_address& at) {
        if (at.module >= info.modules.size()) {
            return std::vector<symbol_frame>(1);
        }
        const trace_module& m = info.modules[at.module];
        return symbols.frames({m.path, m.build_id, at.address - 1});
    };
}

std::string name_of(const symbol_frame& frame, const code_address& at, const trace_info& info) {
    if (!frame.function.empty()) {
        return frame.function;
    }
    if (at.module >= info.modules.size()) {
        return fmt::format("{:#x}", at.address);
    }
    return fmt::format("{:#x} in {}", at.address, file_name(info.modules[at.module].path));
}

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

namespace {

/// The name without what separates names and lines.
std::string harmless(std::string name) {
    for (char& c : name) {
        if (c == ';') {
            c = ':';
        } else if (static_cast<unsigned char>(c) < 0x20) {
            c = ' ';
        }
    }
    return name;
}

} // namespace

void write_collapsed(const trace_info& info, std::span<const exported_stack> stacks,
                     const address_names& names, const stack_weight& weight, std::ostream& out) {
    std::map<std::string, std::uint64_t> lines;
    for (const exported_stack& s : stacks) {
        const std::uint64_t weighs = weight(s);
        if (weighs == 0) {
            continue;
        }
        std::string line;
        if (s.stack < info.stacks.size()) {
            for (auto at = info.stacks[s.stack].rbegin(); at != info.stacks[s.stack].rend(); ++at) {
                const std::vector<symbol_frame> frames = names(*at);
                for (auto f = frames.rbegin(); f != frames.rend(); ++f) {
                    line += (line.empty() ? "" : ";") + harmless(name_of(*f, *at, info));
                }
            }
        }
        lines[line.empty() ? "[no stack]" : line] += weighs;
    }
    for (const auto& [line, weighs] : lines) {
        out << line << ' ' << weighs << '\n';
    }
}

const std::vector<std::string>& export_format_names() {
    static const std::vector<std::string> names{"collapsed", "pprof", "csv", "csv-stacks"};
    return names;
}

std::optional<export_format> export_format_of(std::string_view name) {
    const auto& names = export_format_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<export_format>(found - names.begin());
}

stack_weight weight_by(export_weight what) {
    switch (what) {
    case export_weight::bytes:
        break;
    case export_weight::allocations:
        return [](const exported_stack& s) { return s.counts.blocks; };
    case export_weight::time:
        return [](const exported_stack& s) { return s.allocator_ns; };
    }
    return [](const exported_stack& s) { return s.counts.bytes; };
}

void export_stacks(const trace_profile& profile, symbolizer& symbols, const export_options& options,
                   std::ostream& out) {
    const trace_info& info = profile.analysis.info;
    const std::vector<exported_stack> stacks =
        exported_stacks(profile, options.filter, options.keeps_runtime);
    const address_names names = names_by(info, symbols);
    switch (options.format) {
    case export_format::collapsed:
        write_collapsed(info, stacks, names, weight_by(options.weight), out);
        break;
    case export_format::pprof:
        write_pprof(info, stacks, names, out, options.filter);
        break;
    case export_format::csv_stacks:
        write_stacks(info, stacks, names, out);
        break;
    case export_format::csv:
        break; // export_events() writes it
    }
}

void export_events(trace_reader& trace, const std::function<bool(double)>& progress, std::ostream& out) {
    write_event_heading(trace.info(), out);
    trace.read([&](std::span<const event> events) { write_events(trace.info(), events, out); }, progress);
}

} // namespace linn::tool
