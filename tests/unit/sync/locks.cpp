// SPDX-License-Identifier: Apache-2.0
// Promise: the mutex has one owner at a time, wakes waiting threads, publishes writes, and is free in the child of a fork.
#include "unit.hpp"

#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/idle_front.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>

namespace sync_locks_tests {

using linn::detail::lock_guard;
using linn::detail::mutex;

linn::detail::module_part no_module;

static_assert(sizeof(linn::detail::basic_mutex<linn::detail::parking>) == 4);
static_assert(std::is_trivially_destructible_v<mutex>);
constinit mutex at_start{no_module};
static_assert(!std::is_default_constructible_v<mutex>); // it belongs to an object that forks stop

TEST_CASE("mutex: excludes, wakes and publishes, under contention") {
    mutex m{no_module};
    // Plain variables: a data race, for the sanitizer to see, if the lock does not order them.
    long counter = 0;
    bool inside = false;
    bool met = false;
    constexpr int rounds = 20'000;
    linn_test::in_threads(4, [&] {
        for (int i = 0; i < rounds; ++i) {
            m.lock();
            met = met || inside;
            inside = true;
            ++counter;
            if (i % 1000 == 0) {
                std::this_thread::yield(); // long enough for the others to sleep
            }
            inside = false;
            m.unlock();
        }
    });
    CHECK(counter == 4 * rounds);
    CHECK_FALSE(met);
}

/// Whether another thread waits for a lock that this one has, until it lets go of it after a while.
template <class LetGo>
bool another_waits(mutex& m, LetGo let_go) {
    bool waited = false;
    std::thread other{[&] {
        const lock_guard<mutex> guard{m};
        waited = guard.waited();
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    let_go();
    other.join();
    return waited;
}

TEST_CASE("lock_guard: tells whether it waited, and unlocks") {
    mutex m{no_module};
    {
        const lock_guard<mutex> guard{m};
        CHECK_FALSE(guard.waited());
        CHECK_FALSE(m.try_lock());
    }
    CHECK(m.try_lock());
    CHECK(another_waits(m, [&] { m.unlock(); }));
    CHECK(m.try_lock());
}

TEST_CASE("lock_guard: the thread that holds a lock for a fork passes through it; others wait") {
    mutex m{no_module};
    m.lock_for_fork();
    {
        const lock_guard<mutex> guard{m};
        CHECK_FALSE(guard.waited());
    }
    CHECK_FALSE(m.try_lock()); // it released nothing
    CHECK(another_waits(m, [&] { m.unlock_after_fork(); }));
    CHECK_FALSE(m.held_for_fork());
}

TEST_CASE("mutex: what was not held for a fork is not released after it; in the child it is free") {
    mutex m{no_module};
    m.lock(); // by a thread that came in after the fork had begun
    m.unlock_after_fork();
    CHECK_FALSE(m.try_lock());
    m.unlock();
    m.lock_for_fork();
    m.reset();
    CHECK_FALSE(m.held_for_fork());
    CHECK(m.try_lock());
}

// The lock that its owner enters without a locked instruction; that it is never inside together with a revoker: tests/model.
TEST_CASE("biased_lock: an owner that is gone in the child of a fork is not waited for") {
    linn::detail::biased_lock<linn::detail::platform> l;
    CHECK(l.try_enter());
    l.revoke();
    l.forget_owner();
    l.await();
    l.restore();
    CHECK(l.try_enter());
    l.leave();
}

} // namespace sync_locks_tests
