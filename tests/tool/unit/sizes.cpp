// SPDX-License-Identifier: Apache-2.0
// The scenario over sizes: where an allocator has a cliff, what is absent, and what is said about it.
#include "bench/judgement.hpp"
#include "fake_bench.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::sizes_tests {

/// `low` below `bytes`, and `high` from there on.
auto step(std::size_t bytes, double low, double high) {
    return [=](const phase_info& p) { return p.bytes < bytes ? low : high; };
}

struct sizes_run : fake_bench {
    scenario_result& s;
    sizes_run() : s{add_scenario("sizes")} {}

    std::vector<cliff> cliffs(const row& r, unsigned threads) {
        judged();
        return cliffs_on(*s.what, r, threads);
    }
};

TEST_CASE("a cliff is more than three times the size before, on its own curve") {
    sizes_run run;
    row& r = run.add(run.s, "jemalloc", "new_delete", step(65'536, 10, 200));
    const auto one = run.cliffs(r, 1);
    REQUIRE(one.size() == 1);
    CHECK(run.s.what->phases[one[0].phase].name == "65536");
    CHECK(one[0].factor == doctest::Approx(20));
    const auto two = run.cliffs(r, 2);
    REQUIRE(two.size() == 1);
    CHECK(run.s.what->phases[two[0].phase].name == "65536_two");
}

TEST_CASE("three times is no cliff, nor is a slope") {
    sizes_run run;
    row& three = run.add(run.s, "a", "new_delete", step(1'024, 10, 30));
    CHECK(run.cliffs(three, 1).empty());
    row& slope = run.add(run.s, "b", "new_delete",
                         [](const phase_info& p) { return 5 + static_cast<double>(p.bytes); });
    CHECK(run.cliffs(slope, 1).empty());
}

TEST_CASE("a size that alone is slow is no cliff, except the last") {
    sizes_run run;
    row& r = run.add(run.s, "a", "new_delete", [](const phase_info& p) {
        return p.bytes == 4'096 || p.bytes == 524'288 ? 1'000.0 : 10.0;
    });
    const auto found = run.cliffs(r, 2);
    REQUIRE(found.size() == 1);
    CHECK(run.s.what->phases[found[0].phase].name == "524288_two");
}

TEST_CASE("a jump behind sizes that are not served is none") {
    sizes_run run;
    row& r = run.add(run.s, linn_name, "linn_buffer_pool", step(65'536, 0, 100));
    CHECK(run.cliffs(r, 1).empty());
}

TEST_CASE("cliffs are in the JSON, with their size and threads") {
    sizes_run run;
    run.add(run.s, baseline_name, "new_delete", 10);
    run.add(run.s, "jemalloc", "new_delete", step(65'536, 10, 200));
    const auto scenario = nlohmann::json::parse(report::bench_json(run.judged()))["scenarios"][0];
    CHECK(scenario["rows"][0]["cliffs"].empty());
    CHECK(scenario["rows"][1]["cliffs"][0]["bytes"] == 65'536);
    CHECK(scenario["rows"][1]["cliffs"][1]["threads"] == 2);
}

} // namespace linn::tool::sizes_tests
