// SPDX-License-Identifier: Apache-2.0
// The lock that its owner enters without a locked instruction: nobody is inside together with a
// revoker. Broken by a barrier that is left out (the count is wrong, ThreadSanitizer sees a race), by a
// revoker that does not wait, and by one that forgets to let the owner in again.
#include "unit.hpp"

#include <linn/detail/sync/biased_lock.hpp>
#include <linn/detail/sync/policy.hpp>

namespace sync_biased_lock_tests {

using lock = linn::detail::biased_lock<linn::detail::platform>;

bool enter(lock& l) {
    return l.try_enter() || l.try_enter_symmetric();
}

void take_away(lock& l, bool asymmetric) {
    l.revoke();
    lock::barrier(asymmetric);
    l.await();
}

void exclusion(bool asymmetric) {
    lock l{asymmetric};
    std::mutex revokers;
    std::size_t inside = 0; // not atomic: the lock guards it
    std::size_t entries = 0;
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> by_owner{0};
    std::thread owner{[&] {
        while (!stop.load(std::memory_order_relaxed)) {
            if (enter(l)) {
                ++inside;
                l.leave();
                by_owner.store(++entries, std::memory_order_relaxed);
            } else {
                std::this_thread::yield();
            }
        }
    }};
    constexpr std::size_t rounds = 40;
    auto revoke_often = [&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            const std::size_t before = by_owner;
            {
                const std::lock_guard<std::mutex> guard{revokers};
                take_away(l, asymmetric);
                ++inside;
                l.restore();
            }
            linn_test::wait_until([&] { return by_owner != before; }); // the owner gets in again
        }
    };
    std::thread other{revoke_often};
    revoke_often();
    other.join();
    stop = true;
    owner.join();
    CHECK(inside == entries + 2 * rounds);
}

TEST_CASE("biased_lock: owner and revokers exclude one another") {
    if (linn::detail::enable_thread_barrier()) {
        exclusion(true);
    }
}

TEST_CASE("biased_lock: the same where the system has no barrier for threads") {
    exclusion(false);
}

TEST_CASE("biased_lock: revoked it refuses, restored it admits; only a symmetric one has the second way") {
    for (const bool asymmetric : {true, false}) {
        if (asymmetric && !linn::detail::enable_thread_barrier()) {
            continue;
        }
        lock l{asymmetric};
        CHECK(l.try_enter() == asymmetric);
        if (asymmetric) {
            l.leave();
        }
        CHECK(l.try_enter_symmetric() == !asymmetric);
        if (!asymmetric) {
            l.leave();
        }
        take_away(l, asymmetric);
        CHECK(!enter(l));
        take_away(l, asymmetric); // a second time changes nothing, and finds nobody inside
        CHECK(!enter(l));
        l.restore();
        REQUIRE(enter(l));
        l.leave();
    }
}

TEST_CASE("biased_lock: a revoker waits until the owner is out") {
    const bool asymmetric = linn::detail::enable_thread_barrier();
    lock l{asymmetric};
    REQUIRE(enter(l));
    std::atomic<bool> revoked{false};
    std::atomic<bool> taken{false};
    std::thread revoker{[&] {
        l.revoke();
        revoked = true;
        lock::barrier(asymmetric);
        l.await();
        taken = true;
    }};
    linn_test::wait_until(revoked);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    CHECK(!taken);
    l.leave();
    revoker.join();
    CHECK(taken);
}

TEST_CASE("biased_lock: an owner that is gone in the child of a fork is not waited for") {
    for (const bool asymmetric : {false, linn::detail::enable_thread_barrier()}) {
        lock l{asymmetric};
        CHECK(enter(l));
        l.revoke();
        l.forget_owner();
        l.await();
        l.restore();
        CHECK(enter(l));
        l.leave();
    }
}

} // namespace sync_biased_lock_tests
