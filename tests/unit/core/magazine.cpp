// SPDX-License-Identifier: Apache-2.0
// Promise: a magazine is found from its slots, and a stack of magazines returns them last in, first out.
#include "failing_pages.hpp"

#include <linn/detail/core/magazine.hpp>
#include <linn/detail/core/magazine_shelves.hpp>
#include <linn/detail/core/pointer_list.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <new>

namespace core_magazine_tests {

using linn::detail::magazine;
using linn::detail::magazine_shelves;
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
    for (auto& place : memory) {
        auto* m = ::new (static_cast<void*>(place)) magazine;
        m->capacity = 4;
        m->entries()[m->count++] = &objects[stack.count()];
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

TEST_CASE("magazine_shelves: each gets its own first, last in first out, and then what others gave") {
    magazine m[5];
    magazine_shelves shelves;
    CHECK(shelves.pop(3) == nullptr);
    CHECK(shelves.pop_oldest() == nullptr);
    shelves.push(&m[0], 0);
    shelves.push(&m[1], 7);
    shelves.push(&m[2], 0);
    shelves.push(&m[3], 7);
    shelves.push(&m[4], 2);
    CHECK(shelves.pop(0) == &m[2]);
    CHECK(shelves.pop(7) == &m[3]);
    CHECK(shelves.pop(7) == &m[1]);
    CHECK(shelves.pop(7) == &m[0]); // around
    CHECK(shelves.pop(7) == &m[4]);
    CHECK(shelves.pop(7) == nullptr);
}

TEST_CASE("magazine_shelves: the oldest come from all shelves in turns") {
    magazine m[5];
    magazine_shelves shelves;
    for (std::size_t i = 0; i != 4; ++i) {
        shelves.push(&m[i], 4 + i % 2);
    }
    shelves.push(&m[4], 1);
    CHECK(shelves.pop_oldest() == &m[4]);
    CHECK(shelves.pop_oldest() == &m[0]);
    CHECK(shelves.pop_oldest() == &m[1]);
    CHECK(shelves.pop_oldest() == &m[2]);
    CHECK(shelves.pop_oldest() == &m[3]);
    CHECK(shelves.pop_oldest() == nullptr);
}

TEST_CASE("magazine_stack: last in, first out") {
    magazine a;
    magazine b;
    magazine c;
    magazine_stack stack;
    CHECK(stack.pop() == nullptr);
    CHECK(stack.count() == 0);
    stack.push(&a);
    stack.push(&b);
    stack.push(&c);
    CHECK(stack.count() == 3);
    CHECK(stack.head() == &c);
    CHECK(stack.pop() == &c);
    CHECK(c.next == nullptr);
    CHECK(stack.pop() == &b);
    stack.push(&c);
    CHECK(stack.pop() == &c);
    CHECK(stack.pop() == &a);
    CHECK(stack.pop() == nullptr);
    CHECK(stack.count() == 0);
    CHECK(stack.head() == nullptr);
}

} // namespace core_magazine_tests
