// SPDX-License-Identifier: Apache-2.0
// A pool that holds its objects in itself: no memory is ever asked for, and a full pool says so.
#include <linn/fixed_pool.hpp>

#include <cstdio>
#include <type_traits>

struct order {
    int id;
    long price;
};

// [static]
// In .bss: no byte of the executable, no code before main, none at exit.
using book = linn::fixed_pool<order, 3, {.on_survivors = linn::survivors::keep}>;
constinit book orders;
// [/static]

// [exchange]
bool accept(int id, long price) {
    order* o = orders.try_create(id, price);
    if (o == nullptr) { // full: refuse, wait, drop the oldest; nothing throws
        std::printf("order %d refused, %zu of %zu are open\n", id, orders.live(), orders.capacity());
        return false;
    }
    return true;
}
// [/exchange]

int main() {
    for (int id = 1; id <= 4; ++id) {
        accept(id, 100 * id);
    }
    // [visit]
    orders.for_each_live([](order& o) {
        if (o.price < 250) {
            orders.destroy(&o);
        }
    });
    // [/visit]
    accept(5, 500);
    orders.for_each_live([](const order& o) { std::printf("order %d at %ld\n", o.id, o.price); });
    std::printf("most at once: %zu\n", orders.statistics().peak);
}
