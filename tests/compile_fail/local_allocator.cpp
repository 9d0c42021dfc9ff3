// SPDX-License-Identifier: Apache-2.0
// Without an upstream, an object that is larger than the pool's slots is refused while compiling.
// EXPECT: linn::local_allocator: an object does not fit a slot of the pool, and there is no upstream
#include <linn/fixed_pool.hpp>
#include <linn/local_allocator.hpp>

#include <list>

#ifdef LINN_CONTROL
using element = int;
#else
using element = long double[4];
#endif

void make() {
    using pool = linn::fixed_pool<linn::node_slot<std::list<int>>, 4>;
    pool slots;
    linn::local_allocator<element, pool, void> a{slots};
    a.deallocate(a.allocate(1), 1);
}
