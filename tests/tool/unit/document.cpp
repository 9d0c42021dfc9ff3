// SPDX-License-Identifier: Apache-2.0
// A document says the same in every form: a figure is written by `quantity` alone, a table fits its place without losing a
// column in silence, and nothing from outside becomes markup. What each command puts into its document is tested by its own file.
#include "report/document/document.hpp"

#include "page.hpp"
#include "report/render/render.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>

namespace linn::tool::report::document_tests {

using linn::tool::testing::contains;
using linn::tool::testing::count;
using linn::tool::testing::is_well_formed;

std::string plain(unit what, double value) {
    return figure_of(what, value).text();
}

std::string typeset(unit what, double value) {
    return figure_of(what, value).text(lettering::typeset);
}

table example() {
    table t{"Containers",
            {{.heading = "contender", .is_text = true},
             {.heading = "median", .group = "insert"},
             {.heading = "ns", .group = "insert", .droppable = 2},
             {.heading = "median", .group = "erase"},
             {.heading = "published", .droppable = 1}}};
    const auto number = [](double v) { return figure_of(unit::number, v); };
    t.add({"glibc", number(366), number(141), number(166), "307/162"});
    t.add({"linn", number(92), number(35), number(41), ""}, emphasis::ours);
    return t;
}

document with(table t) {
    document d{.command = "linn example", .lead = "The answer."};
    d.add_section("all", "All of it").add(std::move(t));
    return d;
}

std::string drawn(const table& t, const output_style& style) {
    document d{.command = "linn example"};
    d.add(t);
    return render_terminal(d, style);
}

std::size_t widest(const std::string& text) {
    std::istringstream in{text};
    std::size_t width = 0;
    for (std::string line; std::getline(in, line);) {
        width = std::max(width, letters_of(line));
    }
    return width;
}

TEST_CASE("a figure is short, has its unit and no exponent") {
    CHECK(plain(unit::number, 0) == "0");
    CHECK(plain(unit::number, 0.01234) == "0.0123");
    CHECK(plain(unit::number, 9.999) == "10.0");
    CHECK(plain(unit::number, 999.96) == "1000");
    CHECK(plain(unit::number, 12345) == "12345");
    CHECK(quantity{.what = unit::number, .value = 5.678, .decimals = 1}.text() == "5.7");
    CHECK(quantity{.what = unit::number, .value = 0.0105, .decimals = 3}.text() == "0.011");
    CHECK(quantity{.what = unit::number, .value = 0.0004, .decimals = 3}.text() == "0");
    CHECK(plain(unit::count, 1048576) == "1048576");
    CHECK(plain(unit::about, 842) == "842");
    CHECK(plain(unit::about, 12'345) == "12.3 k");
    CHECK(plain(unit::about, 20e6) == "20.0 M");
    CHECK(plain(unit::share, 0.0123) == "1.2 %");
    CHECK(plain(unit::share, 0.123) == "12 %");
    CHECK(plain(unit::change, 0.042) == "+4.2 %");
    CHECK(plain(unit::change, -0.119) == "-11.9 %");
    CHECK(plain(unit::ratio, 0.9944) == "0.994");
    CHECK(plain(unit::ratio, 12.34) == "12.3");
    CHECK(plain(unit::times, 2.514) == "2.51");
    CHECK(plain(unit::times, 0.00453) == "0.0045");
    CHECK(plain(unit::nanoseconds, 12.34e6) == "12.3 ms");
    CHECK(plain(unit::nanoseconds, 999.9e6) == "1.00 s");
    CHECK(plain(unit::nanoseconds, 1500) == "1.50 us");
    CHECK(plain(unit::bytes, 64) == "64 B");
    CHECK(plain(unit::bytes, 1536) == "1.50 KiB");
    CHECK(plain(unit::chance, 0.03124) == "0.0312");
    CHECK(plain(unit::chance, 1e-9) == "< 0.0001");
    CHECK(plain(unit::number, std::numeric_limits<double>::quiet_NaN()) == "-");
}

TEST_CASE("a page gets a minus sign, thousands that stand apart and a dash") {
    CHECK(typeset(unit::count, 1048576) == "1\u202F048\u202F576");
    CHECK(typeset(unit::number, 1234) == "1234");
    CHECK(typeset(unit::change, -0.119) == "−11.9 %");
    CHECK(typeset(unit::nanoseconds, 1500) == "1.50 µs");
    CHECK(typeset(unit::number, std::numeric_limits<double>::infinity()) == "–");
}

TEST_CASE("an interval has its unit once, and one figure where both ends are written alike") {
    CHECK(bounds_of(unit::ratio, 0.981, 1.024).text() == "0.981-1.024");
    CHECK(bounds_of(unit::share, 0.09, 0.12).text() == "9-12 %");
    CHECK(bounds_of(unit::share, -0.01, 0.03).text() == "-1.0 to 3.0 %");
    CHECK(bounds_of(unit::share, 0.2, 0.2).text() == "20 %");
    CHECK(bounds_of(unit::change, -0.126, -0.112).text() == "-12.6 to -11.2 %");
    CHECK(bounds_of(unit::bytes, 512, 2048).text() == "512 B-2.00 KiB");
    CHECK(bounds_of(unit::share, 0.031, 0.11).text(lettering::typeset) == "3 – 11 %");
    CHECK(bounds_of(unit::bytes, 512, 2048).text(lettering::typeset) == "512 B – 2.00 KiB");
    CHECK(bounds_of(unit::share, -0.004, 0.038).text(lettering::typeset) == "−0.4 to 3.8 %");
    CHECK(bounds_of(unit::ratio, linn::tool::unknown_bound, linn::tool::unknown_bound).text().empty());
    CHECK(quantity{.what = unit::share, .value = 0.119, .low = 0.112, .high = 0.126, .shows = part::both}
              .text() == "12 % (11-13 %)");
}

TEST_CASE("a sentence says \"to\", names a unit once and sets thousands apart") {
    CHECK(bounds_of(unit::share, 0.09, 0.12).text(lettering::prose) == "9 to 12 %");
    CHECK(bounds_of(unit::bytes, 512, 2048).text(lettering::prose) == "512 B to 2.00 KiB");
    CHECK(figure_of(unit::saving, {0.119, 0.112, 0.126}).text(lettering::prose) == "11.9 % (11.2 to 12.6)");
    CHECK(figure_of(unit::saving, -0.0004).text() == "0.0 %"); // not "-0.0 %"
    CHECK(written(unit::count, 1048576, lettering::prose) == "1 048 576");
    CHECK(percent(0.0123) == "1.2 %");
}

TEST_CASE("a mark of an axis has no needless digit, and the multiple of the axis's end") {
    CHECK(mark_text(unit::number, 0.05, 0.05) == "0.05");
    CHECK(mark_text(unit::number, 2e6, 2e6) == "2e6");
    CHECK(mark_text(unit::nanoseconds, std::exp2(6 * std::log2(10.0)), 1e6 * (1 - 1e-12)) == "1 ms");
    CHECK(mark_text(unit::nanoseconds, 5e5, 2e6) == "0.5 ms");
    CHECK(mark_text(unit::bytes, 512, 4096) == "0.5 KiB");
    CHECK(mark_text(unit::count, 2e9, 4e9) == "2 G");
    CHECK(mark_text(unit::count, 5000, 9000) == "5000");
    CHECK(mark_text(unit::count, 5000, 20000) == "5 k");
    CHECK(mark_text(unit::share, 0, 0.1) == "0 %");
    CHECK(mark_text(unit::bytes, 0, 4096) == "0");
}

TEST_CASE("the figures of a column are in one multiple") {
    const double times[] = {12.3e6, 8.1e6};
    const scale in = common_scale(times);
    CHECK(in.name == "ms");
    CHECK(figure_of(unit::nanoseconds, times[1], in).text() == "8.1");
    quantity more = figure_of(unit::bytes, 0.3 * 1024 * 1024, mebibytes);
    more.is_signed = true;
    CHECK(more.text() == "+0.3");
    CHECK(figure_of(unit::bytes, -100, mebibytes).text() == "0.0"); // not "-0.0"
}

TEST_CASE("text stands left, figures right, groups above their columns") {
    CHECK(drawn(example(), {100}) == "                insert   erase\n"
                                     "contender  median   ns  median  published\n"
                                     "-----------------------------------------\n"
                                     "glibc         366  141     166    307/162\n"
                                     "linn         92.0 35.0    41.0\n");
}

TEST_CASE("a narrow terminal gives up the least important columns and says which") {
    const table t = example();
    CHECK_FALSE(contains(drawn(t, {100}), "hidden columns"));
    CHECK(contains(drawn(t, {38}), "hidden columns: ns (widen"));
    CHECK(contains(drawn(t, {30}), "hidden columns: ns,\n    published"));
    for (const std::size_t width : {30U, 38U}) {
        CHECK(widest(drawn(t, {width})) <= width);
    }
    CHECK(contains(drawn(t, {5}), "contender")); // it may not be given up
    const output_style file{30, false, true};
    CHECK(drawn(t, file) == drawn(t, {100}));
}

TEST_CASE("text is cut before a figure is lost, at the end, at the front or within a type, and never within "
          "a letter") {
    for (const auto& [how, shown] :
         {std::pair{cut::end, "name\n----\né...\n"}, std::pair{cut::front, "name\n----\n...b\n"}}) {
        table names{"", {{.heading = "name", .is_text = true, .shorten = how, .least = 4}}};
        names.add({"éé…ab"});
        CHECK(drawn(names, {4}) == shown);
    }
    table t{"", {{.heading = "type", .is_text = true, .shorten = cut::type}, {.heading = "n"}}};
    t.add({"std::map<int, std::pair<a::very::long::name, another::long::name>>", figure_of(unit::count, 7)});
    CHECK(widest(drawn(t, {40})) <= 40);
    CHECK(contains(drawn(t, {40}), "std::map<int"));
    CHECK(widest(drawn(t, {100})) <= 60 + 3); // `most`, although there is room
}

TEST_CASE("prose is broken at spaces") {
    CHECK(wrap("one two three", 7) == "one two\nthree");
    CHECK(wrap("one two three", 9, 2) == "one two\n  three");
    CHECK(wrap("unbreakable", 4) == "unbreakable");
}

TEST_CASE("colour appears only where it is allowed, and nothing from outside steers a terminal") {
    table t = example();
    t.rows.front().cells.front().before = "evil\033[2J";
    CHECK(drawn(t, {100}).find('\033') == std::string::npos);
    CHECK(count(drawn(t, {100, true}), "\033[1m") == 3); // the two headings and Linn's row
    document d = with(t);
    d.warnings = {"\033]0;title\a"};
    d.add(code{"one\n\033[31mtwo\n"});
    CHECK(render_terminal(d, {100}).find('\033') == std::string::npos);
}

TEST_CASE("Markdown has a table for each group of rows, and escapes names") {
    table t{"", {{.heading = "na|me", .is_text = true}, {.heading = "ms", .group = "time"}}};
    t.add_heading("each alone");
    t.add({"<b>", cell{figure_of(unit::change, -0.1)}.styled(emphasis::good)});
    t.add_heading("together");
    t.add({"two", cell{}});
    t.remarks = {"medians"};
    CHECK(render_markdown(with(t)) == "**The answer.**\n\n### All of it\n\n"
                                      "each alone:\n\n| na\\|me | time, ms |\n| --- | ---: |\n"
                                      "| &lt;b> | **-10.0 %** |\n\n"
                                      "together:\n\n| na\\|me | time, ms |\n| --- | ---: |\n| two |  |\n\n"
                                      "- medians\n");
}

TEST_CASE("text is shown as it is: markup, tables, HTML and mentions are escaped") {
    CHECK(markdown_text("a|b") == "a\\|b");
    CHECK(markdown_text("pool<T>, *x*, _y_, `z`") == "pool&lt;T>, \\*x\\*, \\_y\\_, \\`z\\`");
    CHECK(markdown_text("two\nlines\r\n") == "two lines  ");
    CHECK(markdown_text("[a](b) &lt; \\ ~~ #1 @you") == "\\[a\\](b) &amp;lt; \\\\ \\~\\~ \\#1 \\@you");
}

TEST_CASE("a page sorts by the figures, folds details below their row, and claims by colour and by arrow") {
    table t = example();
    t.rows[0].cells[4] = cell{"less"}.styled(emphasis::good);
    t.rows[1].detail.push_back({code{"- <old>\n+ new\n", true}});
    document d = with(t);
    d.alert = "partial: stopped";
    d.warnings = {"the <machine> was busy"};
    d.add(list{{"object: it is fast"}});
    const std::string page = render_html(d);
    CHECK(is_well_formed(page));
    for (const char* part :
         {"Partial: stopped", "data-v=\"366\"", "<tr class=\"ours\">", "<span class=\"better\">▼ less</span>",
          "<del>- &lt;old&gt;</del>", "the &lt;machine&gt; was busy", "<li>object: it is fast</li>"}) {
        CAPTURE(part);
        CHECK(contains(page, part));
    }
}

TEST_CASE("what is not for a form does not appear in it") {
    document d = with(example());
    d.sections.front().blocks.front().shown_in = forms::page;
    d.add(paragraph{"for all"});
    d.add(paragraph{"for text"}, forms::text);
    CHECK_FALSE(contains(render_terminal(d, {100}), "glibc"));
    CHECK_FALSE(contains(render_terminal(d, {100}), "All of it")); // no heading over nothing
    CHECK_FALSE(contains(render_markdown(d), "glibc"));
    CHECK(contains(render_html(d), "glibc"));
    CHECK_FALSE(contains(render_html(d), "for text"));
    CHECK(contains(render_markdown(d), "for text"));
}

TEST_CASE("CSV has the data, not the tables") {
    document d = with(example());
    d.data = [] { return data_table{{"name", "ns"}, {{"=linn", 0.1}, {"b", nullptr}}}; };
    CHECK(render_csv(d) == "name,ns\r\n'=linn,0.1\r\nb,\r\n");
}

// CSV is read by spreadsheets and by scripts; what each of them stumbles over is quoted or kept out. The columns of a command:
// csv_of() in cases.py.
TEST_CASE("fields with commas, quotes, line ends or spaces at an end are quoted, others are not") {
    CHECK(csv_line({"plain", "two words"}) == "plain,two words\r\n");
    CHECK(csv_line({"a,b", "say \"hi\"", "line\nend", " led", "carriage\rreturn"}) ==
          "\"a,b\",\"say \"\"hi\"\"\",\"line\nend\",\" led\",\"carriage\rreturn\"\r\n");
    CHECK(csv_line({"", nullptr, NAN}) == ",,\r\n");
    CHECK(csv_line({"\"", ",", "\r\n"}) == "\"\"\"\",\",\",\"'\r\n\"\r\n");
}

TEST_CASE("text that a spreadsheet would run as a formula is made text") {
    CHECK(csv_line({"=1+1", "+x", "-x", "@SUM(A1)", "\tx", "a=b"}) == "'=1+1,'+x,'-x,'@SUM(A1),'\tx,a=b\r\n");
    CHECK(csv_line({"=HYPERLINK(\"x\",\"y\")"}) == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"\r\n");
    CHECK(csv_line({-1.5}) == "-1.5\r\n"); // a number is no formula
}

TEST_CASE("numbers keep every digit and their point in any locale") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    // Not every machine has one with a decimal comma; where it has, this is what breaks printf.
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"}) {
        if (std::setlocale(LC_ALL, name) != nullptr) {
            break;
        }
    }
    CHECK(csv_line({0.1, 1e6, 1234567.25, std::uint64_t{12345678901}, 7U, true, false}) ==
          "0.1,1000000,1234567.25,12345678901,7,true,false\r\n");
    CHECK(csv_line({1.0 / 3, 2.5}) == "0.3333333333333333,2.5\r\n");
    CHECK(csv_line({std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) ==
          ",\r\n");
    std::setlocale(LC_ALL, before.c_str());
}

} // namespace linn::tool::report::document_tests
