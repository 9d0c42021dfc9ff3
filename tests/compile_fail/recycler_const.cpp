// SPDX-License-Identifier: Apache-2.0
// EXPECT: linn::recycler keeps objects
#include <linn/recycler.hpp>

#ifdef LINN_CONTROL
using object = int;
#else
using object = const int;
#endif

void use(linn::recycler<object>& all) {
    static_cast<void>(all.idle());
}
