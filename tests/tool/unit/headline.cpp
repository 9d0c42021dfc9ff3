// SPDX-License-Identifier: Apache-2.0
// The first screen of `linn bench`: what it counts and when it is not trusted, and that it fits. Every sentence must be true
// of the table below it.
#include "bench/judgement.hpp"
#include "fake_bench.hpp"
#include "report/commands/reports.hpp"
#include "unit.hpp"

namespace linn::tool::headline_tests {

/// All tests of the headline; what is not set takes 100 ns with a general allocator and 50 ns with Linn.
struct headline_run : fake_bench {
    scenario_result* all;

    headline_run() : all{&add_scenario("headline")} {
        all->rows.reserve(20); // references to them stay valid
    }

    row& general(const std::string& name, double ns = 100) { return add(*all, name, "usual", ns); }
    row& linn(double ns = 50) { return add(*all, linn_name, "linn", ns); }
    std::size_t phase(std::string_view name) const {
        const auto& phases = all->what->phases;
        return static_cast<std::size_t>(
            std::find_if(phases.begin(), phases.end(), [&](const phase_info& p) { return p.name == name; }) -
            phases.begin());
    }
    headline_result said() {
        const auto h = headline(judged());
        REQUIRE(h);
        return *h;
    }
};

std::vector<std::string> screen_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in{text};
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST_CASE("headline: wins, losses and ties are counted") {
    headline_run wins;
    wins.general(baseline_name, 200);
    wins.general("fast", 100);
    wins.linn(50);
    CHECK(wins.said().wins == wins.all->what->phases.size());
    CHECK(wins.said().is_trusted);

    headline_run ties;
    ties.general(baseline_name, 100);
    ties.general(control_name, 104);
    ties.linn(97);
    CHECK(ties.said().ties == ties.all->what->phases.size());

    headline_run losses;
    losses.general(baseline_name, 200);
    row& fast = losses.general("fast", 100);
    losses.linn(50);
    fake_bench::set(fast, losses.phase("two_burst"), 25);
    fake_bench::set(fast, losses.phase("set"), 40);
    CHECK(losses.said().losses == 2);
}

TEST_CASE("headline: a setting of glibc may be the best other, but is no allocator to choose") {
    headline_run run;
    run.general(baseline_name, 200);
    run.general(no_trim_name, 60);
    run.general("fast", 100);
    run.linn(50);
    const headline_result h = run.said();
    CHECK(h.tests.front().other == no_trim_name);
    CHECK(h.ranking.size() == 2);
}

TEST_CASE("headline: trust is low on a busy machine, where glibc differs from itself, and of little work") {
    const auto is_trusted = [](double control, unsigned disturbed, std::size_t work) {
        headline_run run;
        run.general(baseline_name, 100).disturbed = disturbed;
        run.general(control_name, control);
        run.linn(50);
        run.result.options.work = work;
        return run.said().is_trusted;
    };
    CHECK(is_trusted(101, 1, 100));
    CHECK_FALSE(is_trusted(101, 5, 100));
    CHECK_FALSE(is_trusted(107, 1, 100));
    CHECK_FALSE(is_trusted(101, 1, 1));
}

TEST_CASE("headline: thirty lines of a hundred columns at most, whatever there is to say") {
    for (const double shared : {0.1, 0.99, 3.0}) {
        headline_run run;
        run.general(baseline_name, 1234.5).disturbed = 6;
        run.general(control_name, 1300);
        for (const char* name : {"glibc-no-trim", "jemalloc", "mimalloc2", "mimalloc3", "snmalloc",
                                 "rpmalloc", "tbb", "scudo", "bmalloc"}) {
            run.general(name, 1000);
        }
        row& google = run.general("tcmalloc-google", 900);
        run.result.contenders[google.contender].title = "tcmalloc (gperftools)";
        run.linn(900 * shared);
        for (const char* name : {"hoard", "mimalloc", "mine"}) {
            run.result.missing.push_back({name, {}, "it is not here"});
        }
        run.result.machine.cpu_model = "Intel(R) Xeon(R) Platinum 8488C CPU @ 2.40GHz";
        const std::vector<std::string> lines = screen_lines(run.shown(100));
        CHECK(lines.size() <= 29); // and one for the page
        for (const std::string& line : lines) {
            CAPTURE(line);
            CHECK(report::letters_of(line) <= 100);
        }
        CHECK(report::headline_table(run.said()).rows.size() <= 15);
        for (const std::string& sentence : run.said().verdict) {
            CAPTURE(sentence);
            CHECK(sentence.size() <= 100);
        }
    }
}

} // namespace linn::tool::headline_tests
