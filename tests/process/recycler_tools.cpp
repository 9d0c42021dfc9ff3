// SPDX-License-Identifier: Apache-2.0
// Promise: AddressSanitizer reports the use of an object that was released to its recycler, and
// LeakSanitizer neither reports what idle objects own nor overlooks an object that is lost.
//
// Breaks when idle objects are not poisoned, down to the last byte; or when they are and LeakSanitizer,
// which does not look into poisoned memory, takes their buffers for leaked.
#include "process.hpp"

#include <linn/recycler.hpp>

namespace {

struct packet {
    int number = 0;
    std::vector<int> values = std::vector<int>(100, 1);
    std::string text = std::string(200, 'x');
};
using packets = linn::recycler<packet>;

volatile int sink = 0;

void use_after_release_of_the_last_bytes() {
    struct odd {
        int numbers[5] = {};
    };
    linn::recycler<odd> all;
    auto shared = all.acquire_shared();
    const int* p = &shared->numbers[4];
    shared.reset();
    sink = *p;
}

packets statically{100};
packets* never_destroyed = nullptr;

void fill(packets& all) {
    auto a = all.acquire();
    auto b = all.acquire_shared();
    a->values.assign(1000, 1);
    b->text.assign(1000, 'y');
    std::thread{[&all, b = std::move(b)]() mutable {
        b.reset();
        all.acquire().reset();
    }}.join();
}

void holds() {
    never_destroyed = new packets{50};
    fill(statically);
    fill(*never_destroyed);
    never_destroyed->prefill(40);
    CHECK(never_destroyed->acquire()->values.size() >= 100); // what was hidden is back unharmed
}

[[gnu::noinline]] void lose_some() {
    for (int i = 0; i < 20; ++i) {
        packet* p = statically.acquire().release();
        asm volatile("" : : "r"(p) : "memory");
    }
}

void leaks() {
    std::thread{&lose_some}.join();
    linn_test::overwrite_the_stack();
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    const auto child = linn_test::run_child(&use_after_release_of_the_last_bytes);
    child.expect(!child.exited_with(0) && child.says("AddressSanitizer") && child.says("use-after"),
                 "use after release");
    const auto clean = linn_test::run_child(&holds);
    clean.expect(clean.exited_with(0) && clean.error.empty(), "nothing leaks");
    const auto leaking = linn_test::run_child(&leaks);
    leaking.expect(!leaking.exited_with(0) && leaking.says("detected memory leaks") &&
                       leaking.says("20 object(s)"),
                   "objects leak");
}
