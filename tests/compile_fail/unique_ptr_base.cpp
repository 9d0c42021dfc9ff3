// SPDX-License-Identifier: Apache-2.0
// A deleter without state would give the derived object to the pool of its base; and as in the standard library, there is no
// unique_ptr to an array of known bound.
// LINES: 99
// CASE to_base: error
// CASE assigned: error
// CASE not_const: error
// CASE array: error: no matching function
// CASE overwritten: error: no matching function
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
#if defined(LINN_CASE_to_base)
    linn::unique_ptr<base> b = linn::make_unique<derived>();
#elif defined(LINN_CASE_assigned)
    linn::unique_ptr<base> b;
    b = linn::make_unique<derived>();
#elif defined(LINN_CASE_not_const)
    linn::unique_ptr<derived> mutable_again = linn::unique_ptr<const derived>{};
#elif defined(LINN_CASE_array)
    (void)linn::make_unique<int[3]>();
#elif defined(LINN_CASE_overwritten)
    (void)linn::make_unique_for_overwrite<int[3]>();
#endif
}
