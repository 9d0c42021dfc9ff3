// SPDX-License-Identifier: Apache-2.0
// It lies where it is declared: what is in it cannot move.
// EXPECT: use of deleted function|call to deleted constructor
#include <linn/fixed_pool.hpp>

#include <utility>

void make() {
    linn::fixed_pool<int, 4> pool;
#ifndef LINN_CONTROL
    linn::fixed_pool<int, 4> moved{std::move(pool)};
#endif
}
