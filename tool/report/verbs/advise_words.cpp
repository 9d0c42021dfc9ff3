// SPDX-License-Identifier: Apache-2.0
#include "advise_words.hpp"

#include "../../measure/shell_words.hpp"

#include <fmt/format.h>

namespace linn::tool::report {
namespace {

std::string about(std::uint64_t count, std::string_view thing) {
    return counted(figure_of(unit::about, static_cast<double>(count)), lettering::plain, thing);
}

} // namespace

cell time_cell(const advice& a, const site_time& time) {
    if (!a.analysis.time.is_known()) {
        return figure_of(unit::share, unknown_bound);
    }
    const time_share share = time.share();
    quantity q = bounds_of(unit::share, share.low, share.high);
    q.value = share.value;
    return q;
}

cell remote_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::share, s.releases == 0 ? unknown_bound
                                                  : static_cast<double>(s.remote_releases) /
                                                        static_cast<double>(s.releases));
}

cell lifetime_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    return figure_of(unit::nanoseconds, s.releases == 0 ? unknown_bound : s.lifetime_quantile(0.5));
}

cell size_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.allocations == 0) {
        return {};
    }
    const bool is_named_by_sizes = !type.named.blocks.what.empty(); // all of them
    if (!is_named_by_sizes && s.uniformity() >= 0.9 && !s.sizes.empty()) {
        return figure_of(unit::bytes, static_cast<double>(s.sizes.front().first));
    }
    return bounds_of(unit::bytes, static_cast<double>(s.smallest), static_cast<double>(s.largest));
}

cell sampled_bytes_cell(const advised_type& type) {
    const site_statistics& s = type.statistics;
    if (s.spread.blocks == 0) {
        return "";
    }
    const sample_bounds b = bounds_of_sample(static_cast<double>(s.bytes), s.spread);
    return bounds_of(unit::bytes, b.low, b.high);
}

types_together sum_of(std::span<const advised_type* const> types) {
    types_together sum;
    for (const advised_type* const t : types) {
        ++sum.types;
        sum.allocations += t->statistics.allocations;
        sum.time.merge(t->statistics.time);
    }
    return sum;
}

std::string run_line(const advice& a) {
    const trace_info& info = a.analysis.info;
    std::string command = shell_words(info.command);
    if (command.size() > 200) {
        command = command.substr(0, 200) + "...";
    }
    std::string text =
        fmt::format("{}: {}{} and {} by {}", command, info.sample_bytes == 0 ? "" : "about ",
                    about(a.analysis.all.allocations, "allocation"),
                    about(a.analysis.all.releases, "release"), counted(info.threads.size(), "thread"));
    if (info.processes.size() > 1) {
        text += " of " + counted(info.processes.size(), "process");
    }
    if (const double cpu_ns = cost_of_program(info).cpu_ns; cpu_ns > 0) {
        text += fmt::format(", {} of CPU time without the recording",
                            figure_of(unit::nanoseconds, cpu_ns).text());
    }
    return text;
}

std::string method_line(const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known()) {
        return "the time in the allocator is not known: types stand in the order of their calls";
    }
    std::string text = fmt::format(
        "time: share of the program's CPU time in calls of the allocator and in the page faults of "
        "the blocks, 95 %; {} timed in the program",
        counted(figure_of(unit::about, static_cast<double>(time.samples)), lettering::plain, "call was",
                "calls were"));
    if (time.waiting >= 0.001) {
        text += fmt::format("; threads waited for the allocator's locks for {} more", percent(time.waiting));
    }
    return text;
}

} // namespace linn::tool::report
