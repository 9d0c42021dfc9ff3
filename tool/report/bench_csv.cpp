// SPDX-License-Identifier: Apache-2.0
#include "bench_csv.hpp"

#include "../bench/summary.hpp"
#include "../measure/statistics.hpp"
#include "csv.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

/// "receiver_idle=0.25;worker_idle=0": each scenario has its own, so they share a column.
std::string metrics_text(const row& r, std::size_t phase) {
    std::string text;
    if (phase < r.samples.front().metrics.size())
        for (const auto& [name, first] : r.samples.front().metrics[phase])
            text +=
                fmt::format("{}{}={}", text.empty() ? "" : ";", name, r.metric(phase, name).value_or(first));
    return text;
}

std::string phase_line(const bench_result& result, const scenario_result& s, const row& r, std::size_t p) {
    constexpr double level = 0.95;
    constexpr std::uint64_t seed = 1;
    const double rate = result.machine.ticks_per_ns;
    const std::vector<double> cycles = r.cycles(p);
    const interval i = bootstrap_median(cycles, level, seed);
    const row* baseline = s.find(result.contenders, baseline_name, s.what->baseline);
    std::optional<double> ratio;
    if (baseline != nullptr && baseline->has(p))
        ratio = i.middle / median(baseline->cycles(p));
    return csv_line({s.what->name,
                     s.variant_of(r),
                     result.contenders[r.contender].name,
                     s.what->phases[p].name,
                     s.what->operation,
                     cycles.size(),
                     i.middle / rate,
                     i.low / rate,
                     i.high / rate,
                     minimum(cycles) / rate,
                     i.middle,
                     minimum(cycles),
                     ratio,
                     noise_floor(result, s, p),
                     claim_threshold(result, s, p),
                     median(r.faults(p)),
                     r.peak_rss_bytes(),
                     r.repeated,
                     r.disturbed,
                     metrics_text(r, p),
                     result.complete(),
                     result.started,
                     version_text(),
                     result.machine.cpu_model});
}

} // namespace

std::string bench_csv(const bench_result& result) {
    std::string out = csv_line(
        {"scenario",       "variant",     "contender",       "phase",       "operation",      "rounds",
         "ns_median",      "ns_low",      "ns_high",         "ns_min",      "cycles_median",  "cycles_min",
         "ratio_to_glibc", "noise_floor", "claim_threshold", "page_faults", "peak_rss_bytes", "repeated",
         "disturbed",      "metrics",     "complete",        "started",     "version",        "cpu"});
    for (const scenario_result& s : result.scenarios)
        for (const row& r : s.rows)
            for (std::size_t p = 0; p != s.what->phases.size(); ++p)
                if (r.has(p))
                    out += phase_line(result, s, r, p);
    return out;
}

} // namespace linn::tool
