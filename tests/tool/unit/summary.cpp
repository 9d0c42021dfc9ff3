// SPDX-License-Identifier: Apache-2.0
// What a run of `linn bench` claims: nothing within the noise of its own phase, nothing that scatter explains.
#include "bench/judgement.hpp"
#include "fake_bench.hpp"
#include "unit.hpp"

namespace linn::tool::summary_tests {

struct containers_run : fake_bench {
    containers_run() : fake_bench{"containers"} {}

    std::string text() { return findings(judged()).sentences().front(); }
};

TEST_CASE("wins, losses and ties are told apart by the noise floor of their own phase") {
    containers_run run;
    run.add(baseline_name, {300, 100, 100});
    run.add(control_name, {300, 110, 100}); // erase is noisy by 10 %
    run.add("fast", {200, 100, 50});
    run.add(linn_name, {100, 95, 100});
    CHECK(run.text() == "containers: linn::allocator beats the best other in 1 of 3 tests, by 2.0 x (insert, "
                        "fast); slower in insert again (2.00 x slower than fast); 1 of 3 is a tie.");
}

TEST_CASE("of many losses the worst is named") {
    fake_bench run{"sizes"};
    run.add(run.scenario(), baseline_name, "new_delete", 10);
    run.add(run.scenario(), linn_name, "linn_pool",
            [](const phase_info& p) { return p.name == "512_two" ? 40 : 20; });
    CHECK(
        findings(run.judged()).sentences().front() ==
        "sizes: linn::pool beats new on the best allocator in 0 of 40 tests; slower in 40, most in 512 B on "
        "two threads (4.00 x slower than glibc).");
}

TEST_CASE(
    "the seconds of all programs with threads are summed up, where there are several and rounds enough") {
    fake_bench run;
    for (const char* name : {"larson", "xmalloc-test"}) {
        scenario_result& s = run.add_scenario(name);
        for (const auto& [contender, variant, cycles] : {std::tuple{baseline_name, "new_delete", 100.0},
                                                         {control_name, "new_delete", 100.0},
                                                         {linn_name, "linn_pool", 25.0}}) {
            for (sample& one : run.add(s, contender, variant, cycles).samples) {
                for (auto& metrics : one.metrics) {
                    metrics["seconds"] = cycles / 100;
                }
            }
        }
    }
    const char* const sums =
        "threads: seconds for all 2 programs together, on 2 threads: linn::pool 0.500, glibc 2.00.";
    CHECK(findings(run.judged()).sentences().back() == sums);
    run.result.scenarios.pop_back();
    CHECK_FALSE(findings(run.judged()).sentences().back().starts_with("threads:"));
}

TEST_CASE("rounds that scatter more than their medians differ make no claim") {
    containers_run run;
    run.add(baseline_name, {100, 100, 100});
    run.add(control_name, {100, 100, 100});
    row& linn = run.add(linn_name, {80, 80, 80});
    for (const std::size_t i : {0U, 1U, 3U}) {
        linn.samples[i].cycles[1] = i == 1 ? 120 : 40;
    }
    CHECK(run.text().starts_with(
        "containers: linn::allocator beats the best other in 2 of 3 tests, by 1.2 x (insert, glibc)"));
    CHECK(run.text().ends_with("; 1 of 3 is a tie."));
}

TEST_CASE("the ratio to the baseline is the geometric mean over the phases") {
    containers_run run;
    run.add(baseline_name, {100, 100, 100});
    const row& linn = run.add(linn_name, {50, 200, 100});
    run.judged();
    CHECK(linn.ratio == doctest::Approx(1));
    CHECK(linn.in(0)->ratio == doctest::Approx(0.5));
}

TEST_CASE("what was left out has no note in any form") {
    containers_run run;
    run.add(baseline_name, {100, 100, 100});
    run.add(linn_name, {50, 200, 100});
    for (const char* name : {"hoard", "mimalloc2"}) {
        run.result.contenders[run.contender_of(name)].notes = {std::string{"on "} + name};
    }
    run.add("hoard", {90, 90, 90});
    const report::document d = report::bench_document(run.judged());
    for (const std::string& text :
         {report::render_terminal(d, {100}), report::render_markdown(d), report::render_html(d)}) {
        CHECK(text.find("on hoard") != std::string::npos);
        CHECK(text.find("on mimalloc2") == std::string::npos);
    }
}

} // namespace linn::tool::summary_tests
