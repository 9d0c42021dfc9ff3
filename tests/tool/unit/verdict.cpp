// SPDX-License-Identifier: Apache-2.0
// The sentences in which `linn run` says what it found, from estimates put together by hand.
#include "run/verdict.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

estimate memory_of(double ratio, verdict call) {
    estimate e = time_of(ratio, call);
    e.median = ratio * 100 * 1024 * 1024;
    return e;
}

run_row row_of(const std::string& name, const estimate& wall,
               const estimate& memory = memory_of(1, verdict::no_difference)) {
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

bool finds(const run_result& result, std::string_view sentence) {
    return std::find(result.findings.begin(), result.findings.end(), sentence) != result.findings.end();
}

TEST_CASE("no difference is said as such, with the best and the noise floor") {
    const run_result result = described(
        {row_of("a", time_of(0.99, verdict::no_difference)), row_of("b", time_of(1.2, verdict::worse))});
    CHECK(result.verdict ==
          "No allocator makes this program measurably faster: the best, a, takes 1.0 % less "
          "time, between 3.0 % less and 1.0 % more (noise floor 1.5 %).");
    CHECK(finds(result, "Slower: b (20 % more)."));
    CHECK(finds(result, "None takes measurably less memory than the default's 100 MiB."));
}

TEST_CASE("the fastest is named, with its interval and what it does to memory") {
    const run_result result =
        described({row_of("a", time_of(0.95, verdict::better)),
                   row_of("b", time_of(0.80, verdict::better), memory_of(1.3, verdict::worse)),
                   row_of("c", time_of(0.81, verdict::better))});
    CHECK(result.verdict ==
          "b makes this program faster: 20 % less time (18 to 22 %), but 30 % more memory.");
    CHECK(finds(result, "As fast within the intervals: c (19 % less)."));
    CHECK(finds(result, "Faster than the default too: a (5.0 % less)."));
    CHECK(finds(result, "Most: b, 30 % more memory (27 to 33 %) (130 MiB instead of 100 MiB)."));
}

TEST_CASE("when all are slower, the verdict says so of one and of several") {
    CHECK(described({row_of("a", time_of(1.5, verdict::worse))}).verdict ==
          "a makes this program slower: 50 % more time (47 to 53 %).");
    const run_result two =
        described({row_of("a", time_of(1.5, verdict::worse)), row_of("b", time_of(3, verdict::worse))});
    CHECK(two.verdict == "Every other allocator makes this program slower: the best, a, takes 50 % more time "
                         "(47 to 53 %).");
    CHECK(finds(two, "Slower: a (50 % more), b (3.0 times)."));
}

TEST_CASE("less memory is found where time is alike") {
    const run_result result =
        described({row_of("a", time_of(1, verdict::no_difference), memory_of(0.5, verdict::better))});
    CHECK(finds(result, "Least memory at the peak: a, 50 % less memory (49 to 51 %) (50 MiB instead of 100 "
                        "MiB)."));
}

TEST_CASE("settings that do the same are told apart from another library") {
    run_row settings = row_of("glibc-no-trim", time_of(0.9, verdict::better));
    settings.contender.environment = {"A=1", "B=2"};
    CHECK(
        finds(described({settings}),
              "With A=1 B=2 in the environment, glibc takes 10 % less time; that needs no other allocator."));
    settings.contender.name = "glibc-huge-pages";
    CHECK(
        finds(described({settings}),
              "With A=1 B=2 in the environment, glibc takes 10 % less time; that needs no other allocator."));
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
    CHECK(result.verdict == "2 rounds are too few to compare 1 allocator (6 needed): use --budget 70.");
    CHECK(result.findings.empty());
}

TEST_CASE("what failed is a finding, and without anything else the verdict") {
    run_row failed;
    failed.contender.name = failed.contender.title = "a";
    failed.failure = "killed by SIGSEGV";
    const run_result result = described({failed});
    CHECK(result.verdict == "Nothing could be compared: every allocator failed.");
    CHECK(finds(result, "a failed: killed by SIGSEGV."));
}

TEST_CASE("a noisy machine and leftover processes are warned of") {
    run_result result;
    result.rows = {row_of(default_name, time_of(1, verdict::no_difference)),
                   row_of(default_again_name, time_of(1, verdict::no_difference)),
                   row_of("a", time_of(1, verdict::no_difference))};
    result.complete_rounds = 20;
    result.left_behind = 3;
    result.noise_floor["wall_ns"].floor = 0.2;
    describe_run(result);
    REQUIRE(result.warnings.size() == 2);
    CHECK(result.warnings[0].starts_with("the program left processes running, 3 over all runs"));
    CHECK(result.warnings[1].starts_with("this machine is noisy: differences below 20 % cannot be seen"));
    result.warnings.clear();
    result.noise_floor["wall_ns"].p = 0.00001;
    describe_run(result);
    CHECK(result.warnings[1] ==
          "the two copies of the default differ more than chance explains (p-value < 0.0001): "
          "something disturbs this machine regularly");
}

} // namespace linn::tool::verdict_tests
