// SPDX-License-Identifier: Apache-2.0
// A type that a pool cannot hold is refused in one sentence, which comes first, and in few lines. It was 50 to 84
// lines about geometry and magazines, none of them ours.
// LINES: 30
// CASE reference: error: .*linn::pool holds objects: its type must not be a reference, void, a function or an array
// CASE function: error: .*linn::pool holds objects
// CASE local_array: error: .*linn::local_pool holds objects: its type must not be a reference, void, a function or
// CASE fixed_void: error: .*linn::fixed_pool holds objects: its type must not be a reference, void, a function or
// CASE incomplete: error: .*linn: the type of a pool must be complete where the pool is used: include the header
// CASE incomplete_destroyed: error: .*linn: the type of a pool must be complete
// CASE local_incomplete: error: .*linn: the type of a pool must be complete
// CASE fixed_incomplete: error: .*linn: the type of a pool must be complete
// CASE abstract: error: .*linn: an abstract class has no objects of its own: take a derived class
// CASE fixed_abstract: error: .*linn: an abstract class has no objects of its own
// CASE instance: error: .*(use of deleted function|call to deleted constructor)
// CASE moved: error: .*(use of deleted function|call to deleted constructor)
#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/pool.hpp>

#include <utility>

struct declared;
struct shape {
    virtual void draw() = 0;
};

void use(linn::fixed_pool<int, 4>& ints) {
#if defined(LINN_CASE_reference)
    static_cast<void>(linn::pool<int&>::allocate());
#elif defined(LINN_CASE_function)
    static_cast<void>(linn::pool<int()>::allocate());
#elif defined(LINN_CASE_local_array)
    linn::local_pool<int[3]> pool;
    static_cast<void>(pool.allocate());
#elif defined(LINN_CASE_fixed_void)
    linn::fixed_pool<void, 4> pool;
    static_cast<void>(pool.allocate());
#elif defined(LINN_CASE_incomplete)
    static_cast<void>(linn::pool<declared>::create());
#elif defined(LINN_CASE_incomplete_destroyed)
    linn::pool<declared>::destroy(nullptr);
#elif defined(LINN_CASE_local_incomplete)
    linn::local_pool<declared> pool;
    static_cast<void>(pool.create());
#elif defined(LINN_CASE_fixed_incomplete)
    linn::fixed_pool<declared, 4> pool;
    static_cast<void>(pool.try_create());
#elif defined(LINN_CASE_abstract)
    static_cast<void>(linn::pool<shape>::create());
#elif defined(LINN_CASE_fixed_abstract)
    linn::fixed_pool<shape, 4> pool;
    static_cast<void>(pool.try_create());
#elif defined(LINN_CASE_instance) // there is nothing to create
    linn::pool<int> pool;
#elif defined(LINN_CASE_moved)    // what is in it lies where it is declared
    linn::fixed_pool<int, 4> pool{std::move(ints)};
#endif
    static_cast<void>(ints.live());
    using later = linn::pool<declared>; // to name it is fine
    static_cast<void>(static_cast<later*>(nullptr));
    static_cast<void>(linn::pool<const int>::create(1));
    static_cast<void>(linn::pool<shape>::try_allocate()); // storage only
}
