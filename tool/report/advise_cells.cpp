// SPDX-License-Identifier: Apache-2.0
#include "advise_cells.hpp"

#include "../advise/cost.hpp"
#include "../advise/type_groups.hpp"
#include "quantity.hpp"
#include "shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace linn::tool {
namespace {

std::string count_text(std::uint64_t value) {
    const auto number = static_cast<double>(value);
    if (number >= 999.5e3)
        return fmt::format("{:.{}f} M", number / 1e6, number < 9.995e6 ? 2 : 1);
    if (number >= 9'999.5)
        return fmt::format("{:.{}f} k", number / 1e3, number < 99'950 ? 1 : 0);
    return fmt::format("{}", value);
}

std::string size_text(std::uint64_t bytes) {
    const auto number = static_cast<double>(bytes);
    if (bytes < 10'000)
        return fmt::format("{}", bytes);
    if (number < 10'000.0 * 1024)
        return fmt::format("{:.0f} KiB", number / 1024);
    return fmt::format("{:.0f} MiB", number / (1024 * 1024));
}

std::string sizes_text(const site_statistics& s) {
    if (s.allocations == 0)
        return "";
    if (s.uniformity() >= 0.9 && !s.sizes.empty())
        return size_text(s.sizes.front().first);
    return fmt::format("{}-{}", size_text(s.smallest), size_text(s.largest));
}

std::string life_text(const site_statistics& s) {
    if (s.releases == 0)
        return "-";
    const double ns = s.lifetime_quantile(0.5);
    for (const auto& [unit, scale] : {std::pair{"ns", 1.0}, std::pair{"us", 1e3}, std::pair{"ms", 1e6}})
        if (ns < 999.5 * scale)
            return fmt::format("{:.{}f} {}", ns / scale, ns < 9.95 * scale && scale > 1 ? 1 : 0, unit);
    return fmt::format("{:.1f} s", ns / 1e9);
}

/// "9-12 %", "-1.0..3.0 %".
std::string short_gain(const gain_range& gain) {
    const int digits = gain.high < 0.0995 ? 1 : 0;
    return fmt::format("{:.{}f}{}{:.{}f} %", gain.low * 100, digits, gain.low < 0 ? ".." : "-",
                       gain.high * 100, digits);
}

/// The part without what the type's name says already: "linn::list", "linn::pooled", "reserve()".
std::string short_part(const advised_type& type) {
    std::string part = type.part;
    if (const std::size_t linn = part.find("linn::");
        linn != std::string::npos && part.starts_with("struct "))
        part.erase(0, linn);
    const std::size_t end =
        std::min({part.find('<'), part.find(" of "), part.find(" with "), part.find(" as "), part.find(','),
                  part.find(':', part.starts_with("linn") ? 6 : 0), part.size()});
    return part.substr(0, end);
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

advise_cells cells_of(const advised_type& type) {
    const site_statistics& s = type.statistics;
    advise_cells cells;
    cells.type = label_of(type);
    cells.count = count_text(s.allocations);
    cells.share = fmt::format("{:.{}f} %", type.share * 100, type.share < 0.0995 ? 1 : 0);
    cells.size = sizes_text(s);
    cells.peak_live = count_text(s.peak_live);
    cells.median_life = life_text(s);
    cells.remote = s.releases == 0 ? "-"
                                   : fmt::format("{:.0f} %", 100 * static_cast<double>(s.remote_releases) /
                                                                 static_cast<double>(s.releases));
    if (!type.served_with.empty())
        cells.gain = "with above";
    else if (type.what != remedy::nothing)
        cells.gain = (type.is_gain_measured ? "" : "~") + short_gain(type.gain);
    if (type.tried)
        cells.measured = type.tried->together > 1 ? '(' + short_gain(type.tried->interval) + ')'
                                                  : short_gain(type.tried->interval);
    else if (!type.not_tried.empty())
        cells.measured = "-";
    cells.use = short_part(type);
    return cells;
}

std::string run_line(const advice& a) {
    const trace_info& info = a.analysis.info;
    std::string command = shell_words(info.command);
    if (command.size() > 200)
        command = command.substr(0, 200) + "...";
    std::replace_if(
        command.begin(), command.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    std::string text = fmt::format(
        "{}: {} allocations and {} releases by {} thread{}", command, count_text(a.analysis.all.allocations),
        count_text(a.analysis.all.releases), info.threads.size(), info.threads.size() == 1 ? "" : "s");
    if (info.processes.size() > 1)
        text += fmt::format(" of {} processes", info.processes.size());
    if (a.program_cpu_ns > 0)
        text += fmt::format(", {} of CPU time without the recording", quantity_text(a.program_cpu_ns, "ns"));
    return text;
}

std::string tried_text(const advised_type& type) {
    if (!type.tried)
        return type.not_tried.empty() ? "" : "not measured: " + type.not_tried;
    return "measured: " + measured_text(*type.tried) +
           (type.tried->together > 1 ? fmt::format(", with {} other types as one", type.tried->together - 1)
                                     : "");
}

std::vector<std::string> trial_sentences(const advice& a) {
    if (!a.tried)
        return {};
    if (!a.tried->problem.empty())
        return {fmt::format("Not measured: {}.", a.tried->problem)};
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
    return ceiling +
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
        if (t.what == remedy::nothing || !t.served_with.empty())
            continue;
        ++advised;
        if (t.is_gain_measured)
            continue;
        ++estimated;
        ++counts[t.estimated_because];
    }
    if (estimated == 0)
        return {};
    std::string text = estimated == advised
                           ? fmt::format("~: {} estimated", advised == 1 ? "the gain is" : "all gains are")
                           : fmt::format("~: {} of {} gains {} estimated", estimated, advised,
                                         estimated == 1 ? "is" : "are");
    const char* separator = ": ";
    for (const estimate_reason reason : reasons)
        if (const std::size_t count = counts[reason]; count != 0) {
            text +=
                fmt::format("{}{}{}", separator, count == estimated ? "" : fmt::format("{} because ", count),
                            words_of(reason));
            separator = ", ";
        }
    return text;
}

} // namespace linn::tool
