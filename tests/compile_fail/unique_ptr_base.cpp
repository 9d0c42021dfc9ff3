// SPDX-License-Identifier: Apache-2.0
// A deleter without state would give the derived object to the pool of its base; and as in the standard library, there is no
// unique_ptr to an array of known bound.
// EXPECT: unique_ptr_base.cpp:31:.*error
// EXPECT: unique_ptr_base.cpp:32:.*error
// EXPECT: unique_ptr_base.cpp:33:.*error
// EXPECT: unique_ptr_base.cpp:34:.*error: no matching function
// EXPECT: unique_ptr_base.cpp:35:.*error: no matching function
#include <linn/memory.hpp>

#include <utility>

struct base {
    virtual ~base() = default;
};
struct derived : base {
    int more = 0;
};

void convert(linn::unique_ptr<derived> d) {
    linn::unique_ptr<derived> same = std::move(d);
    linn::unique_ptr<const derived> constant = std::move(same);
    std::shared_ptr<const base> shared = std::move(constant);
    linn::unique_ptr<base[]> array = linn::make_unique<base[]>(3);
    std::unique_ptr<base[]> standard = std::move(array);
    linn::unique_ptr<derived> assigned;
    (void)assigned;
    (void)linn::make_unique_for_overwrite<int[]>(3);
    (void)linn::make_shared<int[3]>();
#ifndef LINN_CONTROL
    linn::unique_ptr<base> b = linn::make_unique<derived>();
    b = linn::make_unique<derived>();
    linn::unique_ptr<derived> mutable_again = linn::unique_ptr<const derived>{};
    (void)linn::make_unique<int[3]>();
    (void)linn::make_unique_for_overwrite<int[3]>();
#endif
}
