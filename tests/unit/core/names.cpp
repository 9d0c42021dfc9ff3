// SPDX-License-Identifier: Apache-2.0
// Promise: different types have different names, and names in tables and reports are those that people write,
// on both compilers and both standard libraries; names that are not recognised stay whole.
#include "unit.hpp"

#include <linn/containers.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/statistics.hpp>

struct nice_order {
    int id;
};

namespace core_names_tests {

using linn::detail::readable_name;
using linn::detail::type_name;

struct packet {};
template <class T, int N>
struct box {};

static_assert(type_name<int>() == "int");
static_assert(type_name<double>() == "double");
static_assert(type_name<const char*>().find("char") != std::string_view::npos);
static_assert(type_name<packet>() == "core_names_tests::packet");

TEST_CASE("type_name: the name alone, also of templates and nested types") {
    const auto name = type_name<box<packet, 3>>();
    CHECK(name.starts_with("core_names_tests::box"));
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

template <class T>
std::string name_of() {
    return readable_name(type_name<T>());
}

TEST_CASE("readable_name: of real types, as this compiler writes them") {
    CHECK(name_of<nice_order>() == "nice_order");
    CHECK(name_of<std::string>() == "std::string");
    CHECK(name_of<std::vector<std::string>>() == "std::vector<std::string>");
    CHECK(name_of<std::map<std::string, std::vector<int>>>() == "std::map<std::string, std::vector<int>>");
    CHECK(name_of<linn::list<std::string>>().find("std::list<std::string") == 0);
}

TEST_CASE("readable_name: of names as other compilers write them") {
    CHECK(readable_name("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >") ==
          "std::string");
    CHECK(readable_name("std::__1::basic_string<char>") == "std::string");
    CHECK(readable_name("std::pair<const int, std::__cxx11::basic_string<char> >") ==
          "std::pair<const int, std::string>");
    CHECK(readable_name("std::map<int, a, std::less<int>, std::allocator<std::pair<const int, a> > >") ==
          "std::map<int, a>");
    CHECK(readable_name(
              "std::unordered_set<a::b, std::hash<a::b>, std::equal_to<a::b>, std::allocator<a::b>>") ==
          "std::unordered_set<a::b>");
    CHECK(readable_name("std::_Sp_counted_ptr_inplace<order, std::allocator<void>, __gnu_cxx::_S_atomic>") ==
          "std::_Sp_counted_ptr_inplace<order>");
    CHECK(readable_name("{anonymous}::item<3>") == "item<3>");
    CHECK(readable_name("(anonymous namespace)::item") == "item");
}

TEST_CASE("readable_name: keeps what it does not know") {
    for (const std::string_view name :
         {"int", "", "std::allocator<int>", "std::less<a>", "my::allocator<int>", "f<a, my_std::less<int>>",
          "void (*)(int, char)", "a<b<c, d>, e>", "lambda(int, std::string)"}) {
        CHECK(readable_name(name) == name);
    }
    // Cut off in the middle: no more is taken away than is there.
    CHECK(readable_name("std::map<int, std::less<int") == "std::map<int");
}

TEST_CASE("readable_name: in tables and reports, while JSON has the whole name") {
    linn::pool_statistics s;
    s.type = "std::pair<const int, std::__cxx11::basic_string<char> >";
    CHECK(linn::to_table({s}).find("  std::pair<const int, std::string>\n") != std::string::npos);
    CHECK(linn::to_json(s).find("std::pair<const int, std::__cxx11::basic_string<char> >") !=
          std::string::npos);
}

TEST_CASE("readable_name: what is left out of names is not left out of the middle of words") {
    std::string text = "std::a mystd::b std::c";
    linn::detail::replace_all(text, "std::", "");
    CHECK(text == "a mystd::b c");
}

} // namespace core_names_tests
