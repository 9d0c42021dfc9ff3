// SPDX-License-Identifier: Apache-2.0
// What linn lint makes of a command of a compile database: its words, and those that stay for Clang.
#include "lint/compile_commands.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace linn::tool::lint_commands_tests {

using words = std::vector<std::string>;

/// The words between the compiler and what is added.
words cleaned(words arguments) {
    arguments = clean_arguments({"/d/a.cpp", "/d", std::move(arguments)});
    REQUIRE(arguments.size() >= 3);
    CHECK(arguments.back() == "/d/a.cpp");
    CHECK(arguments[arguments.size() - 2] == "-fsyntax-only");
    return {arguments.begin() + 1, arguments.end() - 2};
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

TEST_CASE("what says which text is meant stays") {
    CHECK(cleaned({"g++", "-Ix", "-I", "y", "-DA=1", "-D", "B", "-UC", "-isystem", "z", "-isystemq",
                   "-std=c++20"}) ==
          words{"-Ix", "-I", "y", "-DA=1", "-D", "B", "-UC", "-isystem", "z", "-isystemq", "-std=c++20"});
    CHECK(cleaned({"g++", "-fno-exceptions", "-funsigned-char", "-m32", "-mavx512f", "-march=native",
                   "-fopenmp", "-O3"}) == words{"-fno-exceptions", "-funsigned-char", "-m32", "-mavx512f",
                                                "-march=native", "-fopenmp", "-O3"});
    CHECK(cleaned({"g++", "--sysroot=/s", "-nostdinc++", "-x", "c++"}) ==
          words{"--sysroot=/s", "-nostdinc++", "-x", "c++"});
}

TEST_CASE("what Clang refuses, or what would silence the checks, goes") {
    CHECK(cleaned({"g++", "-w", "-Wall", "-Werror=odd", "-pedantic-errors", "-fno-semantic-interposition",
                   "-fmodules-ts", "-fmodule-mapper=x", "-specs=y", "-fconcepts", "-mno-such"})
              .empty());
    CHECK(cleaned({"g++", "-o", "-I", "-MF", "-DX", "--param", "x=1", "-Xlinker", "-Iq", "other.o", "-c",
                   "/d/a.cpp"})
              .empty());
    CHECK(cleaned({"clang++", "-c", "-Xclang", "-include-pch", "-Xclang", "p", "-include-pch", "q", "-Werror",
                   "-fnew-thing"}) == words{"-fnew-thing"});
    CHECK(cleaned({"g++", "-Wp,-DX=1", "-Wp,-MD,x.d", "-Wl,-z"}) == words{"-DX=1"});
}

TEST_CASE("an argument without its value at the end does no harm") {
    for (const char* last : {"-I", "-o", "-Xclang", "-include", "@missing", "--", "-"}) {
        CHECK(cleaned({"g++", last}).empty());
    }
}

TEST_CASE("a launcher is no compiler") {
    CHECK(clean_arguments({"/d/a.cpp", "/d", {"/usr/bin/ccache", "g++", "-c"}}).front() == "g++");
    CHECK(clean_arguments({"/d/a.cpp", "/d", {"env", "A=b", "distcc", "arm-g++", "-c"}}).front() ==
          "arm-g++");
    CHECK(clean_arguments({"/d/a.cpp", "/d", {"ccache"}}).front() == "ccache");
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
