// SPDX-License-Identifier: Apache-2.0
// What stands in a block of a container's node, for both standard libraries; and what a line of source allocates.
#include "symbols/containers.hpp"
#include "symbols/source_types.hpp"
#include "unit.hpp"

namespace linn::tool::type_content_tests {

void check(const char* allocated, const char* type, const char* container) {
    const named_type found = content_of(allocated);
    CHECK(found.type == type);
    CHECK(found.container == container);
}

TEST_CASE("nodes of libstdc++") {
    check("std::_List_node<A>", "A", "std::list<A>");
    check("std::_Fwd_list_node<A>", "A", "std::forward_list<A>");
    check("std::_Rb_tree_node<std::pair<int const, A> >", "std::pair<const int, A>", "std::map<int, A>");
    check("std::_Rb_tree_node<std::pair<A const* const, B*> >", "std::pair<const A* const, B*>",
          "std::map<const A*, B*>"); // the key's own const goes, not what it points at
    check("std::_Rb_tree_node<std::pair<const A* const, B*> >", "std::pair<const A* const, B*>",
          "std::map<const A*, B*>");
    check("std::_Rb_tree_node<A>", "A", "std::set<A>");
    check("std::__detail::_Hash_node<std::pair<int const, A>, false>", "std::pair<const int, A>",
          "std::unordered_map<int, A>");
    check("std::__detail::_Hash_node<A, true>", "A", "std::unordered_set<A>");
    check("std::_Sp_counted_ptr_inplace<A, std::allocator<void>, (__gnu_cxx::_Lock_policy)2>", "A",
          "std::shared_ptr<A>");
    check("std::_Sp_counted_ptr<A*, (__gnu_cxx::_Lock_policy)2>", "control block of A", "std::shared_ptr<A>");
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
    CHECK(type_in_line("  point* p = (point*)malloc(n);", 22).type == "point");
    CHECK(type_in_line("  p = malloc(sizeof(struct point));", 7).type == "point");
    CHECK(type_in_line("  p = static_cast<point*>(std::malloc(n));", 7).type == "point");
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

} // namespace linn::tool::type_content_tests
