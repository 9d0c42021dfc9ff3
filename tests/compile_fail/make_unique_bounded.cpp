// SPDX-License-Identifier: Apache-2.0
// As in the standard library: there is no unique_ptr to an array of known bound.
// EXPECT: make_unique_bounded.cpp:12:.*error: no matching function
// EXPECT: make_unique_bounded.cpp:13:.*error: no matching function
#include <linn/memory.hpp>

void make() {
    (void)linn::make_unique<int[]>(3);
    (void)linn::make_unique_for_overwrite<int[]>(3);
    (void)linn::make_shared<int[3]>();
#ifndef LINN_CONTROL
    (void)linn::make_unique<int[3]>();
    (void)linn::make_unique_for_overwrite<int[3]>();
#endif
}
