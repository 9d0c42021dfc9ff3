// SPDX-License-Identifier: Apache-2.0
// A deleter without state would give the derived object to the pool of its base.
// EXPECT: unique_ptr_base.cpp:26:.*error
// EXPECT: unique_ptr_base.cpp:27:.*error
// EXPECT: unique_ptr_base.cpp:28:.*error
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
#ifndef LINN_CONTROL
    linn::unique_ptr<base> b = linn::make_unique<derived>();
    b = linn::make_unique<derived>();
    linn::unique_ptr<derived> mutable_again = linn::unique_ptr<const derived>{};
#endif
}
