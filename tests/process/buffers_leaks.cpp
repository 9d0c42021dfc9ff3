// SPDX-License-Identifier: Apache-2.0
// Promise: LeakSanitizer says nothing of pools and buffers that are alive at the exit of a program, nor
// of what only pointers inside such a buffer reach; it does report what only an idle buffer still points
// at, and a buffer that was lost.
//
// Breaks when it does not look into buffers (everything there is a leak), or looks into idle ones too
// (stale pointers hide leaks). Both directions are tested.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <optional>

namespace {

constexpr std::size_t bytes = 128 * linn_test::kib;

linn::buffer_pool* never_destroyed = nullptr;
std::optional<linn::buffer>& held = *new std::optional<linn::buffer>;
std::shared_ptr<std::byte[]>& shared = *new std::shared_ptr<std::byte[]>;

[[gnu::noinline]] void point_at_something(std::byte* place) {
    *reinterpret_cast<int**>(place) = new int{5};
}

void holds() {
    never_destroyed = new linn::buffer_pool{bytes};
    never_destroyed->reserve(3);
    held = never_destroyed->acquire();
    shared = never_destroyed->acquire_shared();
    point_at_something(held->data() + bytes / 2);
    point_at_something(shared.get());
    static linn::buffer_pool of_static{bytes};
    of_static.acquire().reset();
    linn_test::overwrite_the_stack();
}

/// The handle is gone without its destructor: nobody can ever give that buffer back.
[[gnu::noinline]] void lose_a_handle() {
    alignas(linn::buffer) static std::byte place[sizeof(linn::buffer)];
    ::new (static_cast<void*>(place)) linn::buffer{never_destroyed->acquire()};
    for (volatile std::byte& byte : place) {
        byte = std::byte{0};
    }
}

void loses_a_buffer() {
    never_destroyed = new linn::buffer_pool{bytes};
    lose_a_handle();
    linn_test::overwrite_the_stack();
}

[[gnu::noinline]] void leave_a_pointer_in_an_idle_buffer() {
    const linn::buffer b = never_destroyed->acquire();
    point_at_something(b.data() + bytes / 2);
}

void leaks_into_an_idle_buffer() {
    never_destroyed = new linn::buffer_pool{bytes};
    leave_a_pointer_in_an_idle_buffer();
    linn_test::overwrite_the_stack();
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with LeakSanitizer");
    }
    const auto clean = linn_test::run_child(&holds);
    clean.expect(clean.exited_with(0) && clean.error.empty(), "nothing leaks");
    const auto lost = linn_test::run_child(&loses_a_buffer);
    lost.expect(!lost.exited_with(0) && lost.says("detected memory leaks"), "a buffer is lost");
    const auto stale = linn_test::run_child(&leaks_into_an_idle_buffer);
    stale.expect(!stale.exited_with(0) && stale.says("detected memory leaks") &&
                     stale.says("leak of 4 byte(s)"),
                 "only an idle buffer points at it");
}
