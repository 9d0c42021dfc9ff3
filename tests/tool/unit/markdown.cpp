// SPDX-License-Identifier: Apache-2.0
// The Markdown of the tool is pasted into issues: nothing that comes from outside may become markup there.
#include "bench/judgement.hpp"
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace linn::tool::markdown_tests {

using report::markdown_text;

TEST_CASE("text is shown as it is: markup, tables, HTML and mentions are escaped") {
    CHECK(markdown_text("a|b") == "a\\|b");
    CHECK(markdown_text("pool<T>, *x*, _y_, `z`") == "pool&lt;T>, \\*x\\*, \\_y\\_, \\`z\\`");
    CHECK(markdown_text("two\nlines\r\n") == "two lines  ");
    CHECK(markdown_text("[a](b) &lt; \\ ~~ #1 @you") == "\\[a\\](b) &amp;lt; \\\\ \\~\\~ \\#1 \\@you");
}

TEST_CASE("the Markdown of bench says what was found first, and every table is whole") {
    for (const scenario& s : scenarios()) {
        CAPTURE(s.name);
        bench_result result;
        result.machine.build = "optimised";
        result.scenarios.push_back({&s, {}});
        for (const char* name : {"glibc", "glibc-again", "linn", "na|ve"}) {
            contender c;
            c.name = c.title = name;
            result.contenders.push_back(c);
            row r;
            r.contender = result.contenders.size() - 1;
            sample one;
            one.cycles.assign(s.phases.size(), 100);
            one.faults.assign(s.phases.size(), 0);
            one.metrics.assign(s.phases.size(), {});
            r.samples.assign(3, one);
            result.scenarios[0].rows.push_back(r);
        }
        result.missing.push_back({"hoard", "", "not installed | really", ""});
        judge(result);
        const std::string text = report::render_markdown(report::bench_document(result));
        CHECK(text.starts_with("**"));
        CHECK(text.find("**\n\n**") == std::string::npos); // one paragraph in bold
        CHECK(text.find("### " + std::string{s.name}) > text.find("**"));
        CHECK(text.find("left out: hoard: not installed \\| really") != std::string::npos);
        std::istringstream lines{text};
        std::ptrdiff_t bars = 0; // of a line of the table
        std::ptrdiff_t most = 0;
        int rows = 0;
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with('|')) {
                bars = 0; // another table may follow
                continue;
            }
            std::ptrdiff_t in_line = 0;
            for (std::size_t i = 0; i != line.size(); ++i) {
                in_line += line[i] == '|' && line[i - (i != 0)] != '\\';
            }
            ++rows;
            bars = bars == 0 ? in_line : bars;
            most = std::max(most, bars);
            CHECK(in_line == bars);
        }
        CHECK(rows >= 2 + 4);                        // and what was published
        CHECK((most <= 18 || s.group == "targets")); // what an issue can show; the grids of targets scroll
    }
}

} // namespace linn::tool::markdown_tests
