// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/findings.hpp"
#include "bench/summary.hpp"
#include "measure/statistics.hpp"
#include "report/bench_table.hpp"
#include "report/variant_table.hpp"
#include "report/verbs/bench_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace linn::tool;

namespace {

/// A run of one scenario in which every sample of a row is the same.
struct fake_run {
    bench_result result;

    explicit fake_run(std::string_view scenario) {
        result.scenarios.push_back({find_scenario(scenario), {}});
        result.machine.build = "optimised";
    }

    scenario_result& scenario() { return result.scenarios[0]; }

    /// `cycles` in every phase, and `metrics` in every phase.
    row& add(const std::string& contender_name, std::string_view variant, double cycles,
             const std::map<std::string, double>& metrics = {}) {
        auto& list = result.contenders;
        auto found = std::find_if(list.begin(), list.end(),
                                  [&](const contender& c) { return c.name == contender_name; });
        if (found == list.end()) {
            contender c;
            c.name = c.title = contender_name;
            list.push_back(c);
            found = list.end() - 1;
        }
        const linn::tool::scenario& s = *scenario().what;
        row r;
        r.contender = static_cast<std::size_t>(found - list.begin());
        r.variant =
            static_cast<std::size_t>(std::find_if(s.variants.begin(), s.variants.end(),
                                                  [&](const variant_info& v) { return v.name == variant; }) -
                                     s.variants.begin());
        REQUIRE(r.variant < s.variants.size());
        sample one;
        one.cycles.assign(s.phases.size(), cycles);
        one.faults.assign(s.phases.size(), 0);
        one.metrics.assign(s.phases.size(), metrics);
        r.samples.assign(rounds_to_judge, one);
        scenario().rows.push_back(r);
        return scenario().rows.back();
    }

    void set(row& r, std::size_t phase, double cycles) {
        for (sample& s : r.samples)
            s.cycles[phase] = cycles;
    }

    std::string finding() { return findings(result).front(); }
};

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("every scenario with variants is consistent in itself") {
    const std::vector<std::string> names = bench_names({});
    for (const scenario& s : scenarios()) {
        if (!s.has_variants())
            continue;
        CAPTURE(s.name);
        std::set<std::string_view> variants;
        for (const variant_info& v : s.variants) {
            CHECK(variants.insert(v.name).second);
            if (!v.contender.empty())
                CHECK(std::find(names.begin(), names.end(), v.contender) != names.end());
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
            for (const std::string_view rival : c.rivals)
                CHECK(variants.count(rival) == 1);
        }
        for (const published_row& p : s.published)
            CHECK(variants.count(p.variant) == 1);
    }
}

TEST_CASE("all six published ways stand beside their own rows") {
    const scenario& s = *find_scenario("shared-ptr");
    CHECK(s.published.size() == 6);
    CHECK(find_published(s, "glibc", "make_shared")->figures[0] == 1148);
    CHECK(find_published(s, "locked-pool", "allocate_shared")->figures[2] == 206);
    CHECK(find_published(s, "jemalloc", "make_shared") == nullptr);
    CHECK(find_published(s, "glibc") == nullptr);
}

TEST_CASE("a way is compared with the ways named, on their best allocator") {
    fake_run run{"shared-ptr"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 40);
    run.add("locked-pool", "allocate_shared", 60);
    run.add(linn_name, "linn_make_shared", 10);
    run.add(linn_name, "linn_pool", 1); // a raw pool is no shared_ptr
    const auto& comparisons = run.scenario().what->comparisons;
    const auto c = compare(run.result, run.scenario(), comparisons[0], 0);
    REQUIRE(c);
    CHECK(c->speed_up == doctest::Approx(4));
    CHECK(run.result.contenders[c->best_other->contender].name == "fast");
    CHECK(compare(run.result, run.scenario(), comparisons[1], 0)->speed_up == doctest::Approx(6));
    CHECK_FALSE(compare(run.result, run.scenario(), comparisons[2], 0));
}

TEST_CASE("losses and ties are named as clearly as wins") {
    fake_run run{"shared-ptr"};
    run.add(baseline_name, "make_shared", 100);
    run.add(control_name, "make_shared", 100);
    row& linn = run.add(linn_name, "linn_make_shared", 50);
    run.set(linn, 2, 200);
    run.set(linn, 3, 101);
    run.set(linn, 4, 25);
    CHECK(contains(
        run.finding(),
        "linn::make_shared beats std::make_shared on the best allocator in 4 of 6 tests, by 2.0 x (hot, "
        "glibc) to 4.0 x (hot on two threads, glibc); slower in hot beside an idle thread (2.00 x slower "
        "than "
        "glibc); 1 of 6 is a tie."));
}

TEST_CASE("a phase that a way does not have is left out of everything") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    row& buffers = run.add(linn_name, "linn_buffer_pool", 10);
    run.set(buffers, 0, 0);
    CHECK_FALSE(buffers.has(0));
    CHECK(ratio_to_baseline(run.result, run.scenario(), buffers) == doctest::Approx(0.1));
    const auto json = nlohmann::json::parse(bench_json(run.result));
    const auto& rows = json["scenarios"][0]["rows"];
    CHECK(rows[1]["variant"] == "linn_buffer_pool");
    CHECK(rows[1]["phases"]["small"].is_null());
    CHECK(rows[1]["phases"]["large"]["cycles"]["median"] == 10);
}

TEST_CASE("the trap is told in bytes") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    run.add(linn_name, "linn_make_shared_for_overwrite", 10,
            {{"fill_bytes", 8'388'608}, {"fill_bytes_constructor", 0}});
    CHECK(contains(run.finding(), "make_shared<Line>() writes 8 388 608 bytes that nobody asked for"));
}

TEST_CASE("the pipeline says who keeps up with the line") {
    fake_run run{"pipeline"};
    // One tick is a nanosecond here: 20 are 50 M packets/s, 100 are 10 M.
    row& linn = run.add(linn_name, "linn_make_shared", 20, {{"receiver_idle", 0.6}, {"worker_idle", 0.7}});
    run.set(linn, 1, 1e3 / 14.88);
    run.add(baseline_name, "make_shared", 100);
    CHECK(contains(
        run.finding(),
        "moves 50.0 M packets/s and keeps up with 10 Gbit/s (14.88 M), where the receiving core is 60 %"));
    CHECK(contains(run.finding(), "it would carry 25 Gbit/s (37.2 M) too."));
    CHECK(
        contains(run.finding(),
                 "moves 10.0 M packets/s and does not keep up with 10 Gbit/s (14.88 M): it reaches 10.0 M"));
}

TEST_CASE("without Linn's rows nothing is said about Linn") {
    fake_run run{"pmr"};
    CHECK(findings(run.result).front() == "Nothing was measured.");
    run.add(baseline_name, "new_delete", 100);
    CHECK(findings(run.result).front() == "Linn was not measured, so there is nothing to say about it.");
}

TEST_CASE("a run on a busy machine says so") {
    fake_run run{"pmr"};
    row& linn = run.add(linn_name, "linn_pool_resource", 10);
    CHECK(findings(run.result).size() == 1);
    linn.disturbed = 2;
    REQUIRE(findings(run.result).size() == 2);
    CHECK(contains(findings(run.result).back(), "2 of 6 samples are unreliable"));
}

TEST_CASE("the table groups the ways and shows what was published") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 50);
    run.add(linn_name, "linn_recycler", 1);
    const std::string report = bench_report(run.result, {100, false});
    const std::size_t heading = report.find("std::make_shared, no constructor: the object is filled");
    const std::size_t fast = report.find("\n  fast ");
    const std::size_t glibc = report.find("\n  glibc ");
    const std::size_t published = report.find("\n    published ");
    CHECK(heading < fast);
    CHECK(fast < glibc); // fastest first
    CHECK(glibc < published);
    CHECK(published != std::string::npos);
    CHECK(contains(report, "\nrecycler acquire_shared() "));
}

TEST_CASE("three digits, and no more after the point than asked") {
    CHECK(three_digits(1234, 4) == "1234");
    CHECK(three_digits(123.4, 4) == "123");
    CHECK(three_digits(56.78, 4) == "56.8");
    CHECK(three_digits(5.678, 4) == "5.68");
    CHECK(three_digits(0.0105, 4) == "0.0105");
    CHECK(three_digits(0.0105, 3) == "0.011");
    CHECK(three_digits(5.678, 1) == "5.7");
    CHECK(three_digits(0, 4) == "0");
}

TEST_CASE("what a contender's environment replaces does not reach it twice") {
    const interrupt_guard guard;
    std::vector<left_out> missing;
    for (const contender& c :
         collect_contenders({}, {std::string{no_trim_name}}, missing, guard, [](const std::string&) {}))
        CHECK((c.name == no_trim_name) == !c.environment.empty());
}
