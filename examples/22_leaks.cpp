// SPDX-License-Identifier: Apache-2.0
// Which types are still alive when the program ends. The report goes to standard error, after the
// destructors of static objects, so what these hold is no leak.
#include <linn/pool.hpp>
#include <linn/statistics.hpp>

#include <cstdio>

struct order {
    int id;
    double price;
};

struct desk {
    order* current = nullptr;
    ~desk() { linn::pool<order>::destroy(current); }
};

desk front_desk; // destroyed after main, before the report

int main() {
    // [exit]
    linn::report_leaks_at_exit();
    // [/exit]
    front_desk.current = linn::pool<order>::create(7, 99.5);
    order* lost = linn::pool<order>::create(8, 98.5);
    lost->price = 97.5;

    std::fputs(linn::leak_report().c_str(), stdout); // here both count
}
