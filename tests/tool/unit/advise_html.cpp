// SPDX-License-Identifier: Apache-2.0
// The page of advise: what they hold, that they stay small whatever a trace holds, and that a flame graph
// loses nothing when it is folded. What a browser makes of them is tested by html_cases.py.

#include "advise_samples.hpp"
#include "page.hpp"
#include "report/commands/reports.hpp"
#include "report/plots/flame_graph.hpp"
#include "report/plots/timeline_plot.hpp"
#include "report/render/render.hpp"
#include "samples.hpp"
#include "unit.hpp"

namespace linn::tool::advise_html_tests {

using namespace linn::tool::html;
using namespace linn::tool::test;

double below(const flame_node& n, std::size_t measure) {
    double sum = 0;
    for (const flame_node& c : n.children) {
        sum += c.weight[measure];
    }
    return sum;
}

TEST_CASE("many steps of a timeline become few without losing the largest") {
    std::vector<double> values(1000, 1);
    values[777] = 9;
    std::size_t width = 0;
    const std::vector<double> fewer = fewer_steps(values, 400, false, width);
    CHECK(width == 3);
    CHECK(fewer.size() == 334);
    CHECK(fewer[259] == 9);
    CHECK(fewer_steps(values, 400, true, width)[259] == doctest::Approx(11.0 / 3));
    id_source ids;
    CHECK(draw(ids, timeline_plot{"", 0, {{"a", unit::count, {1}}}}).empty());
    CHECK(draw(ids, timeline_plot{"", 1, {{"a", unit::count, {}}}}).empty());
    const std::string one = draw(ids, timeline_plot{"", 1, {{"a", unit::bytes, {0}}}}).str();
    CHECK(is_well_formed(one));
    CHECK_FALSE(contains(one, "nan"));
}

TEST_CASE("folding a flame graph loses no weight") {
    flame_graph graph{.name = "all",
                      .measures = {"count", "bytes"},
                      .tip = [](const flame_node&, const flame_node&) { return std::string{}; },
                      .root = {"all", ""}};
    for (std::size_t i = 0; i != 3000; ++i) {
        flame_node& n = graph.root.children.emplace_back(flame_node{"type " + std::to_string(i), ""});
        n.weight = {static_cast<double>(10'000 / (i + 1)), static_cast<double>(i)};
        n.children.push_back({"caller", "", emphasis::none, n.weight});
        graph.root.weight[0] += n.weight[0];
        graph.root.weight[1] += n.weight[1];
    }
    flame_node folded = graph.root;
    const std::size_t boxes = fold_flame(folded, 200);
    CHECK(boxes <= 250);
    CHECK(below(folded, 0) == doctest::Approx(graph.root.weight[0]));
    CHECK(below(folded, 1) == doctest::Approx(graph.root.weight[1]));
    CHECK(contains(folded.children.back().label, " more"));
    graph.root = folded;
    CHECK(count(draw(graph).str(), "<li ") == boxes);
}

TEST_CASE("a page of advise is one file that loads nothing and holds what was advised") {
    const advice a = samples::make_advice();
    const std::string page = report::render_html(report::advise_document(a, {}));
    CHECK(is_well_formed(page));
    for (const char* loader : {"src=", "@import", "url("}) {
        CHECK_FALSE(contains(page, loader));
    }
    CHECK_FALSE(contains(page, samples::hostile));
    CHECK(count(page, "<script") == 1);
    CHECK(contains(page, escape(a.verdict)));
    CHECK(contains(page, "<ins>+    linn::list&lt;Particle&gt; alive;</ins>"));
    CHECK(contains(page, "<del>-    std::list&lt;Particle&gt; alive;</del>"));
    CHECK(contains(page, "6 – 10 %"));
    CHECK(contains(page, "0.0 – 1.2 %"));
    CHECK(contains(page, escape(a.types[0].why)));
    CHECK(contains(page, escape(a.findings[0].text)));
    CHECK(contains(page, escape(a.warnings[0])));
    CHECK(contains(page, "/home/me/sim/src/world.cpp:40"));
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

} // namespace linn::tool::advise_html_tests
