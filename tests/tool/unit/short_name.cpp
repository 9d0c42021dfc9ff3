// SPDX-License-Identifier: Apache-2.0
// Names that fit: shortened from the inside, different where the types are. The fuzz target `type_name` has all other texts.
#include "symbols/short_name.hpp"

#include "unit.hpp"

namespace linn::tool::short_name_tests {

TEST_CASE("what fits stays as it is") {
    CHECK(short_type("std::list<Particle>", 19) == "std::list<Particle>");
    CHECK(short_type("", 10).empty());
}

TEST_CASE("the innermost arguments go first, then namespaces, then arguments, then the rest") {
    const std::string type = "std::map<std::string, geo::mesh::vertex<geo::point<double, 3>, geo::tag>>";
    CHECK(short_type(type, 72) == "std::map<std::string, geo::mesh::vertex<geo::point<...>, geo::tag>>");
    CHECK(short_type(type, 50) == "std::map<std::string, geo::mesh::vertex<...>>");
    CHECK(short_type(type, 40) == "std::map<string, vertex<...>>");
    CHECK(short_type(type, 22) == "std::map<...>");
    CHECK(short_type(type, 10) == "map<...>");
    CHECK(short_type(type, 7) == "map<...");
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

} // namespace linn::tool::short_name_tests
