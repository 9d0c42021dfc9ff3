// SPDX-License-Identifier: Apache-2.0
#include "bench_csv.hpp"

#include "csv.hpp"
#include "version.hpp"

#include <fmt/format.h>

namespace linn::tool {
namespace {

/// "receiver_idle=0.25;worker_idle=0": each scenario has its own, so they share a column.
std::string metrics_text(const phase_figures& f) {
    std::string text;
    for (const auto& [name, value] : f.metrics)
        text += fmt::format("{}{}={}", text.empty() ? "" : ";", name, value);
    return text;
}

std::string phase_line(const bench_result& result, const scenario_result& s, const row& r, std::size_t p) {
    const phase_figures& f = *r.in(p);
    return csv_line({s.what->name,
                     s.variant_of(r).name,
                     result.contenders[r.contender].name,
                     s.what->phases[p].name,
                     s.what->operation,
                     r.samples.size(),
                     f.ns.median.middle,
                     f.ns.median.low,
                     f.ns.median.high,
                     f.ns.minimum,
                     f.cycles.median.middle,
                     f.cycles.minimum,
                     f.ratio,
                     s.noise[p].floor,
                     s.noise[p].threshold,
                     f.faults,
                     r.peak_rss_bytes,
                     r.repeated,
                     r.disturbed,
                     metrics_text(f),
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
                if (r.in(p) != nullptr)
                    out += phase_line(result, s, r, p);
    return out;
}

} // namespace linn::tool
