// SPDX-License-Identifier: Apache-2.0
#include "try_cells.hpp"

#include "../measure/process.hpp"
#include "../measure/statistics.hpp"
#include "../symbols/short_name.hpp"
#include "quantity.hpp"
#include "shell_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

constexpr std::size_t name_width = 44;
constexpr double mib = 1024 * 1024;

const char* call_word(const run_row& row, const estimate& e) {
    if (row.contender.is_own())
        return row.contender.is_control() ? "(control)" : "";
    return e.call == verdict::better ? "less" : e.call == verdict::worse ? "more" : "-";
}

std::string memory_text(const run_row& row, const run_row& plain) {
    const estimate* e = row.find_estimate("peak_rss_bytes");
    const estimate* before = plain.find_estimate("peak_rss_bytes");
    if (e == nullptr || before == nullptr)
        return "";
    return row.contender.is_default() ? fmt::format("{:.1f}", e->median / mib)
                                      : fmt::format("{:+.1f}", (e->median - before->median) / mib);
}

std::string bounds_text(const run_row& row, const estimate& e) {
    if (row.contender.is_default() || !are_bounds(e.ratio_low, e.ratio_high))
        return "";
    return fmt::format("{:+.1f} to {:+.1f}", (e.ratio_low - 1) * 100, (e.ratio_high - 1) * 100);
}

/// Of those chosen: all their hits, by all their allocations.
std::optional<double> routed_together(const try_result& result) {
    double served = 0;
    double all = 0;
    for (const std::size_t i : result.chosen) {
        const std::optional<double> share = result.routed(i);
        if (!share)
            return std::nullopt;
        const auto allocations = static_cast<double>(result.candidates.list[i].allocations);
        served += *share * allocations;
        all += allocations;
    }
    return all > 0 ? std::optional{served / all} : std::nullopt;
}

std::string served_text(const try_result& result, const run_row& row) {
    const std::optional<std::size_t> candidate = candidate_of(result, row);
    const bool is_together = row.contender.name == together_arm || row.contender.name == both_arm ||
                             std::any_of(result.variants.begin(), result.variants.end(),
                                         [&](const try_variant& v) { return v.name == row.contender.name; });
    const std::optional<double> share = candidate     ? result.routed(*candidate)
                                        : is_together ? routed_together(result)
                                                      : std::nullopt;
    return share ? fmt::format("{:.1f} %", *share * 100) : "";
}

std::vector<try_cells> rows_of(const try_result& result, const run_result& run) {
    std::vector<try_cells> rows;
    const run_row* plain = run.find(default_name);
    if (plain == nullptr || plain->find_estimate(cpu_metric) == nullptr)
        return rows;
    std::vector<std::string> names;
    for (const run_row& row : run.rows) {
        const estimate* e = row.find_estimate(cpu_metric);
        if (e == nullptr)
            continue;
        try_cells cells;
        cells.row = &row;
        cells.cpu = e;
        cells.milliseconds = fmt::format("{:.1f}", e->median * 1e-6);
        cells.change = row.contender.is_default() ? "" : signed_percent(e->ratio - 1);
        cells.bounds = bounds_text(row, *e);
        cells.verdict = call_word(row, *e);
        cells.memory = memory_text(row, *plain);
        cells.served = served_text(result, row);
        names.push_back(row.contender.title);
        rows.push_back(std::move(cells));
    }
    names = short_types(names, name_width);
    for (std::size_t i = 0; i != names.size(); ++i)
        rows[i].name = std::move(names[i]);
    return rows;
}

} // namespace

std::vector<try_part> parts_of(const try_result& result) {
    std::vector<try_part> parts;
    const auto add = [&](const run_result& run, const char* name, const char* heading) {
        if (!run.rows.empty())
            parts.push_back({name, heading, &run, rows_of(result, run)});
    };
    add(result.alone, "alone", "each alone");
    add(result.together, "together", "together, and beside others");
    add(result.further, "further", "variants, and over the best allocator");
    if (parts.size() == 1 && parts.front().run == &result.together)
        parts.front().heading.clear();
    return parts;
}

std::optional<std::size_t> candidate_of(const try_result& result, const run_row& row) {
    for (std::size_t i = 0; i != result.candidates.list.size(); ++i)
        if (row.contender.name == arm_alone(i))
            return i;
    return std::nullopt;
}

std::vector<std::string> how_it_was_measured(const try_result& result,
                                             const std::vector<std::string>& command) {
    std::vector<std::string> lines{
        "medians of the runs; changes against the default in the same round, with the 95 % interval of their "
        "median; served: share of the recorded allocations, counted in a run that is not timed"};
    const run_result& run = result.judged();
    if (const auto floor = run.noise_floor.find(cpu_metric); floor != run.noise_floor.end())
        lines.push_back(fmt::format(
            "noise floor, the default against itself: {:.1f} %; smaller differences are not claimed, nor "
            "those that Wilcoxon's test with Holm's correction does not tell from chance",
            floor->second.floor * 100));
    lines.emplace_back("in every run, malloc was proven to be the arm's, and the environment had one size");
    lines.push_back(fmt::format("{}: {} round{}; {}, {} CPUs, {}; seed {}", shell_words(command),
                                run.complete_rounds, run.complete_rounds == 1 ? "" : "s",
                                run.machine.cpu_model, run.machine.cpus, run.machine.kernel,
                                run.options.seed));
    return lines;
}

std::vector<std::string> left_out_lines(const try_result& result) {
    std::vector<std::string> lines;
    for (const try_left_out& l : result.candidates.left_out)
        lines.push_back(fmt::format("left out: {} ({:.1f} % of allocations): {}",
                                    short_type(l.type, name_width), l.share * 100, l.reason));
    return lines;
}

std::vector<std::string> partial_lines(const try_result& result) {
    std::vector<std::string> lines;
    if (result.interrupted_by != 0)
        lines.push_back("partial: stopped by " + signal_name(result.interrupted_by));
    if (!result.problem.empty())
        lines.push_back("partial: " + result.problem);
    return lines;
}

} // namespace linn::tool
