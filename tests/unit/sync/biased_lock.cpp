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
