// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::pool: max_bytes is less than a slab with one object
#include <linn/pool.hpp>

struct large {
    char bytes[10000];
};

#ifdef LINN_CONTROL
using pool = linn::pool<large, linn::pool_options{.max_bytes = 16384}>;
#else
using pool = linn::pool<large, linn::pool_options{.max_bytes = 12287}>;
#endif

large* get() {
    return pool::allocate();
}
