// SPDX-License-Identifier: Apache-2.0
// The page of advise: what it holds, that it stays small for any trace, and that a flame graph
// loses nothing when it is folded. What a browser makes of them is tested by html_cases.py.

#include "advise_samples.hpp"
#include "compare/trace_comparison.hpp"
#include "page.hpp"
#include "report/commands/reports.hpp"
#include "report/plots/plots.hpp"
#include "report/render/render.hpp"
#include "samples.hpp"
#include "unit.hpp"

namespace linn::tool::advise_html_tests {

using namespace linn::tool::html;
using namespace linn::tool::test;

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
    const std::string data = "<data value=\"";
    const std::size_t from = shown.find(data) + data.size();
    const std::string values = shown.substr(from, shown.find("data-kind", from) - from);
    CHECK(count(values, " ") == 334); // between the steps, and before the next attribute
    CHECK(count(values, " 9 ") == 1);
    CHECK(contains(shown, "value=\"3e+06 ")); // events a second
}

TEST_CASE("a flame graph draws some thousands of boxes, and puts all others together") {
    trace_comparison c;
    for (std::size_t i = 0; i != 3000; ++i) {
        trace_row& r = c.stacks.emplace_back();
        r.label = "type " + std::to_string(i);
        r.place.name = "caller";
        r.old_counts[0] = static_cast<double>(10'000 / (i + 1));
        r.new_counts[0] = static_cast<double>(i);
    }
    const std::string graph = flame_of_difference(c).str();
    CHECK(is_well_formed(graph));
    const std::size_t boxes = count(graph, "<li ");
    CHECK(boxes <= 2500);
    const std::size_t types = (boxes - 2) / 2; // without the whole and the rest, each with its caller
    CHECK(types > 500);
    CHECK(contains(graph, std::to_string(3000 - types) + " more"));
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
