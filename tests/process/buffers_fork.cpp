// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in buffer pools may use them: its own
// buffers are intact, and taking, giving back, making and ending pools work.
//
// Breaks when a lock is held by a thread that does not exist in the child (it hangs, and the alarm ends
// it), or when a pool was copied in the middle of a change.
#include "busy_threads.hpp"

#include <linn/buffer_pool.hpp>

#include <pthread.h>

#include <optional>

namespace {

constexpr std::size_t bytes = 64 * linn_test::kib;

void handler();

/// Handlers that are registered before the library's run between them, while it holds its locks.
const int registered_first = ::pthread_atfork(&handler, &handler, &handler);
linn::buffer_pool pool{bytes, {.retain_bytes = 2 * bytes}};
linn::buffer_pool cached{bytes}; // retains so many that each thread caches some
const int registered_last = ::pthread_atfork(&handler, &handler, &handler);

int handlers_run = 0;

void hammer(linn_test::busy_threads& threads) {
    for (std::size_t i = 1; threads.goes_on(); ++i) {
        linn::buffer a = pool.acquire();
        a.span().front() = std::byte{1};
        linn::buffer b = pool.acquire();
        for (int k = 0; k < 20; ++k) {
            const linn::buffer c = cached.acquire();
            c.span().back() = std::byte{7};
        }
        if (i % 64 == 0) {
            cached.trim();
            pool.trim();
            linn::buffer_pool other{bytes};
            other.acquire().reset();
        }
        threads.worked();
    }
}

/// Fork handlers of a program may use pools, before, between and after those of the library.
void handler() {
    const linn::buffer b = pool.try_acquire();
    CHECK(b);
    CHECK(pool.statistics().live > 0);
    CHECK(cached.try_acquire());
    linn::buffer_pool other{bytes};
    other.acquire().reset();
    ++handlers_run;
}

void in_the_child(const linn::buffer& before) {
    CHECK(before.span().back() == std::byte{42});
    std::vector<linn::buffer> all;
    for (int i = 0; i < 20; ++i) {
        all.push_back(pool.acquire());
        CHECK(all.back().data() != before.data());
        all.back().span().front() = std::byte{9};
    }
    all.clear();
    pool.trim();
    CHECK(pool.statistics().cached == 0);
    // What the threads had in use that are gone is lost; what they cached is not.
    const std::size_t idle = cached.statistics().cached;
    const std::size_t mapped = cached.statistics().mappings;
    for (std::size_t i = 0; i < idle; ++i) {
        all.push_back(cached.acquire());
    }
    CHECK(cached.statistics().mappings == mapped);
    CHECK(cached.statistics().cached == 0);
    if constexpr (!linn_test::tsan && !linn_test::asan) { // which do not know threads after such a fork
        std::thread{[] { cached.acquire().reset(); }}.join();
    }
    all.clear();
    CHECK(cached.statistics().live <= 2);
    cached.trim();
    CHECK(cached.statistics().cached == 0);
    linn::buffer_pool other{bytes};
    other.acquire().reset();
    CHECK(before.span().back() == std::byte{42});
}

/// The child counts what the threads that are gone had acquired from their caches.
void what_was_acquired_counts() {
    static linn::buffer_pool counted{bytes};
    const auto acquire = [] {
        for (int i = 0; i < 100; ++i) {
            counted.acquire().reset();
        }
    };
    linn_test::check_forked_beside(acquire, [] { CHECK(counted.statistics().acquired == 100); });
    CHECK(counted.statistics().acquired == 100);
}

} // namespace

int main() {
    CHECK(registered_first == 0 && registered_last == 0);
    std::optional<linn::buffer> before{pool.acquire()};
    before->span().back() = std::byte{42};
    linn_test::busy_threads threads;
    for (int i = 0; i < 2; ++i) {
        threads.start([&] { hammer(threads); });
    }
    const std::size_t forks = threads.fork(100, 20, 20, [&] {
        in_the_child(*before);
        before.reset();
    });
    threads.join();
    CHECK(handlers_run == 4 * static_cast<int>(forks));
    what_was_acquired_counts();
    CHECK(before->span().back() == std::byte{42});
    before.reset();
    CHECK(pool.statistics().live == 0);
    CHECK(cached.statistics().live == 0);
}
