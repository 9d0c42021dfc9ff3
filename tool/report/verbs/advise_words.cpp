// SPDX-License-Identifier: Apache-2.0
#include "advise_words.hpp"

#include "../../advise/cost.hpp"
#include "../../advise/page_faults.hpp"
#include "../../advise/type_groups.hpp"
#include "../../measure/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool::report {
namespace {

std::string about(std::uint64_t count, std::string_view thing) {
    return counted(figure_of(unit::about, static_cast<double>(count)), lettering::plain, thing);
}

quantity range_of(const gain_range& gain) {
    quantity q = bounds_of(unit::share, gain.low, gain.high);
    q.value = gain.high;
    return q;
}

} // namespace

cell gain_cell(const advised_type& type) {
    if (!type.served_with.empty()) {
        return "with above";
    }
    if (type.what == remedy::nothing || !(type.gain.low <= type.gain.high)) {
        return "-";
    }
    return {"~", range_of(type.gain)};
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
    if (a.program_cpu_ns > 0) {
        text += fmt::format(", {} of CPU time without the recording",
                            figure_of(unit::nanoseconds, a.program_cpu_ns).text());
    }
    return text;
}

std::string method_line(const advice& a) {
    const std::string ceiling =
        a.program_cpu_ns <= 0
            ? "the share of the run is not known"
            : fmt::format("an allocator that cost nothing would save {}, estimated from the number of blocks",
                          gain_text(a.ceiling));
    const std::string faults =
        are_large(a.page_faults)
            ? fmt::format(" (one on huge pages may save more: {} {} {})",
                          about(a.page_faults.count, "page fault"),
                          agreeing(a.page_faults.count, "takes", "take"), gain_text(a.page_faults.of_run))
            : std::string{};
    return ceiling + faults +
           "; gains are shares of the run's CPU time; measure a change with 'linn run' before and after";
}

} // namespace linn::tool::report
