// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::pool holds objects: its type must not be a reference, void or an array
#include <linn/pool.hpp>

#ifdef LINN_CONTROL
using element = int;
#else
using element = void;
#endif

static_assert(sizeof(linn::pool<element>) == 1);
