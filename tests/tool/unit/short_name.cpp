// SPDX-License-Identifier: Apache-2.0
// What goes first where a name is shortened. That it fits, and differs where the types do: the fuzz target `type_name`.
#include "symbols/short_name.hpp"

#include "unit.hpp"

namespace linn::tool::short_name_tests {

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

TEST_CASE("the instantiations of a class template are one family; those of the standard library's are not") {
    CHECK(template_family("CGAL::Lazy_rep_n<CGAL::Point<double>, 1>") == "CGAL::Lazy_rep_n<...>");
    CHECK(template_family("std::list<geo::node<int, 3>>") == "std::list<geo::node<...>>");
    CHECK(template_family("std::list<int>") == "std::list<int>");
    CHECK(template_family("geo::tree<std::list<int>, long>::node<int>") == "geo::tree<...>::node<...>");
    CHECK(template_family("Particle") == "Particle");
}

} // namespace linn::tool::short_name_tests
