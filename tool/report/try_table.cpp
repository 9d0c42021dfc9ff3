// SPDX-License-Identifier: Apache-2.0
#include "try_table.hpp"

#include "../measure/statistics.hpp"
#include "../symbols/short_name.hpp"
#include "quantity.hpp"
#include "remarks.hpp"
#include "shell_words.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
namespace {

constexpr std::size_t name_width = 44;

const estimate* find_estimate(const run_row& row, const char* metric) {
    const auto found = row.estimates.find(metric);
    return found == row.estimates.end() ? nullptr : &found->second;
}

const char* call_word(const run_row& row, const estimate& e) {
    if (row.contender.is_own())
        return row.contender.is_control() ? "(control)" : "";
    return e.call == verdict::better ? "less" : e.call == verdict::worse ? "more" : "-";
}

std::string memory_text(const run_row& row, const run_row& plain) {
    const estimate* e = find_estimate(row, "peak_rss_bytes");
    const estimate* before = find_estimate(plain, "peak_rss_bytes");
    constexpr double mib = 1024 * 1024;
    if (e == nullptr || before == nullptr)
        return "";
    return row.contender.is_default() ? fmt::format("{:.1f}", e->median / mib)
                                      : fmt::format("{:+.1f}", (e->median - before->median) / mib);
}

std::string routed_text(const std::optional<double>& share) {
    return share ? fmt::format("{:.1f} %", *share * 100) : "";
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

class try_table {
public:
    explicit try_table(const try_result& result) : result_{result} {
        add(result.alone);
        add(result.together);
        add(result.further);
    }

    const table& get() const { return table_; }

private:
    void add(const run_result& run) {
        const run_row* plain = run.find(default_name);
        if (plain == nullptr || find_estimate(*plain, cpu_metric) == nullptr)
            return;
        if (!result_.alone.rows.empty() || !result_.further.rows.empty())
            table_.add_heading(&run == &result_.alone      ? "each alone"
                               : &run == &result_.together ? "together, and beside others"
                                                           : "variants, and over the best allocator");
        for (const run_row& row : run.rows)
            if (const estimate* e = find_estimate(row, cpu_metric); e != nullptr)
                table_.add_row(
                    {short_type(row.contender.title, name_width), fmt::format("{:.1f}", e->median * 1e-6),
                     row.contender.is_default() ? "" : signed_percent(e->ratio - 1), bounds(row, *e),
                     call_word(row, *e), memory_text(row, *plain), routed_text(routed_of(row))},
                    e->call == verdict::better);
    }

    static std::string bounds(const run_row& row, const estimate& e) {
        if (row.contender.is_default() || !are_bounds(e.ratio_low, e.ratio_high))
            return "";
        return fmt::format("{:+.1f} to {:+.1f}", (e.ratio_low - 1) * 100, (e.ratio_high - 1) * 100);
    }

    std::optional<double> routed_of(const run_row& row) const {
        if (row.contender.name == together_arm || row.contender.name == both_arm ||
            std::any_of(result_.variants.begin(), result_.variants.end(),
                        [&](const try_variant& v) { return v.name == row.contender.name; }))
            return routed_together(result_);
        for (std::size_t i = 0; i != result_.candidates.list.size(); ++i)
            if (row.contender.name == arm_alone(i))
                return result_.routed(i);
        return std::nullopt;
    }

    const try_result& result_;
    table table_{{{"pools for", "", true, 0},
                  {"ms", "CPU time", false, 2},
                  {"change", "CPU time", false, 0},
                  {"95 %", "CPU time", false, 0},
                  {"verdict", "", true, 0},
                  {"MiB", "peak memory", false, 1},
                  {"served", "", false, 0}}};
};

std::string remark_lines(const try_result& result, const std::vector<std::string>& command, const table& t,
                         const output_style& style) {
    std::vector<std::string> lines;
    if (const std::vector<std::string> hidden = t.dropped(style); !hidden.empty())
        lines.push_back(hidden_columns(hidden));
    lines.emplace_back(
        "medians of the runs; changes against the default in the same round, with the 95 % interval of their "
        "median; served: share of the recorded allocations, counted in a run that is not timed");
    const run_result& run = result.together.rows.empty() ? result.alone : result.together;
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
    return prose_lines(lines, style.width);
}

} // namespace

std::string try_report(const try_result& result, const std::vector<std::string>& command,
                       const output_style& style) {
    std::string out;
    if (result.interrupted_by != 0)
        out += bold(style, "partial: stopped by a signal") + '\n';
    if (!result.problem.empty())
        out += bold(style, wrap("partial: " + result.problem, style.width)) + '\n';
    if (!result.verdict.empty())
        out += bold(style, wrap(result.verdict, style.width)) + '\n';
    for (const std::string& finding : result.findings)
        out += wrap(finding, style.width) + '\n';
    if (!result.alone.rows.empty() || !result.together.rows.empty()) {
        const try_table arms{result};
        out += '\n' + arms.get().render(style) + remark_lines(result, command, arms.get(), style);
    }
    for (const try_left_out& l : result.candidates.left_out)
        out += wrap(fmt::format("left out: {} ({:.1f} % of allocations): {}", short_type(l.type, name_width),
                                l.share * 100, l.reason),
                    style.width, 4) +
               '\n';
    for (const std::string& warning : result.warnings)
        out += wrap(fmt::format("warning: {}", warning), style.width, 4) + '\n';
    return out;
}

} // namespace linn::tool
