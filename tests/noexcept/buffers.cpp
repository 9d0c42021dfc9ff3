// SPDX-License-Identifier: Apache-2.0
// Promise: large buffers work with -fno-exceptions -fno-rtti; bad input ends the program with the reason,
// as there is nobody to catch it, and try_acquire() still answers a refusal.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace {

struct line {
    char data[100000];
    int size = 3;
};

void expect_abort(const char* text, void (*body)()) {
    const auto child = linn_test::run_child(body);
    child.expect(child.killed_by(SIGABRT) && child.says(text), text);
}

} // namespace

int main() {
    linn::buffer_pool pool{sizeof(line), {.prefault = true, .max_bytes = 300000}};
    pool.reserve(1);
    linn::buffer b = pool.acquire();
    b.span().back() = std::byte{1};
    const auto shared = std::move(b).share();
    const auto object = pool.make_shared_for_overwrite<line>();
    CHECK(object->size == 3);
    CHECK(pool.statistics().live == 2);
    CHECK(!pool.try_acquire());
    pool.trim();

    expect_abort("buffers of 0 bytes", [] { linn::buffer_pool none{0}; });
    expect_abort("not a power of two", [] { linn::buffer_pool odd{1, {.alignment = 3}}; });
    expect_abort("larger than the address space", [] { linn::buffer_pool vast{SIZE_MAX}; });
    expect_abort("does not fit", [] {
        linn::buffer_pool small{1};
        static_cast<void>(small.make_shared_for_overwrite<line>());
    });
}
