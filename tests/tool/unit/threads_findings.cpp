// SPDX-License-Identifier: Apache-2.0
// What is said of the programs with many threads: places, the sum of their times, and memory.
#include "bench/judgement.hpp"
#include "fake_bench.hpp"
#include "unit.hpp"

namespace linn::tool::threads_findings_tests {

/// Two programs under two allocators and both of Linn's ways.
struct threads_run : fake_bench {
    threads_run() {
        for (const char* name : {"larson", "xmalloc-test"}) {
            scenario_result& s = add_scenario(name);
            measured(s, baseline_name, "new_delete", 100, 8);
            measured(s, control_name, "new_delete", 100, 8);
            measured(s, "fast", "new_delete", 50, 9);
        }
    }

    row& measured(scenario_result& s, const std::string& name, std::string_view variant, double cycles,
                  double mib) {
        row& r = add(s, name, variant, cycles);
        for (sample& one : r.samples) {
            for (auto& metrics : one.metrics) {
                metrics["seconds"] = cycles / 100;
                metrics["peak_rss_bytes"] = mib * (1 << 20);
            }
        }
        return r;
    }

    scenario_result& larson() { return result.scenarios[0]; }
    scenario_result& xmalloc() { return result.scenarios[1]; }
};

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

TEST_CASE("places, the sum and the largest peak on two threads") {
    threads_run run;
    run.measured(run.larson(), linn_name, "linn_pool", 25, 7);
    run.measured(run.xmalloc(), linn_name, "linn_pool", 75, 10);
    run.measured(run.larson(), linn_name, "linn_pool_resource", 150, 7);
    run.measured(run.xmalloc(), linn_name, "linn_pool_resource", 50.5, 7); // a tie with the best
    const std::string text = threads_finding(run.judged());
    CHECK(contains(text, "linn::pool is first in 1 of 2 programs, second in xmalloc-test"));
    CHECK(contains(text, "largest peak of memory in xmalloc-test"));
    CHECK(contains(text, "further behind in larson (place 3 of 3)"));
    CHECK(contains(text, "linn::pool 1.00, glibc 2.00, linn::pool_resource 2.00"));
    CHECK(findings(run.judged()).sentences().back() == text);
}

TEST_CASE("too few rounds give no places; one program no paragraph") {
    threads_run run;
    run.measured(run.larson(), linn_name, "linn_pool", 25, 7);
    run.measured(run.xmalloc(), linn_name, "linn_pool", 25, 7);
    CHECK_FALSE(threads_finding(run.judged()).empty());
    for (scenario_result& s : run.result.scenarios) {
        for (row& r : s.rows) {
            r.samples.resize(2, r.samples.front());
        }
    }
    CHECK(threads_finding(run.judged()).empty());
    for (scenario_result& s : run.result.scenarios) {
        for (row& r : s.rows) {
            r.samples.resize(rounds_to_judge, r.samples.front());
        }
    }
    run.result.scenarios.pop_back();
    CHECK(threads_finding(run.judged()).empty());
}

} // namespace linn::tool::threads_findings_tests
