// SPDX-License-Identifier: Apache-2.0
// Promise: with LeakSanitizer alone (-fsanitize=leak), where objects lie in slabs and nothing is poisoned, what only a
// pooled object or a buffer in use points to is no leak; what only an idle buffer points to is one.
//
// Breaks when slabs and buffers are not named to it, or idle buffers still are. No macro tells of this sanitizer, so the
// library cannot know of it while it is compiled. properties.cmake compiles this file with it.
#include "process.hpp"

#include <linn/buffer_pool.hpp>
#include <linn/pool.hpp>

namespace {

struct owner {
    int* owned;
};

linn::buffer_pool* buffers = nullptr;

int* something() {
    return new int[25]{};
}

[[gnu::noinline]] void fill_objects() {
    static owner* all[100];
    for (owner*& p : all) {
        p = linn::pool<owner>::create(something());
        asm volatile("" : : "r"(p) : "memory"); // the compiler must not see that nobody reads it
    }
}

[[gnu::noinline]] void fill_buffer(bool keep) {
    static linn::buffer& kept = *new linn::buffer;
    linn::buffer b = buffers->acquire();
    *reinterpret_cast<int**>(b.data() + b.size() / 2) = something();
    if (keep) {
        kept = std::move(b);
    }
}

[[gnu::noinline]] void forget_something() {
    int* p = something();
    asm volatile("" : : "r"(p) : "memory");
}

void expect_leak(bool leak, const char* what, void (*body)()) {
    const auto child = linn_test::run_child(body, 110); // nothing here can hang, but a busy machine is slow
    child.expect(leak ? !child.exited_with(0) && child.says("detected memory leaks") : child.exited_with(0),
                 what);
}

} // namespace

extern "C" __attribute__((weak)) void __lsan_do_leak_check();

int main() {
    if (__lsan_do_leak_check == nullptr) {
        return linn_test::skip("not built with LeakSanitizer");
    }
    buffers = new linn::buffer_pool{128 * linn_test::kib};
    expect_leak(true, "lost", [] {
        forget_something();
        linn_test::overwrite_the_stack();
    });
    expect_leak(false, "reached through objects", [] {
        fill_objects();
        linn_test::overwrite_the_stack();
    });
    expect_leak(false, "reached through a buffer in use", [] {
        fill_buffer(true);
        linn_test::overwrite_the_stack();
    });
    expect_leak(true, "reached through an idle buffer", [] {
        fill_buffer(false);
        linn_test::overwrite_the_stack();
    });
}
