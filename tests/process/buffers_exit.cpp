// SPDX-License-Identifier: Apache-2.0
// Promise: pools, buffers and shared buffers may be static, thread-local, used by atexit functions, and
// go in any order; a thread may end with buffers that another one gives back.
//
// Breaks when a buffer needs its pool, its thread, or something that exit has destroyed.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

namespace {

constexpr std::size_t bytes = 64 * linn_test::kib;

struct late_user {
    ~late_user() {
        if (held) {
            held.span()[3] = std::byte{1};
        }
        linn::buffer_pool own{bytes};
        linn::buffer b = own.acquire();
        b.span()[3] = std::byte{1};
        held = std::move(b);
        shared = own.acquire_shared();
    }
    linn::buffer held;
    std::shared_ptr<std::byte[]> shared;
};

late_user destroyed_after_the_pool;
linn::buffer_pool pool{bytes};
late_user destroyed_before_the_pool;

void everything() {
    std::atexit([] {
        linn::buffer b = pool.acquire();
        b.span()[0] = std::byte{2};
    });
    destroyed_after_the_pool.held = pool.acquire();
    destroyed_after_the_pool.shared = pool.acquire_shared();
    destroyed_before_the_pool.held = pool.acquire();
    destroyed_before_the_pool.shared = pool.acquire_shared();

    std::vector<linn::buffer> left;
    std::thread{[&] {
        thread_local late_user of_thread;
        of_thread.held = pool.acquire();
        of_thread.shared = pool.acquire_shared();
        for (int i = 0; i < 5; ++i) {
            left.push_back(pool.acquire());
        }
    }}.join();
    for (linn::buffer& b : left) {
        b.span()[1] = std::byte{3};
    }
    left.clear();
    CHECK(pool.statistics().live == 4);
}

} // namespace

int main() {
    if (!linn::detail::thread_locals_last) {
        return linn_test::skip("thread_local objects are destroyed after their memory was freed here");
    }
    linn_test::run_child(&everything).expect_success("exit");
    everything();
}
