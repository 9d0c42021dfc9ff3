// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/run.hpp"

#include <string>
#include <vector>

namespace linn::tool::testing {

/// What a contender takes, by what the default takes.
struct made_row {
    std::string name;
    double wall = 1;
    double cpu = wall;
};

/// A judged run of the default, its copy and these.
inline run_result made_result(const std::vector<made_row>& others, std::size_t rounds,
                              double wall_noise = 0.01, double cpu_noise = 0.001) {
    run_result result;
    result.complete_rounds = result.options.rounds = rounds;
    result.measured_seconds = 12;
    result.what.command = {"./app"};
    std::vector<made_row> all{{default_name}, {default_again_name}};
    all.insert(all.end(), others.begin(), others.end());
    for (const made_row& made : all) {
        run_row& row = result.rows.emplace_back();
        row.contender.name = row.contender.title = made.name;
        for (std::size_t round = 0; round != rounds; ++round) {
            // The same numbers everywhere, and each contender's own.
            const auto own = static_cast<double>((round * 7 + result.rows.size() * 13) % 11) / 5 - 1;
            row.samples.push_back({round,
                                   {{wall_metric, 1e9 * made.wall * (1 + wall_noise * own)},
                                    {cpu_metric, 9e8 * made.cpu * (1 + cpu_noise * own)},
                                    {"peak_rss_bytes", 5e7}}});
        }
    }
    judge(result);
    return result;
}

} // namespace linn::tool::testing
