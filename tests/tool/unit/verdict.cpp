// SPDX-License-Identifier: Apache-2.0
// The sentences in which `linn run` says what it found, from estimates put together by hand.
#include "run/judge.hpp"
#include "unit.hpp"

namespace linn::tool::verdict_tests {

estimate time_of(double ratio, verdict call) {
    estimate e;
    e.ratio = ratio;
    e.ratio_low = ratio * 0.98;
    e.ratio_high = ratio * 1.02;
    e.median = ratio * 1e9;
    e.call = call;
    return e;
}

run_row row_of(const std::string& name, const estimate& wall,
               const estimate& memory = time_of(1, verdict::no_difference)) {
    run_row row;
    row.contender.name = row.contender.title = name;
    row.estimates["wall_ns"] = wall;
    row.estimates["peak_rss_bytes"] = memory;
    return row;
}

/// The whole of a run with these rows and the default's.
run_result described(const std::vector<run_row>& rows, std::size_t rounds = 20) {
    run_result result;
    result.rows = {row_of(default_name, time_of(1, verdict::no_difference)),
                   row_of(default_again_name, time_of(1, verdict::no_difference))};
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
    result.complete_rounds = rounds;
    result.noise_floor["wall_ns"].floor = 0.015;
    describe_run(result);
    return result;
}

std::string all_of(const run_result& result) {
    std::string text = result.verdict;
    for (const std::string& finding : result.findings) {
        text += '\n' + finding;
    }
    return text;
}

TEST_CASE("what is said names the allocators that differ, by how much, and in what") {
    const auto same = verdict::no_difference;
    run_row settings = row_of("glibc-no-trim", time_of(0.9, verdict::better));
    settings.contender.environment = {"A=1", "B=2"};
    run_row failed;
    failed.contender.name = failed.contender.title = "a";
    failed.failure = "killed by SIGSEGV";
    const struct {
        std::vector<run_row> rows;
        std::vector<const char*> says;
    } cases[] = {
        {{row_of("a", time_of(0.99, same)), row_of("b", time_of(1.2, verdict::worse))},
         {"No allocator makes", "a, takes 1.0 % less time", "noise floor 1.5 %", "Slower: b (20 % more)"}},
        {{row_of("a", time_of(0.95, verdict::better)),
          row_of("b", time_of(0.80, verdict::better), time_of(1.3, verdict::worse)),
          row_of("c", time_of(0.81, verdict::better))},
         {"b makes this program faster: 20 % less time (18 to 22 %), but 30 % more memory", "c (19 % less)",
          "a (5.0 % less)"}},
        {{row_of("a", time_of(1.5, verdict::worse)), row_of("b", time_of(3, verdict::worse))},
         {"a, takes 50 % more time (47 to 53 %)", "b (3.0 times)"}},
        {{row_of("a", time_of(1, same), time_of(0.5, verdict::better))},
         {"Least memory at the peak: a, 50 % less"}},
        {{settings}, {"With A=1 B=2 in the environment, glibc takes 10 % less time"}},
        {{failed}, {"every allocator failed", "a failed: killed by SIGSEGV"}},
    };
    for (const auto& [rows, says] : cases) {
        const std::string text = all_of(described(rows));
        CAPTURE(text);
        for (const char* part : says) {
            CAPTURE(part);
            CHECK(text.find(part) != std::string::npos);
        }
    }
}

TEST_CASE("too few rounds claim nothing, and say what would be enough") {
    run_result result;
    result.rows = {row_of(default_name, time_of(1, verdict::no_difference)),
                   row_of(default_again_name, time_of(1, verdict::no_difference)),
                   row_of("a", time_of(0.5, verdict::no_difference))};
    result.complete_rounds = 2;
    result.measured_seconds = 20;
    result.stopped = stop_reason::budget;
    result.options.budget = std::chrono::seconds{20};
    describe_run(result);
    CHECK(result.verdict.find("use --budget 70") != std::string::npos);
    CHECK(result.findings.empty());
}

} // namespace linn::tool::verdict_tests
