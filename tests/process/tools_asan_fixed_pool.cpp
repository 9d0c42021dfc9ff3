// SPDX-License-Identifier: Apache-2.0
// Promise: AddressSanitizer reports the use of a fixed_pool's slot that holds no object: one that was
// freed, one after release(), one that was never handed out.
//
// Breaks when free slots stay readable, which they are: the pool is an ordinary object. Each scenario
// is a child that must die with the report, and the same child without the error must end well.
#include "process.hpp"

#include <linn/fixed_pool.hpp>

namespace {

struct item {
    long words[8];
};

constinit linn::fixed_pool<item, 16> pool;
bool wrong = false;

void use(item* p) {
    if (wrong) {
        const_cast<volatile long&>(p->words[3]) = 1;
    }
}

void freed() {
    item* p = pool.create();
    p->words[3] = 1;
    pool.destroy(p);
    use(p);
}

void released() {
    item* p = pool.create();
    p->words[3] = 1;
    pool.release();
    use(p);
}

void never_handed_out() {
    item* p = pool.create();
    use(p + 1);
    pool.destroy(p);
}

void check(void (*scenario)(), const char* what) {
    for (const bool now : {false, true}) {
        wrong = now;
        const auto child = linn_test::run_child(scenario);
        if (now) {
            child.expect(!child.exited_with(0) && child.says("use-after-poison"), what);
        } else {
            child.expect_success(what);
        }
    }
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    check(&freed, "freed");
    check(&released, "released");
    check(&never_handed_out, "never handed out");
}
