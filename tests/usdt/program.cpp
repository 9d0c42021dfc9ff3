// SPDX-License-Identifier: Apache-2.0
// Comes to every probe of LINN_USDT: refill, flush, slabs mapped and returned, a limit, and no memory.
#include <linn/pool.hpp>

#include <cstdio>
#include <vector>

namespace shop {
struct order {
    long id[4];
};
struct bounded {
    long id[4];
};
} // namespace shop

int main() {
    using orders = linn::pool<shop::order>;
    using few = linn::pool<shop::bounded, linn::pool_options{.max_objects = 10}>;
    constexpr int count = 5000;
    std::vector<shop::order*> all;
    for (int i = 0; i != count; ++i) {
        all.push_back(orders::allocate());
    }
    for (shop::order* o : all) {
        orders::deallocate(o);
    }
    orders::trim();
    std::vector<shop::bounded*> taken;
    while (shop::bounded* b = few::try_allocate()) {
        taken.push_back(b);
    }
    for (shop::bounded* b : taken) {
        few::deallocate(b);
    }
    std::printf("%zu\n", taken.size());
}
