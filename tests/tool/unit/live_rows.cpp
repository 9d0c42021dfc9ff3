// SPDX-License-Identifier: Apache-2.0
// What the view of `linn record --live` says of a type: rate, live bytes and growth are sums over its places, over the time that they
// claim. And that it fits on every screen.
#include "live/last_lines.hpp"
#include "live/layout.hpp"
#include "live/rows.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace linn::tool::live_rows_tests {

using namespace linn::tool::live;

live_figures figures_of(std::vector<site_figures> sites) {
    live_figures f;
    f.sites = std::move(sites);
    f.threads = 1;
    for (const site_figures& site : f.sites) {
        f.events += site.allocations;
    }
    return f;
}

const live_row& row_of(const live_table& table, const std::string& name) {
    const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                    [&](const live_row& row) { return row.name == name; });
    REQUIRE_MESSAGE(found != table.rows.end(), name);
    return *found;
}

TEST_CASE("rates are of the last second, sums of all places of a type") {
    live_rows rows;
    rows.take(figures_of({{{1, 1}, 100, 1000, 10, 100}, {{1, 2}, 50, 500, 5, 50}, {{1, 3}, 7, 70, 7, 70}}),
              1);
    rows.name({1, 1}, "node", "a.cpp:1");
    rows.name({1, 2}, "node", "b.cpp:2");
    rows.name({1, 3}, "leaf", "c.cpp:3");
    rows.take(figures_of({{{1, 1}, 300, 3000, 20, 200}, {{1, 2}, 50, 500, 4, 40}, {{1, 3}, 7, 70, 7, 70}}),
              3);
    const live_table table = rows.table(sort_key::rate, 10);
    const live_row& node = row_of(table, "node");
    CHECK(node.figures.allocations == 100); // 200 in two seconds
    CHECK(node.figures.bytes == 1000);
    CHECK(node.figures.live_blocks == 24);
    CHECK(node.figures.live_bytes == 240);
    CHECK(node.place == "a.cpp:1 +1");
    CHECK(row_of(table, "leaf").figures.allocations == 0);
    CHECK(row_of(table, "leaf").place == "c.cpp:3");
    CHECK(table.all.allocations == 100);
    CHECK(table.allocations == 357);
    CHECK(table.rows.front().name == "node");
}

TEST_CASE("growth is over the window, since the beginning until there is one") {
    live_rows rows;
    rows.name({1, 1}, "node", "");
    for (int second = 1; second <= 100; ++second) {
        // One grows by 10 a second; one has grown once, in second 50; one shrinks.
        rows.take(figures_of({{{1, 1}, 1, 1, 1, 10.0 * second},
                              {{1, 2}, 1, 1, 1, second < 50 ? 100.0 : 600.0},
                              {{1, 3}, 1, 1, 1, 5000.0 - 10 * second}}),
                  second);
        rows.name({1, 1}, "steady", "");
        rows.name({1, 2}, "once", "");
        rows.name({1, 3}, "shrinking", "");
        if (second == 5) {
            const live_table early = rows.table(sort_key::growth, 10);
            CHECK(early.window == doctest::Approx(5));
            CHECK(row_of(early, "steady").figures.growth == doctest::Approx(50));
            CHECK(row_of(early, "shrinking").figures.growth ==
                  doctest::Approx(4950)); // since there was nothing
        }
        if (second == 55) {
            const live_table table = rows.table(sort_key::growth, 10);
            CHECK(table.rows.front().name == "once");
            CHECK(row_of(table, "once").figures.growth == doctest::Approx(500));
            CHECK(row_of(table, "steady").figures.growth == doctest::Approx(100));
            CHECK(row_of(table, "shrinking").figures.growth == doctest::Approx(-100));
            CHECK(table.all.growth == doctest::Approx(500));
        }
    }
    const live_table table = rows.table(sort_key::growth, 60);
    CHECK(table.window == doctest::Approx(60));
    CHECK(row_of(table, "steady").figures.growth == doctest::Approx(600));
    CHECK(row_of(table, "once").figures.growth == doctest::Approx(500));
    CHECK(row_of(rows.table(sort_key::growth, 30), "once").figures.growth == 0);
}

TEST_CASE("what a process had goes with it, and counts as shrunk") {
    live_rows rows;
    rows.take(figures_of({{{1, 1}, 10, 100, 10, 100}, {{2, 1}, 10, 100, 10, 100}}), 1);
    rows.name({1, 1}, "node", "");
    rows.name({2, 1}, "node", "");
    rows.take(figures_of({{{1, 1}, 10, 100, 10, 100}}), 2);
    const live_table table = rows.table(sort_key::live, 1);
    CHECK(row_of(table, "node").figures.live_bytes == 100);
    CHECK(row_of(table, "node").figures.growth == -100);
    CHECK(table.allocations == 20);
}

TEST_CASE("what the run-time library keeps is counted, and in no row") {
    live_rows rows;
    rows.take(figures_of({{{1, 1}, 1, 72704, 1, 72704}, {{1, 2}, 5, 50, 5, 50}}), 1);
    rows.name({1, 1}, "72704-byte blocks", "pool::pool", 2);
    rows.name({1, 2}, "node", "a.cpp:1");
    const live_table table = rows.table(sort_key::live, 10);
    CHECK(table.rows.size() == 1);
    CHECK(table.rows.front().name == "node");
    CHECK(table.all.live_bytes == 72754);
    // More than the library keeps are the program's doing.
    rows.take(figures_of({{{1, 1}, 3, 3 * 72704, 3, 3 * 72704}, {{1, 2}, 5, 50, 5, 50}}), 2);
    CHECK(row_of(rows.table(sort_key::live, 10), "72704-byte blocks").figures.live_blocks == 3);
}

TEST_CASE("the largest places are named first") {
    live_rows rows;
    rows.take(figures_of({{{1, 1}, 1, 10, 1, 10}, {{1, 2}, 1, 9000, 1, 10}, {{1, 3}, 1, 10, 1, 500}}), 1);
    CHECK(rows.unnamed(2) == std::vector<site_key>{{1, 2}, {1, 3}});
    CHECK(row_of(rows.table(sort_key::live, 10), "(not named yet)").figures.live_bytes == 520);
    rows.name({1, 2}, "big", "");
    CHECK(rows.unnamed(5) == std::vector<site_key>{{1, 3}, {1, 1}});
}

TEST_CASE("the view fits on the screen, whatever its size") {
    live_rows rows;
    std::vector<site_figures> sites;
    for (std::uint32_t i = 1; i != 60; ++i) {
        sites.push_back({{1, i}, 1e6 * i, 1e9 * i, 1e5 * i, 1e8 * i});
    }
    rows.take(figures_of(sites), 1.0);
    for (std::uint32_t i = 1; i != 60; ++i) {
        rows.name({1, i}, fmt::format("std::unordered_map<std::string, shop::order_number_{}>", i),
                  "order_book.cpp:1234");
    }
    const live_table table = rows.table(sort_key::live, 10);
    const std::vector<std::string> output(30, std::string(300, 'x'));
    for (const std::size_t width : {20u, 40u, 60u, 80u, 100u, 140u, 250u}) {
        for (const std::size_t height : {1u, 3u, 6u, 10u, 24u, 60u}) {
            CAPTURE(width);
            CAPTURE(height);
            const screen_text screen =
                lay_out("./shop " + std::string(200, 'a'), table, {}, output, width, height);
            CHECK(screen.lines.size() == height);
            for (const screen_line& line : screen.lines) {
                CHECK(line.text.size() <= width);
            }
            CHECK(screen.first_row + screen.rows <= table.rows.size());
        }
    }
    const auto heading = [&](std::size_t width) {
        const screen_text screen = lay_out("./shop", table, {}, {}, width, 40);
        const auto found =
            std::find_if(screen.lines.begin(), screen.lines.end(),
                         [](const screen_line& line) { return line.text.starts_with("type"); });
        REQUIRE(found != screen.lines.end());
        return found->text;
    };
    CHECK(heading(60).find("blocks") == std::string::npos);
    CHECK(heading(80).find("blocks") != std::string::npos);
    CHECK(heading(80).find("place") == std::string::npos);
    CHECK(heading(100).find("place") != std::string::npos);
}

TEST_CASE("what is an estimate is called one") {
    live_figures figures = figures_of({{{1, 1}, 4e6, 8e6, 10, 1000}});
    const auto texts_of = [](const live_figures& f) {
        live_rows rows;
        rows.take(f, 1.0);
        const live_table table = rows.table(sort_key::rate, 10);
        std::string all = one_line(table) + "\n";
        for (const screen_line& line : lay_out("x", table, {}, {}, 100, 20).lines) {
            all += line.text + "\n";
        }
        return all;
    };
    CHECK(texts_of(figures).find("estimated") == std::string::npos);
    CHECK(texts_of(figures).find("about") == std::string::npos);
    figures.one_chunk_in = 8;
    figures.error = 0.021;
    figures.is_estimated = true;
    const std::string text = texts_of(figures);
    CHECK(text.find("rates: estimated from 1 event in 8, within 2.1 %") != std::string::npos);
    CHECK(text.find("about 4.00 M in all") != std::string::npos);
    CHECK(text.find("1 s: about 4.00 M allocations/s") != std::string::npos);
    // Slower again: the rates are exact, the sum is not.
    figures.one_chunk_in = 1;
    CHECK(texts_of(figures).find("estimated") == std::string::npos);
    CHECK(texts_of(figures).find("about 4.00 M in all") != std::string::npos);
}

TEST_CASE("scrolling ends with the last row") {
    live_rows rows;
    std::vector<site_figures> sites;
    for (std::uint32_t i = 1; i != 31; ++i) {
        sites.push_back({{1, i}, 1.0 * i, 1.0 * i, 1, 1.0 * i});
    }
    rows.take(figures_of(sites), 1.0);
    for (std::uint32_t i = 1; i != 31; ++i) {
        rows.name({1, i}, fmt::format("type_{:02}", i), "");
    }
    view_choice choice;
    choice.first_row = 1000;
    const screen_text screen = lay_out("x", rows.table(sort_key::rate, 10), choice, {}, 80, 20);
    CHECK(screen.first_row == 30 - screen.rows);
    CHECK(screen.rows > 10);
    CHECK(std::any_of(screen.lines.begin(), screen.lines.end(),
                      [](const screen_line& line) { return line.text.starts_with("type_01"); }));
}

TEST_CASE("a line for a log names what is most and what grows") {
    live_rows rows;
    rows.take(figures_of({{{1, 1}, 1000, 8000, 0, 0}, {{1, 2}, 10, 10'240, 10, 10'240}}), 1);
    rows.name({1, 1}, "particle", "");
    rows.name({1, 2}, "node", "");
    const std::string line = one_line(rows.table(sort_key::rate, 10));
    CHECK(line ==
          "1 s: 1010 allocations/s, live 10.0 KiB in 10 blocks, +10.0 KiB in 1 s; most often particle "
          "(1000/s); grows node (+10.0 KiB)");
}

TEST_CASE("the program's last lines are plain text") {
    last_lines lines{3};
    lines.add("one\ntwo\r\nthr");
    lines.add("ee\n\033[1;31mred\033[0m\n");
    lines.add("\033]0;title\007 10 %\r 20 %\r 30 %");
    CHECK(lines.lines() == std::vector<std::string>{"two", "three", "red", " 30 %"});
    lines.add("\nab\bc\td\033]8;;x\033\\link\n");
    CHECK(lines.lines() == std::vector<std::string>{"red", " 30 %", "ac      dlink"});
}

} // namespace linn::tool::live_rows_tests
