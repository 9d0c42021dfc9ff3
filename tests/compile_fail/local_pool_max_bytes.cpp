// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::local_pool: max_bytes is less than a slab with one object
#include <linn/local_pool.hpp>

struct large {
    char bytes[10000];
};

#ifdef LINN_CONTROL
using pool = linn::local_pool<large, linn::pool_options{.max_bytes = 16384}>;
#else
using pool = linn::local_pool<large, linn::pool_options{.max_bytes = 12287}>;
#endif

static_assert(sizeof(pool) > 1);
