// SPDX-License-Identifier: Apache-2.0
// Promise: with default visibility the modules of a process share one pool of a type, the program too when it exports its
// symbols (-rdynamic). What is set for the process, such as the misuse handler, is then set for all.
//
// Breaks when something of a pool has internal linkage or hidden visibility: each module would then have a pool of its own,
// which works, and costs memory and a look at each object that comes back.
#include "module.hpp"

using namespace linn_test;

int main(int argc, char** argv) {
    CHECK(argc == 3);
    module one{argv[1]};
    module two{argv[2]};
    CHECK(one.f->place() != two.f->place());
    exchanged_item* item = one.f->make(1);
    CHECK(one.f->live() == 1);
    CHECK(two.f->live() == 1);
    CHECK(live_here() == 1);
    two.f->destroy(item);
    CHECK(live_here() == 0);

    // What one module's code cached, another's takes first.
    exchanged_item* again = one.f->make(2);
    if (cached()) {
        CHECK(again == item);
    }
    destroy_here(again);
    CHECK(one.f->live() == 0);
}
