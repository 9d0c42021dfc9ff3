// SPDX-License-Identifier: Apache-2.0
#include "event_lines.hpp"

#include "../../measure/quantity.hpp"
#include "../../trace/trace_counts.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

/// Without the spaces of empty columns at the end.
std::string trimmed(std::string line) {
    line.resize(line.find_last_not_of(" \n") + 1);
    return line + '\n';
}

} // namespace

std::string event_heading() {
    return trimmed(fmt::format("{:>14}  {:>8}  {:<12}  {:<24}  {:>18}  {:>12}  {:>7}  {}\n", "seconds",
                               "thread", "event", "by", "address", "bytes", "stack", ""));
}

std::string event_line(const trace_info& info, const event& e) {
    std::string more;
    if (e.kind == event_kind::reallocation) {
        more = fmt::format("was {:#x}", e.old_address);
    } else if (e.kind == event_kind::fill) {
        more = fmt::format("took {}",
                           figures::written(figures::unit::nanoseconds, static_cast<double>(e.old_address)));
    } else if (e.alignment_log2 != 0) {
        more = fmt::format("aligned to {}", std::uint64_t{1} << (e.alignment_log2 & 63));
    }
    return trimmed(fmt::format("{:>14.9f}  {:>8}  {:<12}  {:<24}  {:>#18x}  {:>12}  {:>7}  {}\n",
                               static_cast<double>(e.time) / 1e9, info.threads[e.thread].tid,
                               to_string(e.kind), e.call == allocation_call::none ? "" : to_string(e.call),
                               e.address, e.kind == event_kind::release ? "" : std::to_string(e.bytes),
                               e.stack == 0 ? "" : std::to_string(e.stack), more));
}

} // namespace linn::tool
