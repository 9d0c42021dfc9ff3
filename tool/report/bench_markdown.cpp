// SPDX-License-Identifier: Apache-2.0
#include "bench_markdown.hpp"

#include "../bench/summary.hpp"
#include "markdown.hpp"
#include "variant_table.hpp"
#include "version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace linn::tool {
namespace {

/// The phases to show: all, or where there are many those that the scenario's own table has in its columns.
std::vector<std::size_t> shown_phases(const scenario& s) {
    constexpr std::size_t most = 12;
    std::vector<std::size_t> phases;
    if (s.phases.size() <= most) {
        for (std::size_t p = 0; p != s.phases.size(); ++p)
            phases.push_back(p);
        return phases;
    }
    for (const column_info& c : s.columns)
        if (c.shows == figure::time && std::find(phases.begin(), phases.end(), c.phase) == phases.end())
            phases.push_back(c.phase);
    return phases;
}

std::string scenario_table(const bench_result& result, const scenario_result& s) {
    const std::vector<std::size_t> phases = shown_phases(*s.what);
    std::vector<markdown_column> columns{{"way", true}};
    for (const std::size_t p : phases)
        columns.push_back({std::string{s.what->phases[p].title}});
    columns.push_back({"x glibc"});
    columns.push_back({"MiB"});
    columns.push_back({"rounds"});

    std::vector<std::vector<std::string>> rows;
    for (const row* r : s.sorted_rows()) {
        const std::string title = markdown_text(result.title_of(s, *r));
        const bool is_ours = result.contenders[r->contender].name == linn_name;
        std::vector<std::string> cells{is_ours ? "**" + title + "**" : title};
        for (const std::size_t p : phases)
            cells.push_back(r->in(p) != nullptr ? three_digits(r->in(p)->ns.median.middle, 2) : "");
        cells.push_back(r->ratio > 0 ? fmt::format("{:.2f}", r->ratio) : "");
        cells.push_back(fmt::format("{:.0f}", std::ceil(r->peak_rss_bytes / (1024 * 1024))));
        cells.push_back(std::to_string(r->samples.size()));
        rows.push_back(std::move(cells));
    }
    return markdown_table(columns, rows);
}

std::string noise_line(const scenario_result& s) {
    std::optional<double> widest;
    for (const phase_noise& n : s.noise)
        widest = std::max(widest, n.floor);
    return widest ? fmt::format("Two copies of glibc differ by up to {:.1f} %.", *widest * 100) : "";
}

std::string machine_line(const bench_result& result) {
    const machine_info& m = result.machine;
    const std::string worker =
        m.build.empty() ? "" : fmt::format("worker: compiler {}, {}; ", m.compiler, m.build);
    return markdown_text(fmt::format("linn {}, {}; {}, {} CPUs, {}; {}seed {}.", version_text(),
                                     result.started, m.cpu_model, m.cpus, m.kernel, worker,
                                     result.options.seed));
}

} // namespace

std::string bench_markdown(const bench_result& result) {
    const std::vector<std::string> said = findings(result);
    std::string out;
    for (std::size_t i = 0; i != said.size(); ++i) // the first is what a reader in a hurry takes away
        out += i == 0 ? fmt::format("**{}**\n\n", markdown_text(said[i]))
                      : fmt::format("- {}\n{}", markdown_text(said[i]), i + 1 == said.size() ? "\n" : "");
    if (!result.complete())
        out += fmt::format("Partial: stopped by a signal after {} of {} complete rounds.\n\n",
                           result.complete_rounds, result.options.rounds);
    if (result.machine.build == "not optimised")
        out += "The worker was built without optimisation: these figures mean nothing.\n\n";
    for (const scenario_result& s : result.scenarios) {
        if (s.rows.empty())
            continue;
        out += fmt::format("### {}\n\n{}: median nanoseconds by {}; MiB: peak resident size. {}\n\n",
                           s.what->name, markdown_text(s.what->summary), s.what->operation, noise_line(s));
        out += scenario_table(result, s) + '\n';
    }
    for (const left_out& l : result.missing) {
        const std::string where = l.scenario.empty() ? "" : fmt::format(" in {}", l.scenario);
        out += fmt::format("- left out: {}\n", markdown_text(l.name + where + ": " + l.reason));
    }
    return out + (result.missing.empty() ? "" : "\n") + machine_line(result) + '\n';
}

} // namespace linn::tool
