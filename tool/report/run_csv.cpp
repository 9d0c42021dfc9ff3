// SPDX-License-Identifier: Apache-2.0
#include "run_csv.hpp"

#include "../measure/statistics.hpp"
#include "csv.hpp"
#include "run_json.hpp"
#include "shell_words.hpp"
#include "version.hpp"

namespace linn::tool {

std::vector<csv_field> run_csv_fields(const run_result& result, const run_row& row,
                                      const metric_info& metric) {
    const std::string name{metric.name};
    const std::vector<double> values = row.values(name);
    if (values.empty())
        return {};
    const estimate* e = row.find_estimate(name);
    const bool is_default = row.contender.is_default();
    const bool is_judged = e != nullptr && !row.contender.is_own();
    const auto of = [&](bool known, auto member) { return known ? csv_field{e->*member} : csv_field{}; };
    const bool has_ratio = e != nullptr && !is_default;
    const auto floor = result.noise_floor.find(name);
    return {row.contender.name,
            row.contender.title,
            name,
            to_string(metric.unit),
            values.size(),
            median(values),
            of(e != nullptr, &estimate::low),
            of(e != nullptr, &estimate::high),
            minimum(values),
            of(has_ratio, &estimate::ratio),
            of(has_ratio, &estimate::ratio_low),
            of(has_ratio, &estimate::ratio_high),
            of(has_ratio, &estimate::p),
            of(is_judged, &estimate::p_adjusted),
            is_judged ? csv_field{to_string(e->call)} : csv_field{},
            floor == result.noise_floor.end() ? csv_field{} : csv_field{floor->second.floor},
            row.repeated,
            row.failure,
            shell_words(result.what.command),
            result.complete(),
            result.started,
            version_text(),
            result.machine.cpu_model};
}

std::vector<csv_field> run_csv_columns() {
    return {"contender", "title",   "metric",    "unit",       "rounds",  "median",     "low",  "high",
            "min",       "ratio",   "ratio_low", "ratio_high", "p",       "p_adjusted", "call", "noise_floor",
            "repeated",  "failure", "command",   "complete",   "started", "version",    "cpu"};
}

std::string run_csv(const run_result& result) {
    std::string out = csv_line(run_csv_columns());
    for (const run_row& row : result.rows)
        for (const metric_info& metric : metrics())
            if (const std::vector<csv_field> fields = run_csv_fields(result, row, metric); !fields.empty())
                out += csv_line(fields);
    return out;
}

} // namespace linn::tool
