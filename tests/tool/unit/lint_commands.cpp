// SPDX-License-Identifier: Apache-2.0
// What linn lint makes of a command of a compile database: its words, and those that Clang gets.
#include "lint/compile_commands.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace linn::tool::lint_commands_tests {

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

TEST_CASE("what is another compiler's goes, and the rest stays") {
    const words usual{"-Ix", "-D", "B", "-isystem", "z", "-std=c++20", "-Werror", "-c", "a.cpp"};
    words given = usual;
    given.insert(given.begin(), "g++");
    CHECK(for_clang(given) == usual);
    CHECK(for_clang({"clang++", "-Xclang", "-include-pch", "-Xclang", "p", "-include-pch", "q", "-c"}) ==
          words{"-c"});
    CHECK(for_clang({"g++", "-fplugin=p", "-fmodule-mapper=m", "-Wp,-MD,x.d", "-c"}) == words{"-c"});
    const words forced{"-Xclang", "-include", "-Xclang", "h.hpp"};
    CHECK(for_clang({"g++", "-include", "h.hpp"}) == forced);
    CHECK(for_clang({"g++", "-includeh.hpp"}) == forced);
}

TEST_CASE("an argument without its value at the end does no harm") {
    for (const char* last : {"-I", "-o", "-Xclang", "-include", "-include-pch", "@missing", "--", "-", ""}) {
        CHECK(for_clang({"g++", last}).size() <= 4);
    }
}

TEST_CASE("a launcher is no compiler") {
    CHECK(arguments_for_clang({"/d/a.cpp", "/d", {"/usr/bin/ccache", "g++", "-c"}}).front() == "g++");
    CHECK(arguments_for_clang({"/d/a.cpp", "/d", {"env", "A=b", "distcc", "arm-g++", "-c"}}).front() ==
          "arm-g++");
    CHECK(arguments_for_clang({"/d/a.cpp", "/d", {"ccache"}}).front() == "ccache");
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

} // namespace linn::tool::lint_commands_tests
