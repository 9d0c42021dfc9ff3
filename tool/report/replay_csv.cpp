// SPDX-License-Identifier: Apache-2.0
#include "replay_csv.hpp"

#include "../replay/replay_client.hpp"
#include "csv.hpp"
#include "replay_figures.hpp"
#include "shell_words.hpp"
#include "version.hpp"

namespace linn::tool {
namespace {

std::string row_line(const replay_result& result, const replay_row& row, const char* kind) {
    const bool has_figures = is_measured(row);
    const auto figure = [&](double value) { return has_figures ? csv_field{value} : csv_field{}; };
    const auto share = [&](double value) {
        return has_figures && result.program_cpu_seconds > 0 ? csv_field{value} : csv_field{};
    };
    return csv_line({kind,
                     row.name,
                     row.title,
                     row.version,
                     std::uint64_t{row.seconds.size()},
                     figure(row.median),
                     figure(row.low),
                     figure(row.high),
                     figure(row.ratio),
                     figure(row.ratio_low),
                     figure(row.ratio_high),
                     cost_of_request(result, row),
                     share(row.change),
                     share(row.change_low),
                     share(row.change_high),
                     figure(row.peak_rss_bytes),
                     row.failure,
                     result.noise_floor,
                     result.events,
                     to_string(result.options.touch),
                     shell_words(result.command),
                     result.interrupted_by == 0,
                     result.started,
                     version_text(),
                     result.machine.cpu_model});
}

} // namespace

std::string replay_csv(const replay_result& result) {
    std::string out =
        csv_line({"kind",   "name",       "title",       "version",        "rounds",     "seconds",
                  "low",    "high",       "ratio",       "ratio_low",      "ratio_high", "ns_per_request",
                  "change", "change_low", "change_high", "peak_rss_bytes", "failure",    "noise_floor",
                  "events", "touch",      "command",     "complete",       "started",    "linn",
                  "cpu"});
    for (const replay_row& row : result.rows)
        out += row_line(result, row, "allocator");
    for (const replay_row& row : result.groups)
        out += row_line(result, row, "type");
    return out;
}

} // namespace linn::tool
