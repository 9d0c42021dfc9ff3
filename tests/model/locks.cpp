// SPDX-License-Identifier: Apache-2.0
// The locks themselves, of which the other scenarios take the promise only.
#include "policy.hpp"

#include <linn/detail/sync/idle_front.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <cstddef>

namespace model::of_locks {

struct lock_parking {
    template <class T>
    using atomic = model::atomic<T>;
    static constexpr int spins = 1;
    static void wait(atomic<std::uint32_t>& place, std::uint32_t expected) noexcept {
        futex_wait(&place, expected);
    }
    static void wake(atomic<std::uint32_t>& place) noexcept { futex_wake_one(&place); }
};
struct real_mutex : linn::detail::basic_mutex<lock_parking> {
    static bool held_for_fork() noexcept { return false; }
};

/// Threads enter, some of them twice: one at a time, each sees what those before it wrote, and nobody is
/// left asleep.
template <unsigned... Rounds>
struct mutex_state {
    void run(unsigned t) {
        constexpr unsigned rounds[] = {Rounds...};
        for (unsigned i = 0; i < rounds[t]; ++i) {
            lock.lock();
            ++inside;
            lock.unlock();
        }
    }
    void finish() { check(inside == (Rounds + ...), "each entry is counted"); }

    real_mutex lock;
    unsigned inside = 0;
};
const registration<mutex_state<2, 2>> mutex_of_two{"mutex.two", 2};
const registration<mutex_state<1, 1, 1>> mutex_of_three{"mutex.three", 3};
const registration<mutex_state<2, 1, 1>> mutex_again{"mutex.three_again", 3, true};

/// The owner, thread 0, enters again and again while others take the lock away and give it back.
struct biased_state {
    using lock_type = linn::detail::biased_lock<policy>;

    void run(unsigned t) {
        if (t == 0) {
            for (int i = 0; i < 2; ++i) {
                if (lock.try_enter()) {
                    ++inside;
                    ++entries;
                    lock.leave();
                } else {
                    const linn::detail::lock_guard<policy::mutex> guard{revokers};
                    ++inside;
                    ++entries;
                }
            }
        } else {
            const linn::detail::lock_guard<policy::mutex> guard{revokers};
            lock.revoke();
            linn::detail::thread_barrier();
            lock.await();
            ++inside;
            lock.restore();
        }
    }

    void finish() {
        check(inside == thread_count() + 1 && entries == 2, "each entry is counted");
        check(lock.try_enter(), "the owner may enter");
    }

    lock_type lock;
    policy::mutex revokers;
    unsigned inside = 0;
    unsigned entries = 0;
};
const registration<biased_state> biased_of_two{"biased.one_revoker", 2};
const registration<biased_state> biased_of_three{"biased.two_revokers", 3};

} // namespace model::of_locks
