// SPDX-License-Identifier: Apache-2.0
#include <linn/pool.hpp>

#include <cstdio>
#include <thread>

struct order {
    int id;
    double price;
};

int main() {
    using orders = linn::pool<order>; // nothing to create: the pool of all orders in the process

    order* o = orders::create(7, 99.5); // as new order(7, 99.5)
    std::printf("order %d at %.1f, alive: %zu\n", o->id, o->price, orders::statistics().live);

    std::thread{[o] { orders::destroy(o); }}.join(); // any thread may free
    std::printf("alive: %zu\n", orders::statistics().live);

    orders::trim(); // unused memory goes back to the system now
}
