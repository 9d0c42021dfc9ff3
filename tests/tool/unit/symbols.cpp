// SPDX-License-Identifier: Apache-2.0
// Names as compilers and demanglers spell them, made readable, and short where there is little room: types are keys of the whole
// advice, and two spellings of one type must become one. What stands in a block of the node of a container, for both standard
// libraries; and what a line of source allocates.
#include "symbols/call_chain.hpp"
#include "symbols/cxx_name.hpp"
#include "symbols/symbolizer.hpp"
#include "unit.hpp"

namespace linn::tool::symbols_tests {

TEST_CASE("default arguments and inline namespaces of the standard library disappear") {
    CHECK(readable_type("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >") ==
          "std::string");
    CHECK(readable_type(
              "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>") ==
          "std::string");
    CHECK(readable_type("std::unordered_map<int, Order, std::hash<int>, std::equal_to<int>, "
                        "std::allocator<std::pair<int const, Order> > >") ==
          "std::unordered_map<int, Order>");
    CHECK(readable_type("std::priority_queue<int, std::vector<int>, std::less<int> >") ==
          "std::priority_queue<int>");
    CHECK(readable_type("std::unique_ptr<Shape, std::default_delete<Shape> >") == "std::unique_ptr<Shape>");
}

TEST_CASE("what is not the default stays") {
    CHECK(
        readable_type("std::map<int, int, std::greater<int>, std::allocator<std::pair<int const, int> > >") ==
        "std::map<int, int, std::greater<int>>");
    CHECK(readable_type("std::vector<int, my::arena<int> >") == "std::vector<int, my::arena<int>>");
}

TEST_CASE("a container of std::pmr is named as one") {
    CHECK(readable_type("std::vector<int, std::pmr::polymorphic_allocator<int> >") ==
          "std::pmr::vector<int>");
    CHECK(readable_type(
              "std::map<int, long, std::less<int>, std::pmr::polymorphic_allocator<std::pair<int const, "
              "long> > >") == "std::pmr::map<int, long>");
}

TEST_CASE("both compilers' spellings of one type are one") {
    CHECK(readable_type("std::pair<int const, Order>") == readable_type("std::pair<const int, Order>"));
    CHECK(readable_type("long unsigned int") == readable_type("unsigned long"));
    CHECK(readable_type("std::array<long unsigned int, 10>") ==
          readable_type("std::array<unsigned long, 10ul>"));
    CHECK(readable_type("{anonymous}::reading") == readable_type("(anonymous namespace)::reading"));
    CHECK(readable_type("std::function<int (int)>") == readable_type("std::function<int(int)>"));
    CHECK(readable_type("char const*") == "const char*");
    CHECK(readable_type("char* const") == "char* const");
    CHECK(readable_type("void (*)(int)") == "void (*)(int)");
}

TEST_CASE("lambdas keep what tells them apart, and lose the path of their file") {
    CHECK(readable_type("work(int)::{lambda(int)#1}") == "work::{lambda(int)#1}");
    CHECK(readable_type("work(int)::<lambda(int)>") == "work::<lambda(int)>");
    CHECK(readable_type("(lambda at /home/a b/x.cpp:1:2)") == "(lambda at x.cpp:1:2)");
    CHECK(readable_type("run()::$_0") == "run::{lambda #1}");
}

TEST_CASE("a function loses its return type, its parameters and its clone") {
    CHECK(without_parameters(
              "void std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>(int*, "
              "int const&)") == "std::vector<int, std::allocator<int> >::_M_realloc_insert<int const&>");
    CHECK(without_parameters("(anonymous namespace)::f(int) [clone .part.0]") == "(anonymous namespace)::f");
    CHECK(without_parameters("decltype(auto) foo<int>(int)") == "foo<int>");
    CHECK(without_parameters("work(int)::{lambda(int)#1}::operator()(int) const") ==
          "work(int)::{lambda(int)#1}::operator()");
    CHECK(without_parameters("f(int) const::local::g()") == "f(int) const::local::g");
}

TEST_CASE("operators are names, whatever brackets they are written with") {
    CHECK(without_parameters("operator new(unsigned long)") == "operator new");
    CHECK(without_parameters("X::operator unsigned long() const") == "X::operator unsigned long");
    CHECK(without_parameters("bool operator< <int>(int, int)") == "operator< <int>");
    CHECK(without_parameters("std::ostream& std::operator<< <char>(std::ostream&, char)") ==
          "std::operator<< <char>");
    CHECK(scopes_of("A<int>::operator()<B<int>, C>").back().arguments.size() == 2);
}

TEST_CASE("a name is taken to pieces where its scopes are") {
    const auto scopes = scopes_of("std::__cxx11::list<A<int, B>, C>::node<(D)1>::f<int>(int)");
    REQUIRE(scopes.size() == 4);
    CHECK(plain_name(scopes) == "std::list::node::f");
    CHECK(scopes[1].arguments == std::vector<std::string>{"A<int, B>", "C"});
    CHECK(scopes[3].arguments == std::vector<std::string>{"int"});
}

TEST_CASE("RTTI names are types, and other text is none") {
    CHECK(demangle_type("N5shape6CircleE") == "shape::Circle");
    CHECK(demangle_type("*N5shape6CircleE") == "shape::Circle");
    CHECK(demangle("f") == "f"); // a C function, although "f" is the code of float
    CHECK(demangle_type("\x80?") == "\x80?");
}

#ifdef LINN_HAS_LIBIBERTY
TEST_CASE("Rust's symbols of both forms are decoded, and D's") {
    const auto shown = [](const char* symbol) {
        return readable_name(scopes_of(without_parameters(demangle(symbol))));
    };
    CHECK(shown("_RNvNtCs1234_7mycrate3foo3bar") == "mycrate::foo::bar");
    CHECK(shown("_RNvNtCs1234_7mycrate3foo3bar.llvm.12") == "mycrate::foo::bar");
    CHECK(shown("_RNCNvCs1_7mycrate3foo0B3_") == "mycrate::foo::{closure#0}");
    CHECK(shown("_RINvCs1_7mycrate3foojE") == "mycrate::foo::<usize>");
    CHECK(shown("_RNvXs_Cs1_7mycrateNtB4_3FooNtNtCs2_4core3fmt5Debug3fmt") ==
          "<mycrate::Foo as core::fmt::Debug>::fmt");
    CHECK(shown("_ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h0123456789abcdefE") ==
          "alloc::raw_vec::RawVec<T, A>::grow_one");
    CHECK(shown("_ZN58_$LT$alloc..string..String$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE") ==
          "<alloc::string::String as core::fmt::Debug>::fmt");
    CHECK(shown("_ZN1r4main17h086b0cfd890a8ea9E") == "r::main");
    CHECK(shown("_D3std5stdio5writeFZv") == "std.stdio.write");
    CHECK(shown("_D4main__T3fooTiZQhFiZi") == "main.foo!(int).foo");
    for (const char* other : {"_Rfoo", "_Dfoo", "_R", "_D", "_RNv", "_D3std"}) {
        CHECK(shown(other) == other);
    }
}
#endif

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

TEST_CASE("different types of a table have different names, and keep the words before them") {
    CHECK(short_types({"abcdefghijkA_111111xyz", "abcdefghijkB_111111xyz", "abcdefghijkC_111111xuv",
                       "abcdefghijkD_111111xuv", "abcdefghijkB_111111xyz"},
                      12) == std::vector<std::string>{"...111111xyz", "...111111 #2", "...111111xuv",
                                                      "...111111 #3", "...111111 #2"});
    CHECK(short_types({"  without std::list<pair<first_type, second_type>>",
                       "  without std::list<pair<second_type, first_type>>"},
                      30) ==
          std::vector<std::string>{"  without ...pe, second_type>>", "  without ...ype, first_type>>"});
}

TEST_CASE("the instantiations of a class template are one family; those of the standard library's are not") {
    CHECK(template_family("CGAL::Lazy_rep_n<CGAL::Point<double>, 1>") == "CGAL::Lazy_rep_n<...>");
    CHECK(template_family("std::list<geo::node<int, 3>>") == "std::list<geo::node<...>>");
    CHECK(template_family("std::list<int>") == "std::list<int>");
    CHECK(template_family("geo::tree<std::list<int>, long>::node<int>") == "geo::tree<...>::node<...>");
    CHECK(template_family("Particle") == "Particle");
}

void check(const char* allocated, const char* type, const char* container) {
    const named_type found = content_of(allocated);
    CHECK(found.type == type);
    CHECK(found.container == container);
}

// The others are in the samples of containers and of objects.
TEST_CASE("nodes of libstdc++") {
    check("std::_Rb_tree_node<std::pair<A const* const, B*> >", "std::pair<const A* const, B*>",
          "std::map<const A*, B*>"); // the key's own const goes, not what it points at
    check("std::_Rb_tree_node<std::pair<const A* const, B*> >", "std::pair<const A* const, B*>",
          "std::map<const A*, B*>");
}

TEST_CASE("nodes of libc++") {
    check("std::__1::__list_node<A, void*>", "A", "std::list<A>");
    check("std::__1::__tree_node<std::__1::__value_type<int, A>, void*>", "std::pair<const int, A>",
          "std::map<int, A>");
    check("std::__1::__hash_node<std::__1::__hash_value_type<int, A>, void*>", "std::pair<const int, A>",
          "std::unordered_map<int, A>");
    check("std::__1::__hash_node<A, void*>", "A", "std::unordered_set<A>");
    check("std::__1::__shared_ptr_emplace<A, std::__1::allocator<A>>", "A", "std::shared_ptr<A>");
    check("std::__1::__function::__func<F, std::__1::allocator<F>, int (int)>", "F",
          "std::function<int(int)>");
}

TEST_CASE("a type that is no node is itself") {
    const named_type found = content_of("my::particle");
    CHECK(found.type == "my::particle");
    CHECK(found.container.empty());
    CHECK(found.allocated.empty());
}

TEST_CASE("the source of an allocation names its type") {
    CHECK(type_in_line("    auto* p = new shape::circle(1);", 15).type == "shape::circle");
    CHECK(type_in_line("    p = new (std::nothrow) A{};", 9).type == "A");
    CHECK(type_in_line("    f(new tree<int, long>::node{key});", 7).type == "tree<int, long>::node");
    CHECK(type_in_line("  return new unsigned char[n];", 10).type == "unsigned char");
    CHECK(type_in_line("  return new unsigned char[n];", 10).is_array);
    CHECK(type_in_line("  auto p = std::make_unique<shape::square>(2);", 20).type == "shape::square");
    CHECK(type_in_line("  p = malloc(sizeof(struct point));", 7).type == "point");
}

TEST_CASE("source that does not say it names nothing") {
    CHECK(type_in_line("    push_back({});", 5).type.empty());
    CHECK(type_in_line("    renewed = newest;", 5).type.empty());
    CHECK(type_in_line("  p = malloc(sizeof(*p));", 7).type.empty());
    CHECK(type_in_line("", 0).type.empty());
}

TEST_CASE("of two `new` on a line the column decides") {
    const char* line = "  f(new first, new second);";
    CHECK(type_in_line(line, 5).type == "first");
    CHECK(type_in_line(line, 16).type == "second");
}

} // namespace linn::tool::symbols_tests
