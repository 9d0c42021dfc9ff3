// SPDX-License-Identifier: Apache-2.0
#include "../render/render.hpp"
#include "trace_export.hpp"

#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string>

namespace linn::tool {
namespace {

using report::csv_line;
using report::datum;

const char* word_of(event_kind kind) {
    switch (kind) {
    case event_kind::allocation:
        return "allocation";
    case event_kind::release:
        return "release";
    case event_kind::reallocation:
        return "reallocation";
    case event_kind::failure:
        return "failure";
    case event_kind::fill:
        break;
    }
    return "fill";
}

const char* word_of(allocation_call call) {
    switch (call) {
    case allocation_call::none:
        break;
    case allocation_call::malloc:
        return "malloc";
    case allocation_call::calloc:
        return "calloc";
    case allocation_call::realloc:
        return "realloc";
    case allocation_call::aligned:
        return "aligned";
    case allocation_call::operator_new:
        return "new";
    case allocation_call::operator_new_array:
        return "new[]";
    case allocation_call::operator_new_aligned:
        return "new aligned";
    case allocation_call::operator_new_array_aligned:
        return "new[] aligned";
    case allocation_call::free:
        return "free";
    case allocation_call::operator_delete:
        return "delete";
    case allocation_call::operator_delete_array:
        return "delete[]";
    }
    return "";
}

} // namespace

void write_event_heading(const trace_info& info, std::ostream& out) {
    std::vector<datum> names{"time_ns", "process",     "thread", "event",     "call",
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
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{:#x},", e.time, pid, tid, word_of(e.kind),
                       word_of(e.call), e.address);
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
        out << csv_line({std::uint64_t{e.stack}, word_of(e.call), s.allocations, s.bytes, e.live.blocks,
                         e.live.bytes, s.peak_live_bytes, s.live_at_peak, s.live_bytes_at_peak, s.temporary,
                         s.temporary_bytes, static_cast<std::uint64_t>(s.lifetime_quantile(0.5)), frames});
    }
}

} // namespace linn::tool
