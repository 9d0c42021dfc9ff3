// SPDX-License-Identifier: Apache-2.0
// Promise: the name of a type is as a user writes it, and different types have different names.
#include <linn/detail/core/type_name.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace linn_test_names {
struct packet {};
template <class T, int N>
struct box {};
} // namespace linn_test_names

namespace {

using linn::detail::type_name;

static_assert(type_name<int>() == "int");
static_assert(type_name<double>() == "double");
static_assert(type_name<const char*>().find("char") != std::string_view::npos);
static_assert(type_name<linn_test_names::packet>() == "linn_test_names::packet");

} // namespace

TEST_CASE("type_name: the name alone, also of templates and nested types") {
    const auto box = type_name<linn_test_names::box<linn_test_names::packet, 3>>();
    CHECK(box.substr(0, 20) == "linn_test_names::box");
    CHECK(box.find("packet") != std::string_view::npos);
    CHECK(box.back() == '>');
    CHECK(type_name<std::vector<int>>().find("vector<int") != std::string_view::npos);
}

TEST_CASE("type_name: different types, different names") {
    struct here {};
    CHECK(type_name<here>() != type_name<linn_test_names::packet>());
    CHECK(type_name<here>().find("here") != std::string_view::npos);
    CHECK(type_name<const int>() != type_name<int>());
}
