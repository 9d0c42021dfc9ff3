// SPDX-License-Identifier: Apache-2.0
// A function of a shared library that allocates in a loop looks its thread's cache up once.
#include <linn/pool.hpp>

#include <cstdio>

struct event {
    int id;
    event* next;
};

// [read]
event* read(int count) {
    const auto here = linn::pool<event>::on_this_thread(); // for this thread, and for this call
    event* list = nullptr;
    for (int id = 0; id != count; ++id) {
        list = here.create(id, list);
    }
    return list;
}
// [/read]

int main() {
    int sum = 0;
    for (event* e = read(1000); e != nullptr;) {
        event* const next = e->next;
        sum += e->id;
        linn::pool<event>::destroy(e); // any thread may, with a view or without
        e = next;
    }
    std::printf("%d, %zu alive\n", sum, linn::pool<event>::statistics().live);
}
