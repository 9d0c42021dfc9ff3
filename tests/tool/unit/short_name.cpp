// SPDX-License-Identifier: Apache-2.0
// Names that fit: shortened from the inside, different where the types are, and no text that comes out of a file ends
// the program.
#include "symbols/short_name.hpp"

#include "symbols/cxx_name.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace linn::tool::short_name_tests {

TEST_CASE("what fits stays as it is") {
    CHECK(short_type("std::list<Particle>", 19) == "std::list<Particle>");
    CHECK(short_type("", 10).empty());
}

TEST_CASE("the innermost arguments go first, then namespaces, then arguments, then the rest") {
    const std::string type = "std::map<std::string, geo::mesh::vertex<geo::point<double, 3>, geo::tag>>";
    CHECK(short_type(type, 72) == "std::map<std::string, geo::mesh::vertex<geo::point<...>, geo::tag>>");
    CHECK(short_type(type, 50) == "std::map<std::string, geo::mesh::vertex<...>>");
    CHECK(short_type(type, 40) == "std::map<std::string, vertex<...>>");
    CHECK(short_type(type, 30) == "std::map<string, vertex<...>>");
    CHECK(short_type(type, 22) == "std::map<string, ...>");
    CHECK(short_type(type, 20) == "std::map<...>");
    CHECK(short_type(type, 10) == "std::ma...");
    CHECK(short_type("std::map<std::string, nlohmann::json>", 22) == "std::map<string, json>");
    CHECK(short_type("CGAL::Lazy_rep_n<CGAL::Point<double>, 1>", 21) == "CGAL::Lazy_rep_n<...>");
    CHECK(short_type("CGAL::Lazy_rep_n<CGAL::Point<double>, 1>", 16) == "Lazy_rep_n<...>");
}

TEST_CASE("names that differ stay different") {
    const std::vector<std::string> types{
        "CGAL::Lazy_rep_n<CGAL::Point_2<CGAL::Simple_cartesian<double>>, CGAL::Construct_point, false>",
        "CGAL::Lazy_rep_n<CGAL::Point_2<CGAL::Simple_cartesian<double>>, CGAL::Construct_vector, false>",
        "CGAL::Lazy_rep_n<CGAL::Point_2<CGAL::Simple_cartesian<double>>, CGAL::Construct_segment, false>",
        "int"};
    for (const std::size_t width : {12U, 20U, 22U, 40U, 60U, 200U}) {
        const std::vector<std::string> names = short_types(types, width);
        CHECK(std::set<std::string>(names.begin(), names.end()).size() == types.size());
        for (const std::string& name : names) {
            CHECK(name.size() <= width);
        }
    }
    CHECK(short_types({"a::b<int>", "a::b<int>"}, 4) ==
          std::vector<std::string>{"b...", "b..."}); // one type twice
}

TEST_CASE("the instantiations of a class template are one family; those of the standard library's are not") {
    CHECK(template_family("CGAL::Lazy_rep_n<CGAL::Point<double>, 1>") == "CGAL::Lazy_rep_n<...>");
    CHECK(template_family("std::list<geo::node<int, 3>>") == "std::list<geo::node<...>>");
    CHECK(template_family("std::list<int>") == "std::list<int>");
    CHECK(template_family("geo::tree<std::list<int>, long>::node<int>") == "geo::tree<...>::node<...>");
    CHECK(template_family("Particle") == "Particle");
}

std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> pieces{"<",
                                                 ">",
                                                 "(",
                                                 ")",
                                                 "[",
                                                 "]",
                                                 "{",
                                                 "}",
                                                 ",",
                                                 ", ",
                                                 "::",
                                                 ":",
                                                 " ",
                                                 "*",
                                                 "&",
                                                 "-",
                                                 "->",
                                                 "operator",
                                                 "operator<",
                                                 "operator()",
                                                 "std",
                                                 "std::",
                                                 "__cxx11::",
                                                 "allocator",
                                                 "basic_string",
                                                 "char",
                                                 "const",
                                                 " const",
                                                 "unsigned",
                                                 "nlohmann::basic_json",
                                                 "(anonymous namespace)",
                                                 "{lambda(int)#1}",
                                                 "[abi:cxx11]",
                                                 "_abi_v1",
                                                 "decltype",
                                                 "$_1",
                                                 "(lambda at /a/b.cpp:1:2)",
                                                 "A",
                                                 "b",
                                                 "7",
                                                 "\xff",
                                                 std::string(1, '\0'),
                                                 "struct ",
                                                 "<unnamed>",
                                                 "12ul",
                                                 "..."};
    std::string text;
    for (std::size_t left = random() % 40; left > 0; --left) {
        text += pieces[random() % pieces.size()];
    }
    return text;
}

/// Calls all that takes a name apart; what comes out is of no interest.
void take_apart(const std::string& text) {
    (void)readable_type(text);
    (void)readable_function(text);
    (void)without_parameters(text);
    (void)template_arguments(text);
    (void)without_qualifiers(text);
    (void)demangle(text);
    (void)demangle_type(text);
    (void)template_family(text);
    for (const std::size_t width : {0U, 1U, 5U, 24U}) {
        CHECK(short_type(text, width).size() <=
              std::max<std::size_t>(width, text.size() <= width ? text.size() : 0));
    }
}

TEST_CASE("no text that a file may hold as a name ends the program") {
    std::mt19937 random(20261122);
    std::vector<std::string> rows;
    for (int i = 0; i < 5000; ++i) {
        rows.push_back(random_text(random));
        take_apart(rows.back());
    }
    rows.resize(60);
    for (const std::string& name : short_types(rows, 24)) {
        CHECK(name.size() <= 24);
    }
}

TEST_CASE("names nested deeper than any compiler nests them are cut, not followed") {
    for (const char* one : {"a<", "std::vector<", "(", "a::b<c, ", "[", "{", "operator<"}) {
        std::string text;
        while (text.size() < 3000) {
            text += one;
        }
        take_apart(text);
        take_apart(text + "int" + std::string(1000, '>'));
    }
}

} // namespace linn::tool::short_name_tests
