// SPDX-License-Identifier: Apache-2.0
// What is said of the programs with many threads: places, the sum of their times, memory, and locks that saturate too early.
#include "bench/summary.hpp"
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

    void with_locks(row& r, double saturation) {
        for (sample& one : r.samples) {
            for (std::size_t p = 0; p != 2; ++p) {
                one.metrics[p]["lock_ns"] = 0.5;
                one.metrics[p]["lock_visits"] = 0.01;
                one.metrics[p]["all_locks_ns"] = 0.6;
                one.metrics[p]["saturation_threads"] = saturation;
            }
        }
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

TEST_CASE("locks are judged by 64 threads") {
    threads_run run;
    run.with_locks(run.measured(run.larson(), linn_name, "linn_pool", 25, 7), 65);
    run.with_locks(run.measured(run.xmalloc(), linn_name, "linn_pool", 25, 7), 17);
    run.with_locks(run.measured(run.larson(), linn_name, "linn_pool_resource", 25, 7), 1e6);
    run.with_locks(run.measured(run.xmalloc(), linn_name, "linn_pool_resource", 25, 7), 100);
    const std::string text = threads_finding(run.judged());
    CHECK(contains(text, "in xmalloc-test (17 threads); beyond in 1 of 2 programs"));
    CHECK(contains(text, "No lock of linn::pool_resource"));
    CHECK(
        contains(lock_finding(run.judged(), run.larson()), "0.500 ns a block (50.0 ns a visit, one in 100"));
}

TEST_CASE("too few rounds give no places, but locks all the same; one program no paragraph") {
    threads_run run;
    run.with_locks(run.measured(run.larson(), linn_name, "linn_pool", 25, 7), 65);
    run.with_locks(run.measured(run.xmalloc(), linn_name, "linn_pool", 25, 7), 17);
    for (scenario_result& s : run.result.scenarios) {
        for (row& r : s.rows) {
            r.samples.resize(2);
        }
    }
    const std::string text = threads_finding(run.judged());
    CHECK_FALSE(contains(text, "first in"));
    CHECK_FALSE(contains(text, "Seconds"));
    CHECK(contains(text, "saturates at 64 threads or fewer in xmalloc-test (17 threads)"));
    run.result.scenarios.pop_back();
    CHECK(threads_finding(run.judged()).empty());
}

} // namespace linn::tool::threads_findings_tests
