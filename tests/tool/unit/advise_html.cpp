// SPDX-License-Identifier: Apache-2.0
// The page of advise: what it holds, and that it stays small for any trace. What a browser makes of it is tested by html_cases.py.
#include "page.hpp"
#include "report/commands/reports.hpp"
#include "report/plots/plots.hpp"
#include "report/render/render.hpp"
#include "samples.hpp"
#include "unit.hpp"

namespace linn::tool::advise_html_tests {

using namespace linn::tool::html;
using namespace linn::tool::testing;

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
