// SPDX-License-Identifier: Apache-2.0
#include "advise_words.hpp"

#include "../../advise/cost.hpp"
#include "../../advise/page_faults.hpp"
#include "../../advise/type_groups.hpp"
#include "../../measure/shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

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

const char* words_of(estimate_reason reason) {
    switch (reason) {
    case estimate_reason::no_replay:
        return "the trace was not replayed";
    case estimate_reason::negligible:
        return "allocation takes too little of the run for a replay";
    case estimate_reason::few_rounds:
        return "the replay had time for too few rounds (--replay-budget gives it more)";
    case estimate_reason::failed:
        return "the replay failed or was stopped";
    case estimate_reason::too_many:
        return "other types cost more and took the replay's time";
    case estimate_reason::not_a_pool:
        return "a replay can only show what a pool would gain";
    case estimate_reason::none:
        break;
    }
    return "";
}

} // namespace

cell gain_cell(const advised_type& type) {
    if (!type.served_with.empty()) {
        return "with above";
    }
    if (type.what == remedy::nothing || !(type.gain.low <= type.gain.high)) {
        return "-";
    }
    return {type.is_gain_measured ? "" : "~", range_of(type.gain)};
}

cell measured_cell(const advised_type& type) {
    if (!type.tried) {
        return type.not_tried.empty() ? "" : "-";
    }
    const bool is_alone = type.tried->together <= 1;
    return {is_alone ? "" : "(", range_of(type.tried->interval), is_alone ? "" : ")"};
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

std::string tried_text(const advised_type& type) {
    if (!type.tried) {
        return type.not_tried.empty() ? "" : "not measured: " + type.not_tried;
    }
    return "measured: " + measured_text(figures::subject::one, *type.tried) +
           (type.tried->together > 1
                ? fmt::format(", with {} as one", counted(type.tried->together - 1, "other type"))
                : "");
}

std::vector<std::string> trial_sentences(const advice& a) {
    if (!a.tried) {
        return {};
    }
    if (!a.tried->problem.empty()) {
        return {fmt::format("Not measured: {}.", a.tried->problem)};
    }
    std::vector<std::string> sentences{"linn try: " + a.tried->verdict};
    sentences.insert(sentences.end(), a.tried->findings.begin(), a.tried->findings.end());
    return sentences;
}

std::string method_line(const advice& a) {
    const std::string ceiling =
        a.program_cpu_ns <= 0
            ? "the share of the run is not known"
            : fmt::format("an allocator that cost nothing would save {}, {}", gain_text(a.ceiling),
                          a.is_ceiling_measured ? "by replay of the trace"
                                                : "estimated from the number of blocks");
    const std::string faults =
        are_large(a.page_faults)
            ? fmt::format(" (one on huge pages may save more: {} {} {})",
                          about(a.page_faults.count, "page fault"),
                          agreeing(a.page_faults.count, "takes", "take"), gain_text(a.page_faults.of_run))
            : std::string{};
    return ceiling + faults +
           "; gains are shares of the run's CPU time; measure a change with 'linn run' before and after";
}

std::string estimates_line(const advice& a) {
    constexpr estimate_reason reasons[] = {estimate_reason::no_replay,  estimate_reason::negligible,
                                           estimate_reason::few_rounds, estimate_reason::failed,
                                           estimate_reason::too_many,   estimate_reason::not_a_pool};
    std::size_t advised = 0;
    std::size_t estimated = 0;
    std::map<estimate_reason, std::size_t> counts;
    for (const advised_type& t : a.types) {
        if (t.what == remedy::nothing || !t.served_with.empty()) {
            continue;
        }
        ++advised;
        if (t.is_gain_measured) {
            continue;
        }
        ++estimated;
        ++counts[t.estimated_because];
    }
    if (estimated == 0) {
        return {};
    }
    std::string text = estimated == advised
                           ? fmt::format("~: {} estimated", advised == 1 ? "the gain is" : "all gains are")
                           : fmt::format("~: {} of {} {} estimated", estimated, counted(advised, "gain"),
                                         agreeing(estimated, "is", "are"));
    const char* separator = ": ";
    for (const estimate_reason reason : reasons) {
        if (const std::size_t count = counts[reason]; count != 0) {
            text +=
                fmt::format("{}{}{}", separator, count == estimated ? "" : fmt::format("{} because ", count),
                            words_of(reason));
            separator = ", ";
        }
    }
    return text;
}

} // namespace linn::tool::report
