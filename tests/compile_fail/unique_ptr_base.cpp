// SPDX-License-Identifier: Apache-2.0
// A deleter without state would give the derived object to the pool of its base; and as in the standard library, there is no
// unique_ptr to an array of known bound.
// LINES: 99
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
#if defined(LINN_CASE_to_base) // error
    linn::unique_ptr<base> b = linn::make_unique<derived>();
#elif defined(LINN_CASE_assigned)    // error
    linn::unique_ptr<base> b;
    b = linn::make_unique<derived>();
#elif defined(LINN_CASE_not_const)   // error
    linn::unique_ptr<derived> mutable_again = linn::unique_ptr<const derived>{};
#elif defined(LINN_CASE_array)       // no matching function
    (void)linn::make_unique<int[3]>();
#elif defined(LINN_CASE_overwritten) // no matching function
    (void)linn::make_unique_for_overwrite<int[3]>();
#endif
}
