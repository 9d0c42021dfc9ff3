// SPDX-License-Identifier: Apache-2.0
// Handles of different pools do not mix, and bits that cannot be divided so are refused.
// LINES: 66
#include <linn/handle_pool.hpp>

struct declared;
struct order {};
struct trade {};

void use(linn::handle_pool<order>& orders, linn::handle_pool<trade>& trades) {
#if defined(LINN_CASE_other_type) // (cannot convert|could not convert|no matching|no viable)
    orders.destroy(trades.create());
#elif defined(LINN_CASE_number)     // (cannot convert|could not convert|no matching|no viable)
    orders.destroy(7);
#elif defined(LINN_CASE_bits)       // linn::handle_options: index_bits must be from 1 to 31
    linn::handle_pool<order, linn::handle_options{.index_bits = 32}> pool;
#elif defined(LINN_CASE_reference)  // linn::handle_pool holds objects: its type must not be a reference, void
    linn::handle_pool<int&> pool;
#elif defined(LINN_CASE_incomplete) // linn: the type of a pool must be complete
    linn::handle_pool<declared> pool;
#endif
    orders.destroy(orders.create());
    trades.destroy({});
    linn::handle_pool<declared>* named = nullptr;
    static_cast<void>(named);
}
