// SPDX-License-Identifier: Apache-2.0
// The pages of the tool: nothing from outside becomes markup, axes are right, every contender is there, and they stay small for any
// trace. What a browser makes of them is tested by html_cases.py.
#include "../support/advised_program.hpp"
#include "bench/bench.hpp"
#include "fake_bench.hpp"
#include "made_result.hpp"
#include "page.hpp"
#include "report/commands/reports.hpp"
#include "report/document/document.hpp"
#include "report/plots/figure.hpp"
#include "report/plots/plots.hpp"
#include "report/render/render.hpp"
#include "trace_of_types.hpp"
#include "try/trial.hpp"
#include "unit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace linn::tool::html_tests {

using namespace linn::tool::html;
using namespace linn::tool::testing;

/// A name that a page must not take for markup.
const std::string hostile = "<script>document.title='stolen'</script>&\"'";

/// What the results here are of.
struct made_bench {
    std::vector<std::string> scenarios = {};            ///< empty: all but the targets
    std::vector<std::string> allocators = {"jemalloc"}; ///< besides glibc twice
    std::size_t rounds = 10;
    double spread = 0.05; ///< of the samples around their median, as a share

    /// The first allocator is 10 % faster than glibc, the next 20 %, and Linn six times.
    bench_result judged() const {
        fake_bench run;
        std::vector<std::string> general{baseline_name, control_name};
        general.insert(general.end(), allocators.begin(), allocators.end());
        for (const scenario& what : linn::tool::scenarios()) {
            if (scenarios.empty() ? what.group == "targets"
                                  : std::ranges::find(scenarios, what.name) == scenarios.end()) {
                continue;
            }
            scenario_result& s = run.add_scenario(what.name);
            for (const variant_info& v : what.variants) {
                for (std::size_t place = 0; v.contender.empty() && place != general.size(); ++place) {
                    const double speed = place < 2 ? 1 + 0.01 * static_cast<double>(place)
                                                   : std::pow(0.9, static_cast<double>(place) - 1);
                    add(run, s, general[place], v.name, speed, place == 2);
                }
                if (v.contender == linn_name) {
                    add(run, s, linn_name, v.name, 1.0 / 6, false);
                }
            }
        }
        run.result.options.rounds = run.result.complete_rounds = rounds;
        run.result.missing.push_back({"ghost", "not installed: apt-get install libghost1"});
        return run.judged();
    }

private:
    void add(fake_bench& run, scenario_result& s, const std::string& name, std::string_view variant,
             double speed, bool has_cliff) const {
        row& r = run.add(s, name, variant, [&](const phase_info& p) {
            const auto phase = static_cast<std::size_t>(&p - s.what->phases.data());
            return 110 * speed * (1 + 0.2 * static_cast<double>(phase % 20)) *
                   (has_cliff && p.bytes >= 65'536 ? 20 : 1);
        });
        r.samples.resize(rounds, r.samples.front());
        for (std::size_t round = 0; round != rounds; ++round) {
            r.samples[round].metrics.assign(s.what->phases.size(),
                                            {{"receiver_idle", 0.4}, {"worker_idle", 0.3}});
            for (double& cycles : r.samples[round].cycles) {
                cycles *= 1 + spread * (static_cast<double>((round * 7 + s.rows.size() * 13) % 11) / 5 - 1);
            }
        }
    }
};

run_result made_run(const std::vector<std::string>& allocators) {
    std::vector<made_row> rows;
    for (const std::string& name : allocators) {
        rows.push_back({name, rows.size() % 2 == 0 ? 0.88 : 1.12});
    }
    run_result result = made_result(rows, 12);
    result.left_out.push_back({"ghost", "not installed: apt-get install libghost1"});
    result.warnings = {"The output differs from run to run."};
    describe_run(result);
    return result;
}

try_result made_try() {
    try_result result;
    for (const std::string& label : {hostile, std::string{"48-byte blocks #1 of parse in libshop.so.2"}}) {
        try_candidate c = made_candidate(label, 48, 0x1000 + result.candidates.list.size());
        c.addresses = {label == hostile ? "" : "libshop.so.2+0x5ccca"};
        c.share = 0.25;
        result.candidates.list.push_back(std::move(c));
    }
    result.candidates.modules = {{"shop", {1, 2}}};
    result.candidates.left_out = {{hostile, "its blocks have many sizes", 0.123, {}}};
    result.hits = {1000, 999};
    result.arms = {arm_of_types(result.candidates, {0, 1}), arm_by_size(result.candidates, {0, 1}),
                   arm_of_every_block()};
    result.deciding = made_run({"types", "by-size", "every", "empty", "jemalloc"});
    result.parts = arms_of_parts(result.candidates, result.arms.front(), 6);
    result.explaining = made_run({"chosen", "without-1", "without-2"});
    for (run_row& row : result.explaining.rows) {
        if (const try_arm* arm = result.find_arm(row.contender.name)) {
            row.contender.title = arm->title;
        }
    }
    judge_trial(result);
    result.plan.program = "shop";
    return result;
}

/// A program with four types, one of them called `hostile`, and as many small ones more.
advice made_advice(std::size_t more_types = 6) {
    program p;
    std::vector<std::string> names{"Particle|std::list<Particle>", "Packet|std::shared_ptr<Packet>",
                                   "char|std::string"};
    p.churn(20'000, 56, 1000, 1);
    p.churn(8'000, 104, 30);
    p.churn(4'000, 38, 1);
    for (std::size_t i = 0; i != more_types; ++i) {
        names.push_back("detail::Node" + std::to_string(i) + "<std::basic_string<char>, unsigned long>|");
        p.churn(9, 32, 3);
    }
    names.push_back(hostile + '|');
    p.keep_the_rest();
    p.churn(12, 4096, 12);
    p.info().command = {"./simulate", "--steps", "1000", hostile};
    p.info().started = "2026-11-21T11:45:35Z";
    p.info().machine = "Sample CPU at 2 GHz, 2 CPUs, Linux 6.1";
    advise_parts parts = parts_for(names);
    parts.sources = [](const std::string&) { return std::vector<std::string>{"std::list<Particle> alive;"}; };
    advice a = advise(timed(p.analyse(2e9), {0.08, 0.04, 0.006}, 0.04), parts);
    a.warnings = {"libphysics.so.2 has no debug information"};
    return a;
}

std::string bench_page(const bench_result& result) {
    return report::render_html(report::bench_document(result));
}

TEST_CASE("text and attributes are escaped, whatever they hold") {
    CHECK(escape("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
    CHECK(text("</script>").str() == "&lt;/script&gt;");
    CHECK(element("p", {{"title", "\"><script>"}}, text("x")).str() ==
          "<p title=\"&quot;&gt;&lt;script&gt;\">x</p>");
    CHECK(escape("a\x01\x1b[31mb\x7f") == "a[31mb");
    CHECK(escape("grün – 1\u202F000") == "grün – 1\u202F000");
}

TEST_CASE("bytes that are no UTF-8 are replaced") {
    const std::string bad = "\uFFFD";
    CHECK(escape("a\xFFz") == "a" + bad + "z");
    CHECK(escape("\xC0\xAF") == bad + bad);           // overlong
    CHECK(escape("\xED\xA0\x80") == bad + bad + bad); // a surrogate
    CHECK(escape("\xE2\x82") == bad);                 // cut short
    CHECK(escape("\xF4\x90\x80\x80") == bad + bad + bad + bad);
}

TEST_CASE("an axis marks round values within itself, and not too many") {
    for (const auto& [low, high] : std::vector<std::pair<double, double>>{{0.99, 1.01},
                                                                          {0.9, 1.2},
                                                                          {0.2, 5},
                                                                          {0.5, 80},
                                                                          {1e-6, 1e9},
                                                                          {1, 1},
                                                                          {3, 3.0000001},
                                                                          {1e-12, 1e12}}) {
        CAPTURE(low);
        CAPTURE(high);
        axis a;
        a.add(low);
        a.add(high);
        for (const std::size_t most : {2u, 4u, 6u, 9u}) {
            const std::vector<tick> ticks = a.ticks(most);
            CHECK(ticks.size() <= most);
            for (const tick& t : ticks) {
                CHECK(t.value >= a.low());
                CHECK(t.value <= a.high());
                CHECK(std::stod(t.label) == doctest::Approx(t.value));
            }
        }
        CHECK(a.ticks(6).size() >= 2);
    }
}

TEST_CASE("empty, interrupted and one-sample results make pages") {
    bench_result nothing;
    CHECK(is_well_formed(bench_page(nothing)));
    bench_result one = made_bench{.scenarios = {"object", "pmr"}, .rounds = 1}.judged();
    one.interrupted_by = SIGINT;
    const std::string page = bench_page(one);
    CHECK(is_well_formed(page));
    CHECK(contains(page, "Partial: stopped by SIGINT"));
    one.scenarios[0].rows.erase(one.scenarios[0].rows.begin()); // the baseline was not reached
    one.scenarios[0].rows[0].samples.clear();
    judge(one);
    CHECK(is_well_formed(bench_page(one)));
    run_result broken;
    broken.problem = "no program <x>";
    CHECK(contains(report::render_html(report::run_document(broken)),
                   "Nothing was measured: no program &lt;x&gt;"));
    run_result failed = made_run({"jemalloc"});
    failed.rows.back().failure = "killed by SIGSEGV";
    failed.rows.back().last_output = "oh <no>";
    const std::string losses = report::render_html(report::run_document(failed));
    CHECK(contains(losses, "killed by SIGSEGV"));
    CHECK(contains(losses, "oh &lt;no&gt;"));
}

TEST_CASE("huge spread and forty allocators make pages without impossible coordinates") {
    std::vector<std::string> many;
    for (int i = 0; i != 40; ++i) {
        many.push_back("allocator-" + std::to_string(i));
    }
    bench_result result =
        made_bench{.scenarios = {"object"}, .allocators = many, .rounds = 3, .spread = 0.4}.judged();
    for (double& c : result.scenarios[0].rows[3].samples[0].cycles) {
        c *= 1e9;
    }
    judge(result);
    const std::string page = bench_page(result);
    CHECK(is_well_formed(page));
    CHECK_FALSE(contains(page, "nan"));
    CHECK_FALSE(contains(page, ">inf"));
    for (const std::string& name : many) {
        CHECK(contains(page, '>' + name + '<'));
    }
}

TEST_CASE("many steps of a timeline become few without losing the largest") {
    trace_analysis t;
    CHECK(run_over_time(t).empty());
    t.over_time = {.step_ns = 1000,
                   .live_bytes = std::vector<std::uint64_t>(1000, 1),
                   .live_blocks = std::vector<std::uint64_t>(1000),
                   .events = std::vector<std::uint64_t>(1000, 3)};
    t.over_time.live_bytes[777] = 9;
    std::iota(t.over_time.live_blocks.begin(), t.over_time.live_blocks.end(), 0);
    const std::string shown = run_over_time(t).str();
    CHECK(is_well_formed(shown));
    CHECK_FALSE(contains(shown, "nan"));
    CHECK(count(shown, "H") < 2 * 400); // a step up for each of at most 400
    CHECK(contains(shown, "at most 9 B,"));
    CHECK(contains(shown, "at most 3\u202F000\u202F000,")); // events a second
}

TEST_CASE("what the page carries without data is small, and ten thousand types do not make it large") {
    CHECK(report::render_html(report::advise_document(advice{}, {})).size() < 100'000);
    const std::string page = report::render_html(report::advise_document(made_advice(10'000), {}));
    CHECK(page.size() < 1'000'000);
    CHECK(is_well_formed(page));
    CHECK(contains(page, " more types<"));
}

TEST_CASE("empty, damaged and interrupted results make pages that say so") {
    CHECK(is_well_formed(report::render_html(report::advise_document(advice{}, {}))));
    advice a = made_advice(0);
    a.analysis.info.missing = {"The file ends in the middle of a frame."};
    CHECK(contains(report::render_html(report::advise_document(a, {})),
                   "The trace is not whole: The file ends"));
    a.types[0].statistics.time = {.calls = std::numeric_limits<double>::quiet_NaN(), .systematic = 9};
    a.analysis.time.low = -1;
    a.analysis.time.high = 7;
    CHECK(is_well_formed(report::render_html(report::advise_document(a, {}))));
}

TEST_CASE("pages for html_cases.py" * doctest::skip(std::getenv("LINN_PAGES") == nullptr)) {
    const auto write = [](const std::string& name, const report::document& d) {
        std::ofstream file{std::string{std::getenv("LINN_PAGES")} + '/' + name + ".html", std::ios::binary};
        file << report::render_html(d);
        CHECK(file.flush());
    };
    bench_result partial = made_bench{.scenarios = {"object"}, .rounds = 1}.judged();
    partial.interrupted_by = SIGINT;
    partial.options.rounds = 10;
    const std::vector<std::string> names{"jemalloc", "tcmalloc", hostile};
    write("bench", report::bench_document(made_bench{.allocators = names}.judged()));
    write("partial", report::bench_document(partial));
    write("run", report::run_document(made_run(names)));
    write("try", report::try_document(made_try(), {"./shop", "7"}));
    write("advise", report::advise_document(made_advice(), {}));
}

} // namespace linn::tool::html_tests
