// SPDX-License-Identifier: Apache-2.0
// The paragraph for a person in a hurry: short, and true at the extremes too.
#include "bench/headline.hpp"

#include "bench/ranking.hpp"
#include "bench/summary.hpp"
#include "fake_bench.hpp"

#include <string>

using namespace linn::tool;

namespace {

struct two_scenarios : fake_bench {
    scenario_result* containers;
    scenario_result* pipeline;
    two_scenarios() {
        containers = &add_scenario("containers");
        pipeline = &add_scenario("pipeline");
    }
    /// A general allocator in both.
    void general(const std::string& name, double of_containers, double of_pipeline) {
        add(*containers, name, {}, of_containers);
        add(*pipeline, name, "make_shared", of_pipeline);
    }
    void linn(double of_containers, double of_pipeline) {
        add(*containers, linn_name, {}, of_containers);
        add(*pipeline, linn_name, "linn_make_shared", of_pipeline);
    }
};

} // namespace

TEST_CASE("wins by how much, and the best general allocator") {
    two_scenarios run;
    run.general(baseline_name, 200, 600);
    run.general(control_name, 200, 600);
    run.general("tcmalloc", 100, 300);
    run.general("jemalloc", 160, 480);
    run.linn(50, 50);
    CHECK(headline(run.judged()) ==
          "Linn is faster than the best rival (geometric mean) for objects freed on another thread "
          "(linn::make_shared, 6.0 x), containers of small nodes (linn::allocator, 2.0 x). The best general "
          "allocator here is "
          "tcmalloc, 2.0 x glibc over all; then jemalloc (1.2 x).");
    CHECK(findings(run.judged()).front() == headline(run.judged()));
}

TEST_CASE("a loss comes with what to use instead") {
    two_scenarios run;
    run.general(baseline_name, 200, 600);
    run.general("tcmalloc", 100, 300);
    run.linn(150, 50);
    CHECK(headline(run.judged()) ==
          "Linn is faster than the best rival (geometric mean) for objects freed on "
          "another thread (linn::make_shared, 6.0 x). For insert (containers) use "
          "tcmalloc, not a pool: 1.5 x faster. For erase (containers) use tcmalloc, "
          "not a pool: 1.5 x faster. Slower in 1 more test (see below). The best "
          "general allocator here is tcmalloc, 2.0 x "
          "glibc over all; then glibc (1.0 "
          "x).");
}

TEST_CASE("another pool that wins is named, not recommended") {
    two_scenarios run;
    run.general(baseline_name, 200, 600);
    run.linn(60, 50);
    run.add(*run.containers, "lecture-pool", {}, 30);
    const std::string text = headline(run.judged());
    CHECK(text.find("For insert (containers), lecture pool is 2.0 x faster.") != std::string::npos);
    CHECK(text.find("use lecture-pool") == std::string::npos);
}

TEST_CASE("what lies within the noise is no win, no loss and no best allocator") {
    two_scenarios run;
    run.general(baseline_name, 100, 100);
    run.general(control_name, 110, 110);
    run.general("tcmalloc", 95, 95);
    run.linn(92, 98);
    CHECK(headline(run.judged()) ==
          "Linn is clearly ahead of its best rival in none of 2 subjects. No general allocator "
          "is clearly faster than glibc over all.");
}

TEST_CASE("allocators that the noise does not tell apart share the place") {
    two_scenarios run;
    run.general(baseline_name, 200, 200);
    run.general("tcmalloc", 100, 100);
    run.general("jemalloc", 101, 101);
    run.general("slow", 180, 180);
    CHECK(headline(run.judged()) ==
          "Linn was not measured. tcmalloc and jemalloc are the best general allocators here, too close to "
          "call: 2.0 x glibc over all.");
}

TEST_CASE("with glibc alone it says how to get others") {
    two_scenarios run;
    run.general(baseline_name, 100, 100);
    run.linn(50, 50);
    CHECK(
        headline(run.judged()) ==
        "Linn is faster than the best rival (geometric mean) for containers of small nodes (linn::allocator, "
        "2.0 x), objects "
        "freed on another thread (linn::make_shared, 2.0 x). No general allocator beside glibc was measured; "
        "linn allocators says how to get some.");
}

TEST_CASE("one scenario needs no headline") {
    fake_bench run;
    scenario_result& s = run.add_scenario("containers");
    run.add(s, baseline_name, {}, 100);
    run.add(s, linn_name, {}, 50);
    CHECK(headline(run.judged()).empty());
}

TEST_CASE("an allocator that failed somewhere takes no part in the ranking") {
    two_scenarios run;
    run.general(baseline_name, 200, 200);
    run.add(*run.containers, "broken", {}, 1);
    const auto ranking = rank_allocators(run.judged());
    REQUIRE(ranking.size() == 1);
    CHECK(run.result.contenders[ranking[0].contender].name == baseline_name);
}

TEST_CASE("a size at which any of Linn's ways wins is no loss") {
    fake_bench run;
    scenario_result& sizes = run.add_scenario("sizes");
    scenario_result& containers = run.add_scenario("containers");
    run.add(sizes, baseline_name, "new_delete", 10);
    run.add(sizes, linn_name, "linn_pool", 2);
    run.add(sizes, linn_name, "linn_buffer_pool", 100);
    run.add(containers, baseline_name, {}, 100);
    run.add(containers, linn_name, {}, 50);
    CHECK(headline(run.judged()).find("use") == std::string::npos);
    CHECK(headline(run.judged()).find("blocks of one size (linn::pool, 5.0 x)") != std::string::npos);
}

TEST_CASE("it stays within four lines, whatever there is to say") {
    fake_bench run;
    for (const scenario& what : scenarios()) {
        if (!what.group.empty())
            continue;
        scenario_result& s = run.add_scenario(what.name);
        for (const char* name : {baseline_name, "tcmalloc-google", "mimalloc3"})
            run.add(s, name, s.what->baseline, name == baseline_name ? 100 : 50);
        run.add(s, linn_name, what.comparisons.front().ours,
                what.name == "pmr" || what.name == "buffers" ? 70 : 10);
    }
    const std::string text = headline(run.judged());
    INFO(text);
    CHECK(text.size() <= 400);
    CHECK(text.find(" more of 8 subjects") != std::string::npos);
}
