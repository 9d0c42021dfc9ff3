// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace linn::tool;

namespace {

table example() {
    table t{{{"contender", "", true, 0},
             {"median", "insert", false, 0},
             {"ns", "insert", false, 2},
             {"median", "erase", false, 0},
             {"published", "", false, 1}}};
    t.add_row({"glibc", "366", "141", "166", "307/162"});
    t.add_row({"linn", "92", "35", "41", ""}, true);
    return t;
}

std::size_t widest(const std::string& text) {
    std::istringstream in{text};
    std::string line;
    std::size_t width = 0;
    while (std::getline(in, line))
        width = std::max(width, line.size());
    return width;
}

} // namespace

TEST_CASE("text stands left, numbers right, groups above their columns") {
    CHECK(example().render({100, false}) == "               insert   erase\n"
                                            "contender  median  ns  median  published\n"
                                            "----------------------------------------\n"
                                            "glibc         366 141     166    307/162\n"
                                            "linn           92  35      41\n");
}

TEST_CASE("a narrow table gives up its least important columns first") {
    const table t = example();
    CHECK(t.dropped({100}).empty());
    CHECK(t.dropped({38}) == std::vector<std::string>{"ns"});
    CHECK(t.dropped({30}) == std::vector<std::string>{"ns", "published"});
    CHECK(widest(t.render({38, false})) <= 38);
    CHECK(widest(t.render({30, false})) <= 30);
}

TEST_CASE("in a file no column is given up, and no heading is cut") {
    table t = example();
    t.add_heading("a heading that is wider than the terminal would be");
    const output_style file{30, false, true};
    CHECK(t.dropped(file).empty());
    CHECK(t.render(file) == t.render({100, false}));
    CHECK(t.render(file).find("published") != std::string::npos);
}

TEST_CASE("columns that may not be dropped stay") {
    CHECK(example().render({5, false}).find("contender") != std::string::npos);
}

TEST_CASE("escape codes appear only where colour is allowed") {
    CHECK(example().render({100, false}).find('\033') == std::string::npos);
    CHECK(example().render({100, true}).find('\033') != std::string::npos);
}

TEST_CASE("prose is broken at spaces") {
    CHECK(wrap("one two three", 7) == "one two\nthree");
    CHECK(wrap("one two three", 9, 2) == "one two\n  three");
    CHECK(wrap("unbreakable", 4) == "unbreakable");
}

TEST_CASE("a heading stands over its rows and widens nothing") {
    table t{{{"name", "", true, 0}, {"ns", "", false, 0}}};
    t.add_heading("a heading wider than all columns");
    t.add_row({"one", "1"});
    CHECK(t.render({100, false}) == "name  ns\n--------\na heading wider than all columns\none    1\n");
    CHECK(widest(t.render({10, false})) <= 10);
}

TEST_CASE("a text that is too long is cut between two letters") {
    CHECK(cut_text("abcdef", 6) == "abcdef");
    CHECK(cut_text("abcdef", 5) == "ab...");
    CHECK(cut_text("aé…", 6) == "aé…");
    CHECK(cut_text("éé…", 6) == "é..."); // one byte more would be half of the second é
    CHECK(cut_text("abcdef", 2) == "...");
}
