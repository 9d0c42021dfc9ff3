// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in buffer pools may use them: its own
// buffers are intact, and taking, giving back, making and ending pools work.
//
// Breaks when a lock is held by a thread that does not exist in the child (it hangs, and the alarm ends
// it), or when a pool was copied in the middle of a change.
#include "process.hpp"

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

std::atomic<bool> stop{false};
std::atomic<std::size_t> work_done{0};
int handlers_run = 0;

void hammer() {
    for (std::size_t i = 1; !stop.load(std::memory_order_relaxed); ++i) {
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
        work_done.fetch_add(1, std::memory_order_relaxed);
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
    std::atomic<bool> ready{false};
    std::atomic<bool> over{false};
    std::thread other{[&] {
        for (int i = 0; i < 100; ++i) {
            counted.acquire().reset();
        }
        ready = true;
        while (!over) {
            std::this_thread::yield();
        }
    }};
    while (!ready) {
        std::this_thread::yield();
    }
    linn_test::check_forked([] { CHECK(counted.statistics().acquired == 100); });
    CHECK(counted.statistics().acquired == 100);
    over = true;
    other.join();
}

} // namespace

int main() {
    CHECK(registered_first == 0 && registered_last == 0);
    std::optional<linn::buffer> before{pool.acquire()};
    before->span().back() = std::byte{42};
    std::thread threads[2] = {std::thread{&hammer}, std::thread{&hammer}};
    const int forks = linn_test::on_memcheck() ? 3 : (linn_test::asan || linn_test::tsan ? 20 : 100);
    for (int i = 0; i < forks; ++i) {
        const std::size_t then = work_done;
        while (work_done < then + 20) {
            std::this_thread::yield();
        }
        // Not run_child: exit() would run the destructors of a process whose threads are gone.
        std::fflush(nullptr);
        const ::pid_t pid = ::fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            ::alarm(20 * linn_test::slowdown);
            in_the_child(*before);
            before.reset();
            ::_exit(0);
        }
        int status = 0;
        CHECK(::waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = true;
    for (std::thread& t : threads) {
        t.join();
    }
    CHECK(handlers_run == 4 * forks);
    what_was_acquired_counts();
    CHECK(before->span().back() == std::byte{42});
    before.reset();
    CHECK(pool.statistics().live == 0);
    CHECK(cached.statistics().live == 0);
}
