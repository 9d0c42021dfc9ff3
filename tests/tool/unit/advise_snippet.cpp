// SPDX-License-Identifier: Apache-2.0
// The change that is shown: the user's own line where there is one, a form where there is none. That changes compile, of aggregates
// and of class templates too: tool.advise.changes_compile.
#include "advise/advice.hpp"
#include "unit.hpp"

namespace linn::tool::advise_snippet_tests {

advised_type type_at(remedy what, const std::string& name, const std::string& container,
                     const std::string& part, const std::string& rule, unsigned line) {
    advised_type t;
    t.what = what;
    t.rule = rule;
    t.use = {part, part, "use " + part};
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

/// The same with its class declared in a line of the file.
advised_type declared_at(advised_type t, unsigned line) {
    t.named.declared = {"/src/app.cpp", line, false};
    return t;
}

const source_reader no_file = [](const std::string&) { return std::nullopt; };

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
    CHECK(snippet_for(t, no_file).empty()); // no declaration, no change
    // Another container of the same element is not the one to change.
    const advised_type keyed = type_at(
        remedy::pooled_container, "std::pair<const shop::Name* const, shop::Order*>",
        "std::map<const shop::Name*, shop::Order*>", "linn::map<const shop::Name*, shop::Order*>", "node", 2);
    CHECK(snippet_for(keyed, file({"typedef std::map<std::string, Order *> by_text;", "f();"})).empty());
    CHECK(snippet_for(keyed, file({"typedef std::map<std::string, Order *> by_text;", "f();", "f();", "f();",
                                   "typedef std::map<const Name *, Order *> by_name;"}))
              .find("- typedef std::map<const Name *, Order *> by_name;") != std::string::npos);
    // A line of another namespace's container, or of another element, is not touched.
    CHECK(snippet_for(t, file({"boost::unordered_map<int, Order> a;", "my_unordered_map<int, Order> b;",
                               "std::unordered_map<int, Orders> c;"}))
              .find("@@") == std::string::npos);
    CHECK(snippet_for(t, file({"using namespace std;", "unordered_map<int, Order> orders;"}))
              .find("+ linn::unordered_map<int, Order> orders;") != std::string::npos);
    // Arguments that are built in or of std tell containers apart too, wherever they stand in the line.
    const advised_type counts = type_at(remedy::pooled_container, "std::pair<const int, unsigned long>",
                                        "std::map<int, unsigned long>", "", "node", 4);
    CHECK(snippet_for(counts, file({"std::map<int, std::size_t>::iterator i;", "f();",
                                    "std::map<std::string, double> w; std::map<int,std::size_t> counts;",
                                    "std::map<int, std::string> names; // std::map<int, unsigned long>"}))
              .ends_with("+ std::map<std::string, double> w; linn::map<int,std::size_t> counts;\n"));
    CHECK(snippet_for(counts, file({"std::map<std::string, double> weights;", "std::map<int, long> m;"}))
              .empty());
}

/// The operators that a class gets in its body.
std::string operators(const std::string& word) {
    const std::string pooled = "linn::pooled<" + word + ">";
    return "+     static void* operator new(std::size_t bytes) { return " + pooled +
           "::operator new(bytes); }\n"
           "+     static void* operator new(std::size_t, void* place) noexcept { return place; }\n"
           "+     static void operator delete(void* block, std::size_t bytes) { " +
           pooled + "::operator delete(block, bytes); }\n";
}

TEST_CASE("make_shared and make_unique") {
    const advised_type shared =
        type_at(remedy::make_shared, "net::Packet", "std::shared_ptr<net::Packet>", "", "make-shared", 1);
    CHECK(snippet_for(shared, file({"auto p = std::make_shared<net::Packet>(1);"})) ==
          "@@ app.cpp:1\n+ #include <linn/memory.hpp>\n- auto p = std::make_shared<net::Packet>(1);\n"
          "+ auto p = linn::make_shared<net::Packet>(1);\n");
    const advised_type unique =
        type_at(remedy::pooled_class, "Shape", "std::unique_ptr<Shape>", "", "make-unique", 9);
    // linn::make_unique returns another type than std::make_unique, so the class takes the pool along: the function may
    // return a pointer to a base.
    CHECK(snippet_for(declared_at(unique, 1), file({"struct Shape {", "};", "", "std::unique_ptr<base> f() {",
                                                    "    return std::make_unique<Shape>(1);"})) ==
          "@@ app.cpp:1\n+ #include <linn/pooled.hpp>\n- struct Shape {\n+ struct Shape : "
          "linn::pooled<Shape> {\n");
    CHECK(snippet_for(unique, file({"return std::make_unique<Shape>(1);"})) ==
          "+ #include <linn/memory.hpp>\n- std::unique_ptr<Shape> p = std::make_unique<Shape>(...);\n"
          "+ linn::unique_ptr<Shape> p = linn::make_unique<Shape>(...);\n");
    const advised_type block = type_at(remedy::make_shared, "control block of Packet",
                                       "std::shared_ptr<Packet>", "", "control-block", 1);
    CHECK(snippet_for(declared_at(block, 3), file({"std::shared_ptr<Packet> p(new Packet);"})) ==
          "+ #include <linn/memory.hpp>\n- std::shared_ptr<Packet> p{new Packet(...)};\n"
          "+ auto p = linn::make_shared<Packet>(...);\n");
    // The call makes another type, from one of these, or one block of both.
    CHECK(snippet_for(shared, file({"auto p = std::make_shared<Logger>(Packet{});",
                                    "auto q = std::make_shared<std::vector<net::Packet>>();"}))
              .empty());
    CHECK(snippet_for(block, file({"auto p = std::make_shared<Packet>();"})).empty());
}

TEST_CASE("a class gets a base, where the debug information says that it is declared") {
    const advised_type t = type_at(remedy::pooled_class, "geo::Circle", "", "", "class", 5);
    CHECK(snippet_for(declared_at(t, 2),
                      file({"class Circle;", "class Circle : public Shape {", "};", "", "new Circle;"})) ==
          "@@ app.cpp:2\n+ #include <linn/pooled.hpp>\n- class Circle : public Shape {\n"
          "+ class Circle : public Shape {\n+ public:\n" +
              operators("Circle") + "+ private:\n");
    CHECK(snippet_for(declared_at(t, 1), file({"struct Circle final", "    : Shape", "{", "};"})) ==
          "@@ app.cpp:3\n+ #include <linn/pooled.hpp>\n- {\n+ {\n" + operators("Circle"));
    CHECK(snippet_for(declared_at(t, 1), file({"struct geo::Circle", "{", "};"}))
              .ends_with("- {\n+ {\n" + operators("Circle")));
    CHECK(snippet_for(declared_at(t, 1), file({"struct Circle final {"}))
              .find("+ struct Circle final : linn::pooled<Circle> {") != std::string::npos);
    CHECK(snippet_for(declared_at(t, 1), file({"struct API(1) Circle {"}))
              .find("+ struct API(1) Circle : linn::pooled<Circle> {") != std::string::npos);
    // Another line than the one that declares it, a file that is not there or has changed: nothing is made up.
    CHECK(snippet_for(t, file({"struct Circle {"})).empty());
    CHECK(snippet_for(declared_at(t, 1), file({"struct Circles {"})).empty());
    CHECK(snippet_for(declared_at(t, 1), file({"void draw(struct Circle* c);"})).empty());
    CHECK(snippet_for(declared_at(t, 9), file({"struct Circle {"})).empty());
    CHECK(snippet_for(declared_at(t, 1), no_file).empty());
}

TEST_CASE("no change is shown of C, of the standard library, of a library's header") {
    advised_type t =
        declared_at(type_at(remedy::pooled_class, "node", "", "linn::pool<node>", "class", 1), 1);
    CHECK_FALSE(snippet_for(t, file({"struct node {"})).empty());
    t.named.declared.is_c = true;
    CHECK(snippet_for(t, file({"struct node {"})).empty());
    t.named.declared = {"/usr/include/lib/node.hpp", 1, false};
    CHECK(snippet_for(t, file({"struct node {"})).empty());
    t = declared_at(type_at(remedy::recycler, "std::string", "", "", "", 1), 1);
    CHECK(snippet_for(t, no_file).empty());
    t = type_at(remedy::buffer_pool, "char", "std::vector<char>", "", "", 1);
    CHECK_FALSE(snippet_for(t, no_file).empty());
    t.named.is_c = true;
    CHECK(snippet_for(t, no_file).empty());
}

TEST_CASE("a class template that takes an allocator is named with Linn's") {
    advised_type t = type_at(remedy::pool_allocator, "std::string", "", "", "allocator-parameter", 1);
    t.named.takes_allocator = "nlohmann::basic_json<std::map, std::vector, std::string, bool, long, unsigned "
                              "long, double, std::allocator, "
                              "nlohmann::adl_serializer, std::vector<unsigned char>>";
    CHECK(snippet_for(t, no_file) == "+ #include <linn/allocator.hpp>\n"
                                     "+ using pooled_basic_json = nlohmann::basic_json<std::map, "
                                     "std::vector, std::string, bool, long, unsigned long, double, "
                                     "linn::allocator, nlohmann::adl_serializer, "
                                     "std::vector<unsigned char>>;\n");
    t.named.takes_allocator = "own::ring<own::value, std::allocator<own::value>, 8>";
    CHECK(snippet_for(t, no_file) ==
          "+ #include <linn/allocator.hpp>\n"
          "+ using pooled_ring = own::ring<own::value, linn::allocator<own::value>, 8>;\n");
}

TEST_CASE("where the objects are worth huge pages, the change asks for them") {
    const auto huge = [](advised_type t) {
        t.wants_huge_pages = true;
        return t;
    };
    const std::string alias =
        "+ template <class T>\n"
        "+ using huge_page_allocator = linn::allocator<T, std::allocator<T>, {.huge_pages = true}>;\n";
    // A container has no place for it: the option stands in the sentence alone.
    const advised_type list =
        huge(type_at(remedy::pooled_container, "shop::Order", "std::list<shop::Order>", "", "node", 1));
    CHECK(snippet_for(list, file({"static std::list<Order> orders;"}))
              .ends_with("+ static linn::list<Order> orders;\n"));
    CHECK(huge_pages_text(list).find("an argument of linn::allocator") != std::string::npos);
    const advised_type circle = huge(type_at(remedy::pooled_class, "geo::Circle", "", "", "class", 5));
    CHECK(snippet_for(declared_at(circle, 1), file({"struct Circle {"}))
              .ends_with("+ struct Circle : linn::pooled<Circle, {.huge_pages = true}> {\n"));
    const advised_type shared = huge(
        type_at(remedy::make_shared, "net::Packet", "std::shared_ptr<net::Packet>", "", "make-shared", 1));
    CHECK(snippet_for(shared, file({"auto p = std::make_shared<net::Packet>(1);"})) ==
          "@@ app.cpp:1\n+ #include <linn/memory.hpp>\n"
          "+ template <> // after the class, before its first use\n"
          "+ inline constexpr linn::pool_options linn::default_options<net::Packet>{.huge_pages = true};\n"
          "- auto p = std::make_shared<net::Packet>(1);\n+ auto p = linn::make_shared<net::Packet>(1);\n");
    const advised_type block =
        huge(type_at(remedy::pooled_class, "Node", "", "linn::pool<Node>", "uniform-block", 1));
    CHECK(snippet_for(declared_at(block, 1), no_file)
              .find("linn::pool<Node, {.huge_pages = true}>::create(...)") != std::string::npos);
    advised_type ring =
        huge(type_at(remedy::pool_allocator, "std::string", "", "", "allocator-parameter", 1));
    ring.named.takes_allocator = "own::ring<own::value, std::allocator<own::value>, 8>";
    CHECK(snippet_for(ring, no_file) ==
          "+ #include <linn/allocator.hpp>\n" + alias +
              "+ using pooled_ring = own::ring<own::value, huge_page_allocator<own::value>, 8>;\n");
}

TEST_CASE("a library's header is not changed, wherever the call stands in it") {
    for (const char* header :
         {"/usr/include/boost/x.hpp", "/src/deps/boost/graph/adjacency_list.hpp",
          "/src/build/_deps/x-src/x.hpp", "/src/vcpkg_installed/x64-linux/include/x.h"}) {
        advised_type t =
            type_at(remedy::make_shared, "Packet", "std::shared_ptr<Packet>", "", "make-shared", 1);
        t.places.front().frame.file = header;
        const auto read = [](const std::string&) {
            return std::optional{std::vector<std::string>{"auto p = std::make_shared<Packet>();"}};
        };
        CHECK(snippet_for(t, read).empty());
        t.places.front().frame.file = "/src/boost.cpp";
        CHECK_FALSE(snippet_for(t, read).empty());
    }
}

TEST_CASE("files that cannot be read, or should not be, are left alone") {
    CHECK_FALSE(read_source("").has_value());
    CHECK_FALSE(read_source("/no/such/file.cpp").has_value());
    CHECK_FALSE(read_source("/tmp").has_value());
    CHECK_FALSE(read_source("/dev/zero").has_value());
}

} // namespace linn::tool::advise_snippet_tests
