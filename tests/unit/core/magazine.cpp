// SPDX-License-Identifier: Apache-2.0
// Promise: a magazine is found from its slots, and a stack of magazines returns them last in, first out.
#include "failing_pages.hpp"

#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/pointer_list.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <new>

namespace core_magazine_tests {

using linn::detail::magazine;
using linn::detail::magazine_stack;

static_assert(magazine::bytes_for(0) == sizeof(magazine));
static_assert(magazine::bytes_for(3) - magazine::bytes_for(2) == sizeof(void*));

TEST_CASE("magazine: the slots follow the struct and lead back to it") {
    alignas(64) std::byte memory[magazine::bytes_for(4)];
    auto* m = ::new (static_cast<void*>(memory)) magazine;
    CHECK(m->count == 0);
    CHECK(static_cast<void*>(m->entries()) == memory + sizeof(magazine));
    CHECK(static_cast<void*>(m->entries() + 4) == memory + sizeof memory);
    CHECK(magazine::of(m->entries()) == m);
}

TEST_CASE("magazine_stack: what all hold is listed, or it is said that there is no memory for that") {
    struct tag {};
    using pages = linn_test::failing_pages<tag>;
    alignas(64) std::byte memory[2][magazine::bytes_for(4)];
    magazine_stack stack;
    int objects[3] = {};
    int* next = objects;
    for (auto& place : memory) {
        auto* m = ::new (static_cast<void*>(place)) magazine;
        m->capacity = 4;
        m->entries()[m->count++] = next++;
        stack.push(m);
    }
    pages::fail_from(0);
    linn::detail::pointer_list<pages> list;
    CHECK_FALSE(stack.append_to(list));
    CHECK(list.size() == 0);
    pages::work();
    CHECK(stack.append_to(list));
    CHECK(list.size() == 2);
    CHECK(*list.begin() == &objects[1]);
}

TEST_CASE("magazine_stack: last in, first out") {
    magazine a;
    magazine b;
    magazine c;
    magazine_stack stack;
    CHECK(stack.pop() == nullptr);
    stack.push(&a);
    stack.push(&b);
    stack.push(&c);
    CHECK(stack.pop() == &c);
    CHECK(c.next == nullptr);
    CHECK(stack.pop() == &b);
    stack.push(&c);
    CHECK(stack.pop() == &c);
    CHECK(stack.pop() == &a);
    CHECK(stack.pop() == nullptr);
}

} // namespace core_magazine_tests
