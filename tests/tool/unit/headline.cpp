// SPDX-License-Identifier: Apache-2.0
// The first screen of `linn bench`: the words of its verdict in each situation, and that it fits. Every sentence must be true
// of the table below it.
#include "bench/headline.hpp"

#include "../support/flat_text.hpp"
#include "bench/summary.hpp"
#include "fake_bench.hpp"
#include "report/render/html.hpp"
#include "report/render/text_table.hpp"
#include "report/verbs/bench_headline.hpp"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

namespace linn::tool::headline_tests {

using linn::tool::testing::flat;

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
    void cut_rounds(std::size_t rounds) {
        for (row& r : all->rows) {
            r.samples.resize(rounds, r.samples.front());
        }
        result.complete_rounds = rounds;
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

/// The verdict as one text, which a failure prints.
std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line + '\n';
    }
    return text;
}

std::string tests_in(const headline_run& run) {
    return std::to_string(run.all->what->phases.size());
}

TEST_CASE("headline: wins alone, with the zero fill that is saved and the best allocator") {
    headline_run run;
    row& baseline = run.general(baseline_name, 200);
    row& control = run.general(control_name, 200);
    row& fast = run.general("fast", 100);
    row& second = run.general("second", 160);
    row& ours = run.linn(50);
    fake_bench::set(ours, run.phase("hot"), 20);
    for (row* r : {&baseline, &control, &fast, &second}) {
        fake_bench::set(*r, run.phase("buffer_shared"), 1e6);
    }
    const headline_result h = run.said();
    CHECK(joined(h.verdict) ==
          joined({"Objects of one type: a Linn pool is 2.0 to 5.0 x as fast as the best allocator in 9 of 9 "
                  "tests.",
                  "Linn is slower in none of " + tests_in(run) +
                      " tests. 8 MiB buffer, make_shared: no zero fill.",
                  "Everything else: fast, 1.9 x glibc (geometric mean); then second, 1.2 x."}));
    CHECK(h.wins == run.all->what->phases.size());
    CHECK(h.is_trusted);
}

TEST_CASE("headline: a loss is named with what is faster there, the worst first") {
    headline_run run;
    run.general(baseline_name, 200);
    row& fast = run.general("fast", 100);
    run.linn(50);
    fake_bench::set(fast, run.phase("two_burst"), 25);
    fake_bench::set(fast, run.phase("set"), 40);
    const headline_result h = run.said();
    CHECK(h.losses == 2);
    REQUIRE(h.verdict.size() == 3);
    CHECK(h.verdict[0] ==
          "Objects of one type: a Linn pool is 2.0 x as fast as the best allocator in 7 of 9 tests.");
    CHECK(h.verdict[1] == "But 2 threads: make_shared, bursts: fast is 2.0 x faster. Slower in 1 more.");
    const auto lost = std::find_if(h.tests.begin(), h.tests.end(),
                                   [](const headline_test& t) { return t.what->name == "two_burst"; });
    REQUIRE(lost != h.tests.end());
    CHECK(lost->result() == "2.0 x SLOWER");
    CHECK(run.shown(100).find("2.0 x SLOWER") != std::string::npos);
}

TEST_CASE("headline: ties are a count and no claim") {
    headline_run run;
    run.general(baseline_name, 100);
    run.general(control_name, 104);
    run.general("other", 99);
    run.linn(97);
    const headline_result h = run.said();
    CHECK(h.ties == run.all->what->phases.size());
    CHECK(joined(h.verdict) ==
          joined({"Objects of one type: a Linn pool is faster than the best allocator in none of 9 tests.",
                  "Linn is slower in none of " + tests_in(run) + " tests; " + tests_in(run) + " are ties.",
                  "Everything else: no general allocator is clearly faster than glibc (geometric mean)."}));
    CHECK(run.shown(100).find("ties: " + tests_in(run) + " of " + tests_in(run)) != std::string::npos);
}

TEST_CASE("headline: allocators that the noise does not tell apart share the place") {
    headline_run run;
    run.general(baseline_name, 200);
    run.general("one", 100);
    run.general("another", 101);
    run.linn(50);
    CHECK(run.said().verdict.back() == "Everything else: one or another, both 2.0 x glibc (geometric mean).");
}

TEST_CASE("headline: with glibc alone it says how to get others; without Linn, that it is missing") {
    headline_run alone;
    alone.general(baseline_name);
    alone.linn();
    CHECK(alone.said().verdict.back() ==
          "No general allocator besides glibc was measured; linn allocators says how to get some.");
    headline_run without;
    without.general(baseline_name);
    without.general("fast", 50);
    CHECK(without.said().verdict.front() == "Linn was not measured.");
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
    CHECK(h.verdict.back().starts_with("Everything else: fast, 2.0 x glibc"));
}

TEST_CASE("headline: fewer than six rounds give no verdict, and low trust") {
    headline_run run;
    run.general(baseline_name, 200);
    run.general("fast", 100);
    run.linn(50);
    run.cut_rounds(rounds_to_judge - 1);
    const headline_result h = run.said();
    CHECK(h.verdict.size() == 1);
    CHECK(h.verdict.front().starts_with("5 rounds are too few to tell a difference from noise (6 needed)"));
    CHECK_FALSE(h.is_trusted);
    CHECK(h.trust == "LOW. 5 rounds, and 6 are needed.");
    CHECK(h.wins + h.losses + h.ties == 0);
    for (const headline_test& t : h.tests) {
        CHECK(t.result() == "-");
    }
    const std::string screen = run.shown(100);
    for (const char* claim : {"faster", "SLOWER", "tie"}) {
        CAPTURE(claim);
        CHECK(screen.find(claim) == std::string::npos);
    }
}

TEST_CASE("headline: a round that was not finished judges nothing") {
    headline_run run;
    run.general(baseline_name, 200);
    run.general("fast", 100);
    row& ours = run.linn(50);
    ours.samples.pop_back();
    run.result.interrupted_by = 15;
    run.result.complete_rounds = rounds_to_judge - 1;
    const headline_result h = run.said();
    CHECK(joined(h.verdict) ==
          joined({"5 rounds are too few to tell a difference from noise (6 needed): it was stopped."}));
}

TEST_CASE("headline: trust is low on a busy machine, where glibc differs from itself, and of little work") {
    headline_run busy;
    busy.general(baseline_name, 200).disturbed = 5;
    busy.linn(50);
    CHECK_FALSE(busy.said().is_trusted);
    CHECK(busy.said().trust ==
          "LOW. The machine was busy: 5 of 12 samples are unreliable. Re-run when idle.");
    headline_run noisy;
    noisy.general(baseline_name, 100);
    noisy.general(control_name, 107);
    noisy.linn(50);
    CHECK_FALSE(noisy.said().is_trusted);
    CHECK(noisy.said().trust ==
          "LOW. In the middle test glibc differs from itself by 7.0 %. Re-run when idle.");
    headline_run little;
    little.result.options.work = 1;
    little.general(baseline_name, 100);
    little.linn(50);
    CHECK_FALSE(little.said().is_trusted);
    CHECK(little.said().trust == "LOW. Most of 1 % of the usual work is warming up: leave out --work.");
    headline_run quiet;
    quiet.general(baseline_name, 100).disturbed = 1;
    quiet.general(control_name, 101);
    quiet.linn(50);
    CHECK(quiet.said().trust ==
          "good. 6 rounds, 1 of 18 samples disturbed, glibc differs from itself by 1.0 % to 1.0 %.");
    CHECK(flat(quiet.shown(100)).find(flat("Trust: " + quiet.said().trust)) != std::string::npos);
    // Said once, not as a warning too.
    const std::string screen = busy.shown(100);
    CHECK(screen.find("Re-run when idle") == screen.rfind("Re-run when idle"));
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
        for (const std::size_t width : {60U, 80U}) {
            for (const std::string& line : screen_lines(run.shown(width))) {
                CAPTURE(line);
                CHECK((line.starts_with("    linn ") || report::letters_of(line) <= width));
            }
        }
    }
}

TEST_CASE(
    "headline: the page and the files begin with the same, and one huge ratio does not crush its plot") {
    headline_run run;
    row& baseline = run.general(baseline_name, 200);
    row& fast = run.general("fast", 100);
    run.linn(50);
    CHECK(report::render_html(report::bench_document(run.judged())).find("class=\"break\"") ==
          std::string::npos);
    for (row* r : {&baseline, &fast}) {
        fake_bench::set(*r, run.phase("buffer_shared"), 1e6);
    }
    const headline_result h = run.said();
    const std::string page = report::render_html(report::bench_document(run.result));
    for (const std::string& sentence : h.verdict) {
        CHECK(page.find(sentence) != std::string::npos);
    }
    CHECK(page.find("Trust: " + h.trust) != std::string::npos);
    CHECK(page.find("Trust: ") < page.find("<nav"));
    CHECK(page.find("class=\"break\"") != std::string::npos);
    CHECK(page.find("A bar with gaps goes on beyond 16") != std::string::npos);
    CHECK(findings(run.result).sentences().back() == "Trust: " + h.trust);
}

TEST_CASE("headline: none over scenarios that were named") {
    fake_bench run;
    scenario_result& s = run.add_scenario("containers");
    run.add(s, baseline_name, {}, 100);
    run.add(s, linn_name, {}, 50);
    CHECK_FALSE(headline(run.judged()));
}

} // namespace linn::tool::headline_tests
