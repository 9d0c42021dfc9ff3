// SPDX-License-Identifier: Apache-2.0
// The change that is shown: the user's own line where there is one, a form where there is none.
#include "advise/snippet.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace linn::tool;

namespace {

advised_type type_at(remedy what, const std::string& name, const std::string& container,
                     const std::string& part, const std::string& rule, unsigned line) {
    advised_type t;
    t.what = what;
    t.rule = rule;
    t.part = part;
    t.name = t.named.type = name;
    t.container = t.named.container = container;
    advised_place place;
    place.frame = {"work()", "/src/app.cpp", line, 1, false};
    t.places.push_back(place);
    return t;
}

source_reader file(std::vector<std::string> lines) {
    return [lines](const std::string& name) -> std::optional<std::vector<std::string>> {
        CHECK(name == "/src/app.cpp");
        return lines;
    };
}

const source_reader no_file = [](const std::string&) { return std::nullopt; };

} // namespace

TEST_CASE("a container: the nearest line that declares one of that element") {
    const advised_type t =
        type_at(remedy::pooled_container, "std::pair<const int, shop::Order>",
                "std::unordered_map<int, shop::Order>", "linn::unordered_map<int, shop::Order>", "node", 5);
    CHECK(snippet_for(t, file({"#include <unordered_map>", "std::unordered_map<int, Customer> customers;",
                               "    std::unordered_map<int, Order> orders; // by number",
                               "// std::unordered_map<int, Order> old;", "    orders[i] = make();"})) ==
          "@@ app.cpp:3\n"
          "+ #include <linn/containers.hpp>\n"
          "- std::unordered_map<int, Order> orders; // by number\n"
          "+ linn::unordered_map<int, Order> orders; // by number\n");
    CHECK(snippet_for(t, no_file) == "+ #include <linn/containers.hpp>\n"
                                     "- std::unordered_map<int, shop::Order> name;\n"
                                     "+ linn::unordered_map<int, shop::Order> name;\n");
    // A line of another namespace's container, or of another element, is not touched.
    CHECK(snippet_for(t, file({"boost::unordered_map<int, Order> a;", "my_unordered_map<int, Order> b;",
                               "std::unordered_map<int, Orders> c;"}))
              .find("@@") == std::string::npos);
    CHECK(snippet_for(t, file({"using namespace std;", "unordered_map<int, Order> orders;"}))
              .find("+ linn::unordered_map<int, Order> orders;") != std::string::npos);
}

TEST_CASE("make_shared and make_unique") {
    const advised_type shared =
        type_at(remedy::make_shared, "net::Packet", "std::shared_ptr<net::Packet>", "", "make-shared", 1);
    CHECK(snippet_for(shared, file({"auto p = std::make_shared<net::Packet>(1);"})) ==
          "@@ app.cpp:1\n+ #include <linn/memory.hpp>\n- auto p = std::make_shared<net::Packet>(1);\n"
          "+ auto p = linn::make_shared<net::Packet>(1);\n");
    const advised_type unique =
        type_at(remedy::pooled_class, "Shape", "std::unique_ptr<Shape>", "", "make-unique", 9);
    CHECK(snippet_for(unique, no_file).find("+ auto p = linn::make_unique<Shape>(...);") !=
          std::string::npos);
    const advised_type block = type_at(remedy::make_shared, "control block of Packet",
                                       "std::shared_ptr<Packet>", "", "control-block", 1);
    CHECK(snippet_for(block, file({"std::shared_ptr<Packet> p(new Packet);"})) ==
          "+ #include <linn/memory.hpp>\n- std::shared_ptr<Packet> p{new Packet(...)};\n"
          "+ auto p = linn::make_shared<Packet>(...);\n");
}

TEST_CASE("a class gets a base") {
    const advised_type t = type_at(remedy::pooled_class, "geo::Circle", "", "", "class", 5);
    CHECK(snippet_for(t, file({"class Circle;", "class Circle : public Shape {", "};", "", "new Circle;"}))
              .find("- class Circle : public Shape {\n+ class Circle : public linn::pooled<Circle>, public "
                    "Shape {") != std::string::npos);
    CHECK(snippet_for(t, file({"struct Circle final {"}))
              .find("+ struct Circle final : linn::pooled<Circle> {") != std::string::npos);
    CHECK(snippet_for(t, file({"struct Circle {"})).find("+ struct Circle : linn::pooled<Circle> {") !=
          std::string::npos);
    CHECK(snippet_for(t, no_file) == "+ #include <linn/pooled.hpp>\n- struct Circle {\n"
                                     "+ struct Circle : linn::pooled<Circle> {\n");
}

TEST_CASE("for_overwrite keeps the standard's functions") {
    const advised_type t =
        type_at(remedy::for_overwrite, "Line", "std::shared_ptr<Line>", "", "zero-fill", 1);
    CHECK(snippet_for(t, file({"return std::make_shared<Line>();"})) ==
          "@@ app.cpp:1\n- return std::make_shared<Line>();\n+ return "
          "std::make_shared_for_overwrite<Line>();\n");
    CHECK(snippet_for(t, file({"return std::make_shared_for_overwrite<Line>();"})).find("@@") ==
          std::string::npos);
}

TEST_CASE("what needs no change shows none; every other remedy shows something") {
    for (const remedy what : {remedy::nothing, remedy::other_allocator})
        CHECK(snippet_for(type_at(what, "T", "", "", "", 1), no_file).empty());
    for (const remedy what :
         {remedy::pooled_container, remedy::pool_allocator, remedy::pooled_class, remedy::make_shared,
          remedy::for_overwrite, remedy::recycler, remedy::buffer_pool, remedy::pool_resource})
        CHECK_FALSE(snippet_for(type_at(what, "T", "std::list<T>", "x", "", 1), no_file).empty());
}

TEST_CASE("files that cannot be read, or should not be, are left alone") {
    const source_reader read = read_sources();
    CHECK_FALSE(read("").has_value());
    CHECK_FALSE(read("/no/such/file.cpp").has_value());
    CHECK_FALSE(read("/tmp").has_value());
    CHECK_FALSE(read("/dev/zero").has_value());
}
