// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::fixed_pool holds objects: its type must not be a reference, void or an array
#include <linn/fixed_pool.hpp>

#ifdef LINN_CONTROL
using element = int;
#else
using element = int[3];
#endif

static_assert(sizeof(linn::fixed_pool<element, 2>) > 1);
