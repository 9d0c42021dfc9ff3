// SPDX-License-Identifier: Apache-2.0
// Every pool of the process: as a range, as a table, as JSON, and what is still alive.
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

#include <cstdio>
#include <string>

struct order {
    long id;
    double price;
};

struct trade {
    long buyer, seller, order;
};

int main() {
    order* a = linn::pool<order>::create(1, 99.5);
    order* b = linn::pool<order>::create(2, 98.0);
    trade* t = linn::pool<trade>::create(1, 2, 3);

    // [range]
    for (const linn::pool_statistics& s : linn::statistics()) {
        std::printf("%.*s: %zu bytes, %zu alive\n", static_cast<int>(s.type.size()), s.type.data(),
                    s.object_bytes, s.live);
    }
    // [/range]

    // [texts]
    const std::string table = linn::to_table(linn::statistics()); // for people
    const std::string json = linn::to_json(linn::statistics());   // for programs
    // [/texts]
    std::fputs(table.c_str(), stderr); // its memory columns depend on the machine
    std::printf("%.*s...\n", 30, json.c_str());

    linn::pool<order>::destroy(a);
    linn::pool<trade>::destroy(t);

    // [leak]
    std::fputs(linn::leak_report().c_str(), stdout); // empty when nothing is alive
    // [/leak]
    linn::pool<order>::destroy(b);
}
