// SPDX-License-Identifier: Apache-2.0
// The pages of the tool: nothing from outside becomes markup, axes are right, every contender is there, and they stay small for any
// trace. What a browser makes of them is tested by html_cases.py.
#include "bench/judgement.hpp"
#include "bench/runner.hpp"
#include "page.hpp"
#include "report/commands/reports.hpp"
#include "report/document/markup.hpp"
#include "report/plots/figure.hpp"
#include "report/plots/plots.hpp"
#include "report/render/render.hpp"
#include "samples.hpp"
#include "unit.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <string>
#include <vector>

namespace linn::tool::html_tests {

using namespace linn::tool::html;
using namespace linn::tool::testing;

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
        a.add(std::vector{low, high});
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
    bench_result one = samples::make_bench({.scenarios = {"object", "pmr"}, .rounds = 1});
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
    run_result failed = samples::make_run({"jemalloc"});
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
        samples::make_bench({.scenarios = {"object"}, .allocators = many, .rounds = 3, .spread = 0.4});
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
    id_source ids;
    CHECK(run_over_time(ids, t).empty());
    t.over_time = {.step_ns = 1000,
                   .live_bytes = std::vector<std::uint64_t>(1000, 1),
                   .live_blocks = std::vector<std::uint64_t>(1000, 0),
                   .events = std::vector<std::uint64_t>(1000, 3)};
    t.over_time.live_bytes[777] = 9;
    const std::string shown = run_over_time(ids, t).str();
    CHECK(is_well_formed(shown));
    CHECK_FALSE(contains(shown, "nan"));
    CHECK(count(shown, "|") == 4 * 333); // between the steps
    CHECK(count(shown, "|9 B") == 1);
    CHECK(contains(shown, "value=\"3\u202F000\u202F000|")); // events a second
}

TEST_CASE("what the page carries without data is small, and ten thousand types do not make it large") {
    CHECK(report::render_html(report::advise_document(advice{}, {})).size() < 100'000);
    const std::string page = report::render_html(report::advise_document(samples::make_advice(10'000), {}));
    CHECK(page.size() < 1'000'000);
    CHECK(is_well_formed(page));
    CHECK(contains(page, " more types<"));
}

TEST_CASE("empty, damaged and interrupted results make pages that say so") {
    CHECK(is_well_formed(report::render_html(report::advise_document(advice{}, {}))));
    advice a = samples::make_advice(0);
    a.analysis.info.missing = {"The file ends in the middle of a frame."};
    CHECK(contains(report::render_html(report::advise_document(a, {})),
                   "The trace is not whole: The file ends"));
    a.types[0].statistics.time = {.calls = std::numeric_limits<double>::quiet_NaN(), .systematic = 9};
    a.analysis.time.low = -1;
    a.analysis.time.high = 7;
    CHECK(is_well_formed(report::render_html(report::advise_document(a, {}))));
}

} // namespace linn::tool::html_tests
