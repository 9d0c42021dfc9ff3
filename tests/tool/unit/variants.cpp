// SPDX-License-Identifier: Apache-2.0
#include "bench/contenders.hpp"
#include "bench/findings.hpp"
#include "bench/summary.hpp"
#include "fake_bench.hpp"
#include "report/verbs/bench_json.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace linn::tool::variants_tests {

struct fake_run : fake_bench {
    using fake_bench::fake_bench;

    std::string finding() { return findings(judged()).sentences().front(); }
};

bool contains(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

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

TEST_CASE("all six published variants stand next to their own rows") {
    fake_run run{"shared-ptr"};
    const scenario_result& s = run.judged().scenarios.front();
    CHECK(s.published.size() == 6);
    CHECK(s.find_published("glibc", "make_shared")->figures[0] == 1148);
    CHECK(s.find_published("locked-pool", "allocate_shared")->figures[2] == 206);
    CHECK(s.find_published("jemalloc", "make_shared") == nullptr);
    CHECK(s.find_published("glibc", {}) == nullptr);
}

TEST_CASE("a way is compared with the ways named, on their best allocator") {
    fake_run run{"shared-ptr"};
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
        "glibc) to 4.0 x (hot on two threads, glibc); slower in hot next to an idle thread (2.00 x slower "
        "than "
        "glibc); 1 of 6 is a tie."));
}

TEST_CASE("a phase that a way does not have is left out of everything") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    row& buffers = run.add(linn_name, "linn_buffer_pool", 10);
    run.set(buffers, 0, 0);
    const auto json = nlohmann::json::parse(bench_json(run.judged()));
    const row& judged = run.scenario().rows[1];
    CHECK(judged.in(0) == nullptr);
    CHECK(judged.ratio == doctest::Approx(0.1));
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
    CHECK(contains(run.finding(), "make_shared<Line>() writes 8 388 608 bytes"));
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
    CHECK(findings(run.judged()).sentences().front() == "Nothing was measured.");
    run.add(baseline_name, "new_delete", 100);
    CHECK(findings(run.judged()).sentences().front() == "Linn was not measured.");
}

TEST_CASE("a run on a busy machine says so") {
    fake_run run{"pmr"};
    row& linn = run.add(linn_name, "linn_pool_resource", 10);
    CHECK(findings(run.judged()).sentences().size() == 1);
    linn.disturbed = 2;
    REQUIRE(findings(run.judged()).sentences().size() == 2);
    CHECK(contains(findings(run.judged()).sentences().back(), "2 of 6 samples are unreliable"));
}

TEST_CASE("the table groups the ways and shows what was published") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 50);
    run.add(linn_name, "linn_recycler", 1);
    const std::string report = run.shown(100);
    const std::size_t heading = report.find("std::make_shared, no constructor: the object is filled");
    const std::size_t fast = report.find("\n  fast ");
    const std::size_t glibc = report.find("\n  glibc ");
    const std::size_t published = report.find("\n  glibc, published ");
    CHECK(heading < fast);
    CHECK(fast < glibc); // fastest first
    CHECK(glibc < published);
    CHECK(published != std::string::npos);
    CHECK(contains(report, "\nwith a pool of their own\n  recycler acquire_shared() "));
}

TEST_CASE("the notes of a contender, what was left out and a busy machine are told below the tables") {
    fake_run run{"zero-fill"};
    run.add(baseline_name, "make_shared", 100);
    run.add("fast", "make_shared", 50).disturbed = 3;
    run.result.contenders.back().notes = {"aligns to 8 bytes"};
    run.result.missing.push_back({"hoard", "zero-fill", "killed by SIGSEGV", "make_shared"});
    const std::string report = run.shown(100);
    CHECK(contains(report, "\n  fast [1] "));
    CHECK(contains(report, "\n[1] fast: aligns to 8 bytes\n"));
    CHECK(contains(report, "\nleft out: hoard in zero-fill, make_shared: killed by SIGSEGV\n"));
    CHECK(contains(report, "\nwarning: The machine was busy: 3 of 12 samples are unreliable."));
}

TEST_CASE("every pair of phases and rivals is in the page, with its outcome") {
    fake_run run{"shared-ptr"};
    run.add(baseline_name, "make_shared", 100);
    run.add(control_name, "make_shared", 100);
    run.add("locked-pool", "allocate_shared", 60);
    run.add(linn_name, "linn_make_shared", 10);
    const report::document d = report::bench_document(run.judged());
    const report::section& s = d.sections.front();
    CHECK(s.id == "scenario-shared-ptr");
    std::size_t wins = 0;
    for (const report::block& b : s.blocks) {
        if (const auto* fold = std::get_if<report::fold>(&b.content)) {
            for (const report::row& r : std::get<report::table>(fold->blocks.front().content).rows) {
                wins += r.cells.size() == 8 && r.cells[5].before == "win" ? 1U : 0U;
            }
        }
    }
    CHECK(wins == 2 * 6);
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
