// SPDX-License-Identifier: Apache-2.0
// Without a default constructor there must be a function that makes objects.
// EXPECT: no matching|constraints not satisfied
#include <linn/recycler.hpp>

struct numbered {
    explicit numbered(int n) : number{n} {}
    int number;
};

#ifdef LINN_CONTROL
linn::recycler<numbered> all{{.create = [] { return numbered{1}; }}};
#else
linn::recycler<numbered> all{100};
#endif
