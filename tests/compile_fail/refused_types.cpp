// SPDX-License-Identifier: Apache-2.0
// A type that a pool cannot hold is refused in one sentence, which comes first, and in few lines. It was 50 to 84
// lines about geometry and magazines, none of them ours.
// LINES: 30
#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/pool.hpp>

#include <utility>

struct declared;
struct shape {
    virtual void draw() = 0;
};

void use(linn::fixed_pool<int, 4>& ints) {
#if defined(LINN_CASE_reference) // linn::pool holds objects: its type must not be a reference, void
    static_cast<void>(linn::pool<int&>::allocate());
#elif defined(LINN_CASE_function)    // linn::pool holds objects
    static_cast<void>(linn::pool<int()>::allocate());
#elif defined(LINN_CASE_local_array) // linn::local_pool holds objects: its type must not be a reference, void
    linn::local_pool<int[3]> pool;
    static_cast<void>(pool.allocate());
#elif defined(LINN_CASE_fixed_void)  // linn::fixed_pool holds objects: its type must not be a reference, void
    linn::fixed_pool<void, 4> pool;
    static_cast<void>(pool.allocate());
#elif defined(LINN_CASE_incomplete)  // linn: the type of a pool must be complete where the pool is used
    static_cast<void>(linn::pool<declared>::create());
#elif defined(LINN_CASE_incomplete_destroyed) // linn: the type of a pool must be complete
    linn::pool<declared>::destroy(nullptr);
#elif defined(LINN_CASE_local_incomplete)     // linn: the type of a pool must be complete
    linn::local_pool<declared> pool;
    static_cast<void>(pool.create());
#elif defined(LINN_CASE_fixed_incomplete)     // linn: the type of a pool must be complete
    linn::fixed_pool<declared, 4> pool;
    static_cast<void>(pool.try_create());
#elif defined(LINN_CASE_abstract) // linn: an abstract class has no objects of its own: take a derived class
    static_cast<void>(linn::pool<shape>::create());
#elif defined(LINN_CASE_fixed_abstract) // linn: an abstract class has no objects of its own
    linn::fixed_pool<shape, 4> pool;
    static_cast<void>(pool.try_create());
#elif defined(LINN_CASE_instance)       // (use of deleted function|call to deleted constructor)
    linn::pool<int> pool;
#elif defined(LINN_CASE_moved)          // (use of deleted function|call to deleted constructor)
    linn::fixed_pool<int, 4> pool{std::move(ints)};
#endif
    static_cast<void>(ints.live());
    using later = linn::pool<declared>; // to name it is fine
    static_cast<void>(static_cast<later*>(nullptr));
    static_cast<void>(linn::pool<const int>::create(1));
    static_cast<void>(linn::pool<shape>::try_allocate()); // storage only
}
