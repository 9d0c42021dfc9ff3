// SPDX-License-Identifier: Apache-2.0
#include "../experiment/contenders.hpp"
#include "result_file.hpp"

#include <cmath>
#include <map>

namespace linn::tool {
namespace {

void read_scenario(const json_view& scenario, double cycles_per_ns, result_file& file) {
    const std::string name = scenario["name"].text();
    const std::string baseline = scenario["baseline"].text();
    std::map<std::string, std::vector<double>> reference; // by phase
    std::vector<std::pair<series_name, measured_series>> found;
    for (const json_view& row : scenario["rows"].items()) {
        const std::string contender = row["contender"].text();
        const std::string variant = row["variant"].text();
        for (const auto& [phase, figures] : row["phases"].members()) {
            if (figures.is_null()) {
                continue; // the variant has no such phase
            }
            measured_series series;
            series.values = figures["cycles"]["samples"].numbers();
            for (double& v : series.values) {
                v /= cycles_per_ns;
                if (!std::isfinite(v)) {
                    throw bad_field{"machine.cycles_per_ns is too small: a time is infinite"};
                }
            }
            series.unit = "ns";
            if (scenario["noise_floor"].has(phase)) {
                series.noise_floor = scenario["noise_floor"][phase].number();
            }
            series.is_reference = contender == baseline_name && variant == baseline;
            series.is_control = contender == control_name;
            if (series.is_reference) {
                reference[phase] = series.values;
            }
            found.emplace_back(series_name{name, variant, contender, phase}, std::move(series));
        }
    }
    for (auto& [series_of, series] : found) {
        const auto r = reference.find(series_of.measure);
        set_ratios(series, r == reference.end() ? nullptr : &r->second);
        add_series(file, series_of, std::move(series));
    }
}

} // namespace

void read_bench(const json_view& document, result_file& file) {
    const double cycles_per_ns = document["machine"]["cycles_per_ns"].number();
    if (cycles_per_ns <= 0) {
        throw bad_field{"machine.cycles_per_ns is not positive"};
    }
    // What decides how much work an operation is; the number of rounds, their order and the CPU do not.
    for (const char* option : {"container", "n", "objects", "object_bytes", "work"}) {
        file.setting[option] = document["options"][option].shown();
    }
    for (const json_view& scenario : document["scenarios"].items()) {
        read_scenario(scenario, cycles_per_ns, file);
    }
}

} // namespace linn::tool
