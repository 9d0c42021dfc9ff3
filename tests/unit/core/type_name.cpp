// SPDX-License-Identifier: Apache-2.0
// Promise: the name of a type is as a user writes it, and different types have different names.
#include "unit.hpp"

#include <linn/detail/core/type_name.hpp>

namespace core_type_name_tests {

struct packet {};
template <class T, int N>
struct box {};

using linn::detail::type_name;

static_assert(type_name<int>() == "int");
static_assert(type_name<double>() == "double");
static_assert(type_name<const char*>().find("char") != std::string_view::npos);
static_assert(type_name<packet>() == "core_type_name_tests::packet");

TEST_CASE("type_name: the name alone, also of templates and nested types") {
    const auto name = type_name<box<packet, 3>>();
    CHECK(name.starts_with("core_type_name_tests::box"));
    CHECK(name.find("packet") != std::string_view::npos);
    CHECK(name.back() == '>');
    CHECK(type_name<std::vector<int>>().find("vector<int") != std::string_view::npos);
}

TEST_CASE("type_name: different types, different names") {
    struct here {};
    CHECK(type_name<here>() != type_name<packet>());
    CHECK(type_name<here>().find("here") != std::string_view::npos);
    CHECK(type_name<const int>() != type_name<int>());
}

} // namespace core_type_name_tests
