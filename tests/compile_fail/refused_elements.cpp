// SPDX-License-Identifier: Apache-2.0
// What smart pointers, allocators and pooled classes cannot be of is refused in a sentence, which comes first.
// LINES: 30
// CASE make_reference: error: .*linn::make_shared and make_unique make objects: the type must be complete and not
// CASE make_incomplete: error: .*linn::make_shared and make_unique make objects: the type must be complete and not
// CASE allocator_const: error: .*linn::allocator: its type must not be const, volatile, a reference or a function
// CASE allocator_incomplete: error: .*linn: the type of a pool must be complete
// CASE pooled: error: .*linn::pooled is a base of the class that it names: struct order : linn::pooled<order>
#include <linn/allocator.hpp>
#include <linn/memory.hpp>
#include <linn/pooled.hpp>

struct declared;
struct point : linn::pooled<point> {};

void use() {
#if defined(LINN_CASE_make_reference)
    static_cast<void>(linn::make_shared<int&>(3));
#elif defined(LINN_CASE_make_incomplete)
    static_cast<void>(linn::make_unique<declared>());
#elif defined(LINN_CASE_allocator_const)
    linn::allocator<const int> a;
#elif defined(LINN_CASE_allocator_incomplete)
    linn::allocator<declared> a;
    static_cast<void>(a.allocate(1));
#elif defined(LINN_CASE_pooled)
    struct number : linn::pooled<int> {};
#endif
    linn::allocator<declared> named; // to name it is fine
    static_cast<void>(named);
    static_cast<void>(linn::make_unique<const int>(3));
    static_cast<void>(new point);
}
