// SPDX-License-Identifier: Apache-2.0
#include "bench/judgement.hpp"
#include "bench/runner.hpp"
#include "fake_bench.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

#include <nlohmann/json.hpp>

namespace linn::tool::variants_tests {

TEST_CASE("every scenario is consistent in itself") {
    const std::vector<std::string> names = bench_names({});
    for (const scenario& s : scenarios()) {
        CAPTURE(s.name);
        std::set<std::string_view> variants;
        for (const variant_info& v : s.variants) {
            CHECK(variants.insert(v.name).second);
            if (!v.contender.empty()) {
                CHECK(std::find(names.begin(), names.end(), v.contender) != names.end());
            }
        }
        CHECK(variants.count(s.baseline) == 1);
        for (const column_info& c : s.columns) {
            CHECK(c.phase < s.phases.size());
            const bool shows_metric =
                c.shows == figure::metric || c.shows == figure::metric_time || c.shows == figure::memory;
            CHECK(shows_metric == !c.metric.empty());
        }
        CHECK_FALSE(s.comparisons.empty());
        for (const comparison_info& c : s.comparisons) {
            CHECK(variants.count(c.ours) == 1);
            for (const std::string_view rival : c.rivals) {
                CHECK(variants.count(rival) == 1);
            }
        }
        for (const published_row& p : s.published) {
            CHECK(variants.count(p.variant) == 1);
        }
    }
}

TEST_CASE("a way is compared with the ways named, on their best allocator") {
    fake_bench run{"shared-ptr"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 40);
    run.add("locked-pool", "allocate_shared", 60);
    run.add(linn_name, "linn_make_shared", 10);
    run.add(linn_name, "linn_pool", 1); // a raw pool is no shared_ptr
    const scenario_result& s = run.judged().scenarios.front();
    const comparison& c = s.comparisons[0].front();
    CHECK(c.speed_up == doctest::Approx(4));
    CHECK(run.result.contenders[s.rows[c.other].contender].name == "fast");
    CHECK(s.comparisons[1].front().speed_up == doctest::Approx(6));
    CHECK(s.comparisons[2].empty());
}

TEST_CASE("a phase that a way does not have is left out of everything") {
    fake_bench run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    row& buffers = run.add(linn_name, "linn_buffer_pool", 10);
    run.set(buffers, 0, 0);
    const auto json = nlohmann::json::parse(report::bench_json(run.judged()));
    const row& judged = run.scenario().rows[1];
    CHECK(judged.in(0) == nullptr);
    CHECK(judged.ratio == doctest::Approx(0.1));
    const auto& rows = json["scenarios"][0]["rows"];
    CHECK(rows[1]["variant"] == "linn_buffer_pool");
    CHECK(rows[1]["phases"]["small"].is_null());
    CHECK(rows[1]["phases"]["large"]["cycles"]["median"] == 10);
}

TEST_CASE("what a contender's environment replaces does not reach it twice") {
    const interrupt_guard guard;
    std::vector<left_out> missing;
    for (const contender& c :
         collect_contenders({}, {std::string{no_trim_name}}, missing, guard, [](const std::string&) {})) {
        CHECK((c.name == no_trim_name) == !c.environment.empty());
    }
}

} // namespace linn::tool::variants_tests
