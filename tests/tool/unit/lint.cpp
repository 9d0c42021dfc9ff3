// SPDX-License-Identifier: Apache-2.0
// What linn lint makes of a command of a compile database, of the facts of the plugin and of the files of clang-tidy: words, bytes,
// places, one finding a place, fixes that fit.
#include "lint/lint.hpp"

#include "scratch_folder.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace linn::tool::lint_tests {

using words = std::vector<std::string>;

/// The words behind the compiler and -w.
words for_clang(words arguments) {
    arguments = arguments_for_clang({"/d/a.cpp", "/d", std::move(arguments)});
    REQUIRE(arguments.size() >= 2);
    CHECK(arguments[1] == "-w");
    return {arguments.begin() + 2, arguments.end()};
}

TEST_CASE("words are split as a shell splits them") {
    CHECK(command_words("").empty());
    CHECK(command_words(" a\tb \n c ") == words{"a", "b", "c"});
    CHECK(command_words("'' \"\" x''") == words{"", "", "x"});
    CHECK(command_words(R"(-DA=\"b\" '-DC="d e"' "-DF=\"g\"")") ==
          words{"-DA=\"b\"", "-DC=\"d e\"", "-DF=\"g\""});
    CHECK(command_words(R"("a\b" "\\" 'a\b' a\ b)") == words{"a\\b", "\\", "a\\b", "a b"});
    CHECK(command_words("'open") == words{"open"});
    CHECK(command_words("end\\") == words{"end\\"});
}

TEST_CASE("an argument without its value at the end does no harm") {
    for (const char* last : {"-I", "-o", "-Xclang", "-include", "-include-pch", "@missing", "--", "-", ""}) {
        CHECK(for_clang({"g++", last}).size() <= 4);
    }
}

TEST_CASE("C++ is told by the extension, or by -x") {
    CHECK(is_cxx({"/d/a.cc", "/d", {"g++"}}));
    CHECK(is_cxx({"/d/a.C", "/d", {"g++"}}));
    CHECK_FALSE(is_cxx({"/d/a.c", "/d", {"gcc"}}));
    CHECK_FALSE(is_cxx({"/d/a.cu", "/d", {"nvcc"}}));
    CHECK(is_cxx({"/d/a.inc", "/d", {"g++", "-x", "c++"}}));
    CHECK(is_cxx({"/d/a.c", "/d", {"g++", "-xc++"}}));
    CHECK_FALSE(is_cxx({"/d/pch.hxx.cxx", "/d", {"g++", "-x", "c++-header"}}));
}

// As clang-tidy 19 writes it.
constexpr const char* yaml = R"(---
MainSourceFile:  '/p/a.cpp'
Diagnostics:
  - DiagnosticName:  linn-zero-fill
    DiagnosticMessage:
      Message:         '''std::make_shared<Line>'' fills 8388608 bytes with zeros'
      FilePath:        'src/a.cpp'
      FileOffset:      23
      Replacements:
        - FilePath:        'src/a.cpp'
          Offset:          28
          Length:          11
          ReplacementText: make_shared_for_overwrite
      Ranges:
        - FilePath:        'src/a.cpp'
          FileOffset:      23
          Length:          4
    Notes:
      - Message:         '''data'': 8388608 bytes'
        FilePath:        '/p/h.hpp'
        FileOffset:      10
        Replacements:    []
      - Message:         '{"bytes":8388608,"linn_finding":3,"class":"removable","members":[{"bytes":8388608,"name":"data"}],"per_element":false,"reason":"","what":"std::make_shared<Line>"}'
        FilePath:        'src/a.cpp'
        FileOffset:      23
        Replacements:    []
      - Message:         "no place: \u00e9\n"
        FilePath:        ''
        FileOffset:      0
        Replacements:    []
    Level:           Warning
    BuildDirectory:  '/p/build/..'
...
)";

std::string facts(const std::string& bytes, const char* what = "T", const char* version = "3",
                  const char* certainty = "removable") {
    return R"({"linn_finding":)" + std::string{version} + R"(,"class":")" + certainty + R"(","what":")" +
           what + R"(","bytes":)" + bytes + R"(,"per_element":false,"reason":"why","members":[]})";
}

tidy_diagnostic diagnostic(std::uint64_t bytes, std::vector<lint_replacement> fix, std::size_t offset = 0,
                           const std::string& file = "/nonexistent/a.cpp",
                           const char* certainty = "removable") {
    const std::string text = "zeros: " + std::to_string(bytes);
    return {"linn-zero-fill",
            "Warning",
            {text, file, offset, std::move(fix)},
            {{facts(std::to_string(bytes), "T", "3", certainty), file, offset, {}}}};
}

std::vector<lint_finding> collected(const std::vector<std::vector<tidy_diagnostic>>& units,
                                    bool is_whole = true) {
    finding_collector all;
    for (const auto& unit : units) {
        all.add(unit, is_whole, [](const std::string&) { return true; });
    }
    source_texts texts;
    return all.take(texts);
}

TEST_CASE("clang-tidy's file of fixes") {
    const auto list = read_tidy_report(yaml, "/elsewhere");
    REQUIRE(list.size() == 1);
    const tidy_diagnostic& d = list.front();
    CHECK(d.name == "linn-zero-fill");
    CHECK(d.message.file == "/p/src/a.cpp"); // from the build folder that it names
    CHECK(d.message.offset == 23);
    REQUIRE(d.message.fix.size() == 1);
    CHECK(d.message.fix[0] == lint_replacement{"/p/src/a.cpp", 28, 11, "make_shared_for_overwrite"});
    REQUIRE(d.notes.size() == 3);
    CHECK(d.notes[0].file == "/p/h.hpp");
    CHECK(d.notes[2].file.empty());
    const auto findings = collected({list});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].notes.size() == 2); // without the facts
    REQUIRE(findings[0].fill.members.size() == 1);
    CHECK(findings[0].fill.members[0].name == "data");
    CHECK(findings[0].fill.members[0].bytes == 8388608);
    CHECK(findings[0].fill.what == "std::make_shared<Line>");
}

TEST_CASE("a file of fixes that is none") {
    CHECK(read_tidy_report("", "/").empty());
    CHECK(read_tidy_report("---\nDiagnostics: []\n", "/").empty());
    for (const char* bad : {"a: [", "Diagnostics:\n  - x\n", "Diagnostics:\n  - DiagnosticName: a\n", "x"}) {
        CHECK_THROWS_AS(read_tidy_report(bad, "/"), linn::tool::damaged_input);
    }
}

TEST_CASE("one place is one finding, with the most bytes") {
    const auto findings =
        collected({{diagnostic(100, {}), diagnostic(300, {})}, {diagnostic(200, {}), diagnostic(300, {})}});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].fill.bytes == 300);
    CHECK(findings[0].units == 2);
}

TEST_CASE("a fix stays only where all agree on it, and where the file compiled") {
    const lint_replacement one{"/nonexistent/a.cpp", 0, 1, "x"};
    const lint_replacement two{"/nonexistent/a.cpp", 0, 1, "y"};
    CHECK(collected({{diagnostic(100, {one})}, {diagnostic(100, {one})}})[0].state == fix_state::offered);
    CHECK(collected({{diagnostic(100, {one})}, {diagnostic(100, {two})}})[0].state == fix_state::none);
    CHECK(collected({{diagnostic(100, {one})}, {diagnostic(200, {})}})[0].state == fix_state::none);
    CHECK(collected({{diagnostic(100, {one})}}, false)[0].state == fix_state::none);
}

TEST_CASE("notes that offer alternatives offer nothing") {
    const lint_replacement one{"/nonexistent/a.cpp", 0, 1, "x"};
    tidy_diagnostic d = diagnostic(100, {});
    d.notes.push_back({"first", "/nonexistent/a.cpp", 0, {one}});
    CHECK(collected({{d}})[0].state == fix_state::in_note);
    d.notes.push_back({"second", "/nonexistent/a.cpp", 0, {one}});
    CHECK(collected({{d}})[0].state == fix_state::none);
}

TEST_CASE("what one unit may rely upon is not removable") {
    const auto class_of = [](const char* one, const char* other) {
        const auto findings = collected({{diagnostic(300, {}, 1, "/nonexistent/a.cpp", one)},
                                         {diagnostic(200, {}, 1, "/nonexistent/a.cpp", other)}});
        REQUIRE(findings.size() == 1);
        CHECK(findings[0].fill.bytes == 300);
        return std::string{to_string(findings[0].fill.certainty)};
    };
    CHECK(class_of("removable", "relied upon") == "relied upon");
    CHECK(class_of("relied upon", "removable") == "relied upon");
    CHECK(class_of("cold", "removable") == "removable");
    CHECK(class_of("removable", "cold") == "removable");
    CHECK(class_of("relied upon", "cold") == "relied upon");
    CHECK(class_of("cold", "cold") == "cold");
}

TEST_CASE("lines and columns of a byte") {
    const testing::scratch_folder folder;
    const std::string file = folder.file("lines.cpp", "ab\r\n\xc3\xa9x\n").string();
    source_texts texts;
    CHECK(texts.place(file, 0).line == 1);
    CHECK(texts.place(file, 4).line == 2);
    CHECK(texts.place(file, 6).column == 3); // the é is two bytes
    CHECK(texts.line(file, 1) == "ab");
    CHECK(texts.line(file, 6) == "\xc3\xa9x");
    CHECK(texts.line(file, 99).empty());
    CHECK(texts.place(file, 99).line == 0);
    CHECK(texts.place("nowhere", 0).line == 0);
}

TEST_CASE("fixes are made wholly or not at all") {
    const auto file =
        std::filesystem::temp_directory_path() / ("linn-lint-unit-" + std::to_string(::getpid()));
    std::ofstream{file} << "abcdefgh";
    const std::string name = file.string();
    const auto later = std::filesystem::file_time_type::clock::now() + std::chrono::hours{1};
    const auto state_after = [&](std::vector<std::vector<lint_replacement>> fixes, auto read_at) {
        finding_collector all;
        std::vector<tidy_diagnostic> unit;
        for (std::size_t i = 0; i != fixes.size(); ++i) {
            unit.push_back(diagnostic(1000 - i, fixes[i], i, name));
        }
        all.add(unit, true, [](const std::string&) { return true; });
        source_texts texts;
        auto findings = all.take(texts);
        const auto changed = linn::tool::apply_fixes(findings, texts, false, read_at);
        std::string states;
        for (const lint_finding& f : findings) {
            states += f.state == fix_state::applied ? 'a' : f.state == fix_state::refused ? 'r' : '-';
        }
        return states + ' ' + (changed.empty() ? "unchanged" : changed.at(name));
    };
    const auto at = [&](std::size_t offset, std::size_t length, const char* text) {
        return lint_replacement{name, offset, length, text};
    };
    CHECK(state_after({{at(1, 2, "X")}, {at(5, 0, "YY")}}, later) == "aa aXdeYYfgh");
    CHECK(state_after({{at(1, 2, "X"), at(6, 1, "")}, {at(2, 2, "Z"), at(0, 1, "Q")}}, later) == "ar aXdefh");
    CHECK(state_after({{at(1, 1, "X")}, {at(1, 1, "X"), at(7, 1, "H")}}, later) == "aa aXcdefgH");
    CHECK(state_after({{at(1, 0, "X")}, {at(1, 0, "Y")}}, later) == "ar aXbcdefgh");
    CHECK(state_after({{at(7, 2, "X")}}, later) == "r unchanged");
    CHECK(state_after({{{"/other.hpp", 0, 1, "X"}}}, later) == "r unchanged");
    CHECK(state_after({{at(0, 1, "X")}}, later - std::chrono::hours{2}) ==
          "r unchanged"); // changed meanwhile
    std::filesystem::remove(file);
}

} // namespace linn::tool::lint_tests
