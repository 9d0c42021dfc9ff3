// SPDX-License-Identifier: Apache-2.0
#include "trace_export.hpp"

#include "../../measure/words.hpp"
#include "../../trace/counts.hpp"
#include "../render/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
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
                     const address_names& names, export_weight weight, std::ostream& out) {
    std::map<std::string, std::uint64_t> lines;
    for (const exported_stack& s : stacks) {
        const std::uint64_t weighs = weight == export_weight::bytes         ? s.counts.bytes
                                     : weight == export_weight::allocations ? s.counts.blocks
                                                                            : s.allocator_ns;
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
    constexpr const char* words[]{"collapsed", "pprof", "csv", "csv-stacks"};
    static_assert(has_enumerators<export_format, std::size(words)>);
    static const std::vector<std::string> names(std::begin(words), std::end(words));
    return names;
}

std::optional<export_format> export_format_of(std::string_view name) {
    const auto& names = export_format_names();
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
        return std::nullopt;
    }
    return static_cast<export_format>(found - names.begin());
}

void export_stacks(const trace_profile& profile, symbolizer& symbols, const export_options& options,
                   std::ostream& out) {
    const trace_info& info = profile.analysis.info;
    const std::vector<exported_stack> stacks =
        exported_stacks(profile, options.filter, options.keeps_runtime);
    const address_names names = names_by(info, symbols);
    switch (options.format) {
    case export_format::collapsed:
        write_collapsed(info, stacks, names, options.weight, out);
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

namespace {

using report::csv_line;

/// As CSV calls it; empty for none.
const char* csv_word(allocation_call call) {
    return word_of(call, {"", "malloc", "calloc", "realloc", "aligned", "new", "new[]", "new aligned",
                          "new[] aligned", "free", "delete", "delete[]"});
}

} // namespace

void write_event_heading(const trace_info& info, std::ostream& out) {
    std::vector<nlohmann::ordered_json> names{"time_ns", "process",     "thread", "event",     "call",
                                              "address", "old_address", "bytes",  "alignment", "stack"};
    if (info.sample_bytes != 0) {
        names.emplace_back("weight");
    }
    out << csv_line(names);
}

void write_events(const trace_info& info, std::span<const event> events, std::ostream& out) {
    // None of these fields needs a quotation mark, and there may be 10^8 of them.
    fmt::memory_buffer text;
    const sample_weight weight{info.sample_bytes};
    for (const event& e : events) {
        const std::uint32_t pid = e.process < info.processes.size() ? info.processes[e.process].pid : 0;
        const std::uint32_t tid = e.thread < info.threads.size() ? info.threads[e.thread].tid : 0;
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:#x},", e.time, pid, tid, to_string(e.kind),
                       csv_word(e.call), e.address);
        if (e.old_address != 0 && e.kind != event_kind::fill) {
            fmt::format_to(std::back_inserter(text), "{:#x}", e.old_address);
        }
        fmt::format_to(std::back_inserter(text), ",{},{},{}", e.bytes,
                       e.alignment_log2 == 0 ? 0 : std::uint64_t{1} << (e.alignment_log2 & 63U), e.stack);
        if (weight.is_sample()) {
            text.push_back(',');
            if (e.kind == event_kind::allocation) { // a release has that of the allocation
                fmt::format_to(std::back_inserter(text), "{:.3f}", weight.of(e.bytes));
            }
        }
        text.push_back('\r');
        text.push_back('\n');
    }
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void write_stacks(const trace_info& info, std::span<const exported_stack> stacks, const address_names& names,
                  std::ostream& out) {
    out << csv_line({"stack", "call", "allocations", "bytes", "live_at_end", "live_bytes_at_end",
                     "most_live_bytes", "live_at_peak", "live_bytes_at_peak", "temporary", "temporary_bytes",
                     "median_lifetime_ns", "frames"});
    for (const exported_stack& e : stacks) {
        std::string frames;
        if (e.stack < info.stacks.size()) {
            for (const code_address& at : info.stacks[e.stack]) {
                for (const symbol_frame& f : names(at)) {
                    frames += (frames.empty() ? "" : " < ") + name_of(f, at, info);
                    if (!f.file.empty()) {
                        frames += fmt::format(" ({}:{})", file_name(f.file), f.line);
                    }
                }
            }
        }
        const site_statistics& s = e.statistics;
        out << csv_line({std::uint64_t{e.stack}, csv_word(e.call), s.allocations, s.bytes, e.live.blocks,
                         e.live.bytes, s.peak_live_bytes, s.live_at_peak, s.live_bytes_at_peak, s.temporary,
                         s.temporary_bytes, static_cast<std::uint64_t>(s.lifetime_quantile(0.5)), frames});
    }
}

} // namespace linn::tool
