// SPDX-License-Identifier: Apache-2.0
#include "bench/summary.hpp"

#include "measure/statistics.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace linn::tool;

namespace {

/// A run of the scenario containers in which every sample of a contender is the same.
struct fake_run {
    bench_result result;

    fake_run() { result.scenarios.push_back({find_scenario("containers"), {}}); }

    void add(const std::string& name, std::array<double, 3> cycles) {
        result.contenders.push_back({name, name, contender_kind::system, "general", {}, {}, {}});
        row r;
        r.contender = result.contenders.size() - 1;
        for (std::size_t i = 0; i != rounds_to_judge; ++i)
            r.samples.push_back({{cycles.begin(), cycles.end()}, {0, 0, 0}, 1, 1, 0, 1, -1});
        result.scenarios[0].rows.push_back(r);
    }
};

} // namespace

TEST_CASE("wins, losses and ties are told apart by the noise floor of their own phase") {
    fake_run run;
    run.add(baseline_name, {300, 100, 100});
    run.add(control_name, {300, 110, 100}); // erase is noisy by 10 %
    run.add("fast", {200, 100, 50});
    run.add(linn_name, {100, 95, 100});
    CHECK(summarise(run.result) ==
          "Linn is the fastest in 1 of 3 tests of containers: insert (2.00 x faster than fast); "
          "slower in insert again (2.00 x slower than fast); 1 of 3 is a tie.");
}

TEST_CASE("two quiet copies of the baseline do not make a tiny difference a claim") {
    fake_run run;
    run.add(baseline_name, {100, 100, 100});
    run.add(control_name, {100, 100, 100});
    run.add(linn_name, {99, 101, 100});
    CHECK(summarise(run.result) == "Linn is the fastest in 0 of 3 tests of containers; 3 of 3 are ties.");
}

TEST_CASE("rounds that scatter more than their medians differ make no claim") {
    fake_run run;
    run.add(baseline_name, {100, 100, 100});
    run.add(control_name, {100, 100, 100});
    run.add(linn_name, {80, 80, 80});
    std::vector<sample>& samples = run.result.scenarios[0].rows[2].samples;
    for (const std::size_t i : {0U, 1U, 3U})
        samples[i].cycles[1] = i == 1 ? 120 : 40;
    CHECK(
        summarise(run.result).starts_with("Linn is the fastest in 2 of 3 tests of containers: insert (1.25"));
    CHECK(summarise(run.result).ends_with("; 1 of 3 is a tie."));
}

TEST_CASE("without Linn's row nothing is said about Linn") {
    fake_run run;
    CHECK(summarise(run.result) == "Nothing was measured.");
    run.add(baseline_name, {100, 100, 100});
    CHECK(summarise(run.result) == "Linn was not measured, so there is nothing to say about it.");
}

TEST_CASE("the ratio to the baseline is the geometric mean over the phases") {
    fake_run run;
    run.add(baseline_name, {100, 100, 100});
    run.add(linn_name, {50, 200, 100});
    const scenario_result& s = run.result.scenarios[0];
    CHECK(ratio_to_baseline(run.result, s, s.rows[1]) == doctest::Approx(1));
}

TEST_CASE("published figures stand beside their own contender only") {
    const scenario& s = *find_scenario("containers");
    REQUIRE(find_published(s, "glibc") != nullptr);
    CHECK(find_published(s, "glibc")->figures[0] == 307);
    CHECK(find_published(s, "lecture-pool")->figures[2] == 110);
    CHECK(find_published(s, "linn") == nullptr);
    CHECK(find_published(s, "") == nullptr);
}
