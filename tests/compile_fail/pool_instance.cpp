// SPDX-License-Identifier: Apache-2.0
// There is nothing to create.
// EXPECT: use of deleted function|call to deleted constructor
#include <linn/pool.hpp>

void make() {
#ifndef LINN_CONTROL
    linn::pool<int> pool;
#endif
}
