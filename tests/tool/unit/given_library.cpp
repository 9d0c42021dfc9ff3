// SPDX-License-Identifier: Apache-2.0
#include "allocators/given_library.hpp"

#include "unit.hpp"

namespace linn::tool::given_library_tests {

TEST_CASE("a library is a name and a path, which may hold another equals sign") {
    user_allocators list;
    CHECK(take_library("mine=/lib/x=1.so", {"glibc"}, list) == "");
    REQUIRE(list.size() == 1);
    CHECK(list[0].first == "mine");
    CHECK(list[0].second == "/lib/x=1.so");
}

TEST_CASE("what is no name and path is refused, and so is a name that is taken") {
    user_allocators list{{"mine", "/a.so"}};
    for (const char* text : {"mine", "=x", "mine=", ""}) {
        CHECK(take_library(text, {}, list).find("must be NAME=PATH") != std::string::npos);
    }
    CHECK(take_library("glibc=/b.so", {"glibc"}, list) ==
          "--allocator cannot replace 'glibc'; give the library another name");
    CHECK(take_library("mine=/b.so", {}, list) ==
          "--allocator names two libraries 'mine'; give one of them another name");
    CHECK(list.size() == 1);
}

TEST_CASE("a name that a list of names could not hold is refused") {
    user_allocators list;
    for (const char* text : {"a,b=/x.so", "a b=/x.so", "a\tb=/x.so"}) {
        CHECK(take_library(text, {}, list).find("no spaces and no commas") != std::string::npos);
    }
    CHECK(list.empty());
}

} // namespace linn::tool::given_library_tests
