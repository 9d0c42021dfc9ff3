// SPDX-License-Identifier: Apache-2.0
// What one thread caches is there for all: an object is made only when none is idle anywhere, and destroyed only when
// `capacity` are; and what that costs stays small, however objects move between threads. What threads cache ends with the recycler, and
// more of them than have numbers are served. That no object is handed out twice: tests/stress.
//
// With a limit: never more objects than that, in all threads together; `acquire` waits, `try_acquire` and
// `acquire_for` say that there is none; whatever an object's end is, its place is free again.
#include "unit.hpp"

#include <linn/recycler.hpp>

namespace recycler_threads_tests {

using namespace std::chrono_literals;

#if defined(__SANITIZE_THREAD__) || defined(LINN_TEST_SLOWDOWN)
constexpr bool slow = true;
#elif defined(__has_feature)
constexpr bool slow = __has_feature(thread_sanitizer);
#else
constexpr bool slow = false;
#endif

/// Counts those that exist, one count for each test.
template <class Tag>
struct connection {
    static inline std::atomic<int> open{0};
    static inline std::atomic<int> peak{0};
    connection() {
        const int n = ++open;
        int seen = peak;
        while (seen < n && !peak.compare_exchange_weak(seen, n)) {
        }
    }
    ~connection() { --open; }
    int uses = 0; // not atomic: ThreadSanitizer sees an object that two threads have
};

template <class T>
void await_waiters(const linn::recycler<T>& all, std::size_t n) {
    linn_test::wait_until([&] { return all.statistics().waiting == n; });
}

TEST_CASE("recycler: at the limit an object is refused, at once or after a time") {
    using item = connection<struct refused_tag>;
    linn::recycler<item> all{{.capacity = 8, .limit = 2}};
    CHECK(all.limit() == 2);
    CHECK(linn::recycler<item>{}.limit() == 0);
    auto first = all.acquire();
    const auto second = all.acquire_shared();
    CHECK(all.try_acquire() == nullptr);
    CHECK(all.try_acquire_shared() == nullptr);
    const auto begin = std::chrono::steady_clock::now();
    CHECK(all.acquire_for(10ms) == nullptr);
    CHECK(all.acquire_shared_for(10ms) == nullptr);
    CHECK(std::chrono::steady_clock::now() - begin >= 20ms);
    CHECK(all.acquire_for(-1s) == nullptr);
    CHECK(all.acquire_for(std::chrono::duration<double>{0.0}) == nullptr);
    CHECK(item::open == 2);
    first.reset();
    CHECK(all.try_acquire_shared() != nullptr);
    CHECK(all.acquire_shared_for(0s) != nullptr);
    CHECK(all.acquire_for(1h)->uses == 0);
    first = all.try_acquire();
    CHECK(first != nullptr);
    CHECK(item::peak == 2);
    const linn::recycler_statistics s = all.statistics();
    CHECK(s.limit == 2);
    CHECK(s.live == 2);
    CHECK(s.created == 2);
    CHECK(s.waiting == 0);
}

TEST_CASE(
    "recycler: an object that comes back ends a wait, on whichever thread and however it was acquired") {
    using item = connection<struct wait_tag>;
    linn::recycler<item> all{{.capacity = 8, .limit = 1}};
    for (int kind = 0; kind < 6; ++kind) {
        std::shared_ptr<item> held = all.acquire_shared();
        std::weak_ptr<item> observer = held;
        const item* object = held.get();
        std::atomic<bool> same{false};
        std::thread other{[&] {
            switch (kind % 3) {
            case 0:
                same = all.acquire().get() == object;
                break;
            case 1:
                same = all.acquire_for(1h).get() == object;
                break;
            default:
                same = all.acquire_shared_for(30s).get() == object;
            }
        }};
        await_waiters(all, 1);
        CHECK(all.statistics().live == 1);
        held.reset();
        CHECK(all.statistics().waiting == 1); // a weak_ptr holds the object back
        if (kind < 3) {
            observer.reset();
        } else {
            std::thread{[mine = std::move(observer)]() mutable { mine.reset(); }}.join();
        }
        other.join();
        CHECK(same);
    }
    CHECK(item::peak == 1);
}

TEST_CASE("recycler: many threads, few objects: each thread gets its turn") {
    using item = connection<struct many_tag>;
    linn::recycler<item> all{{.capacity = 2, .limit = 3}};
    std::atomic<int> refused{0};
    linn_test::in_threads(6, [&](int t) {
        for (int i = 0; i < 400; ++i) {
            if (i % 4 == 0) {
                const auto mine = all.acquire_shared();
                ++mine->uses;
            } else if (i % 4 == 1 && t % 2 == 0) {
                if (const auto mine = all.try_acquire(); mine != nullptr) {
                    ++mine->uses;
                } else {
                    ++refused;
                }
            } else if (i % 4 == 2) {
                if (const auto mine = all.acquire_for(50us); mine != nullptr) {
                    std::this_thread::yield();
                    ++mine->uses;
                } else {
                    ++refused;
                }
            } else {
                const auto mine = all.acquire();
                ++mine->uses;
            }
        }
    });
    CHECK(item::peak <= 3);
    CHECK(all.live() == 0);
    CHECK(all.statistics().waiting == 0);
    const auto a = all.try_acquire();
    const auto b = all.try_acquire();
    const auto c = all.try_acquire();
    CHECK(c != nullptr);
    CHECK(all.try_acquire() == nullptr);
}

TEST_CASE("recycler: the place of an object that cannot be made goes to the next") {
    struct failed {};
    static std::atomic<int> tries{0};
    struct made {
        int number;
    };
    std::atomic<bool> may_go_on{false};
    linn::recycler<made> all{{.limit = 1, .create = [&]() -> made {
                                  if (++tries % 2 == 1) {
                                      linn_test::wait_until(may_go_on);
                                      throw failed{};
                                  }
                                  return made{7};
                              }}};
    bool threw = false;
    std::thread first{[&] {
        try {
            static_cast<void>(all.acquire());
        } catch (const failed&) {
            threw = true;
        }
    }};
    linn_test::wait_until([&] { return tries != 0; });
    CHECK(all.try_acquire() == nullptr); // it is being made
    int number = 0;
    std::thread second{[&] { number = all.acquire_for(1h)->number; }};
    await_waiters(all, 1);
    may_go_on = true;
    first.join();
    second.join();
    CHECK(threw);
    CHECK(number == 7);
    CHECK(all.trim() == 1);
    CHECK(all.try_acquire() == nullptr); // this time it throws
    CHECK(all.try_acquire()->number == 7);
    CHECK(all.live() == 0);
}

TEST_CASE("recycler: threads that wait when it is destroyed get nothing") {
    using item = connection<struct ended_tag>;
    for (int round = 0; round < 50; ++round) {
        auto all = std::make_unique<linn::recycler<item>>(linn::recycler_options<item>{.limit = 1});
        auto held = all->acquire();
        std::atomic<int> nothing{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&nothing, &r = *all, t] {
                nothing += t == 0   ? r.acquire() == nullptr
                           : t == 1 ? r.acquire_shared() == nullptr
                                    : r.acquire_for(1h) == nullptr;
            });
        }
        await_waiters(*all, 3);
        if (round % 2 == 0) {
            all.reset();
            held.reset();
        } else { // at the same time as an object comes back
            std::thread other{[mine = std::move(held)]() mutable { mine.reset(); }};
            all.reset();
            other.join();
        }
        linn_test::join_all(threads);
        CHECK(nothing >= (round % 2 == 0 ? 3 : 0));
        CHECK(item::open == 0);
    }
    CHECK(linn::pool<linn::detail::recycler_slot<item>>::statistics().live == 0);
}

TEST_CASE("recycler: one thread acquires, another releases: few system calls, and no object too many") {
    using item = connection<struct passed_tag>;
    constexpr std::size_t rounds = slow ? 2'000 : 10'000;
    linn::recycler<item> all;
    std::atomic<item*> passed{nullptr};
    std::thread other{[&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            item* mine = nullptr;
            while ((mine = passed.exchange(nullptr)) == nullptr) {
                std::this_thread::yield();
            }
            linn::recycler<item>::recycle(mine);
        }
    }};
    for (std::size_t i = 0; i < rounds; ++i) {
        item* const mine = all.acquire().release();
        item* none = nullptr;
        while (!passed.compare_exchange_weak(none, mine)) {
            none = nullptr;
            std::this_thread::yield();
        }
    }
    other.join();
    CHECK(all.statistics().created <= 3); // one on its way, and one in each hand
    CHECK((all.statistics().steals > 0) == linn::detail::thread_locals_last);
    CHECK(all.statistics().steals < rounds / 32 + 8);
}

TEST_CASE("recycler: what other threads cache is destroyed in the destructor, on its thread") {
    static std::atomic<bool> elsewhere{false};
    struct bound {
        std::thread::id destroyer;
        ~bound() { elsewhere = elsewhere || std::this_thread::get_id() != destroyer; }
    };
    std::atomic<int> released{0};
    std::atomic<bool> go_home{false};
    std::vector<std::thread> threads;
    {
        linn::recycler<bound> all{
            {.reset = [me = std::this_thread::get_id()](bound& b) { b.destroyer = me; }}};
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([&] {
                std::vector<linn::recycler<bound>::handle> mine;
                for (int i = 0; i < 10; ++i) {
                    mine.push_back(all.acquire());
                }
                mine.clear();
                ++released;
                linn_test::wait_until(go_home); // so that they are still alive when the recycler ends
            });
        }
        linn_test::wait_until([&] { return released == 3; });
        CHECK(all.idle() >= 10);
        CHECK(all.statistics().threads == (linn::detail::thread_locals_last ? 3 : 0));
    }
    CHECK(!elsewhere);
    CHECK(linn::pool<linn::detail::recycler_slot<bound>>::statistics().live == 0);
    go_home = true;
    linn_test::join_all(threads);
}

TEST_CASE("recycler: more threads than have numbers") {
    using job = connection<struct job_tag>;
    linn::recycler<job> jobs{1000};
    constexpr int threads = slow ? 270 : 300;
    std::atomic<int> arrived{0};
    linn_test::in_threads(threads, [&] {
        {
            const auto a = jobs.acquire();
            a->uses = 1;
            ++arrived;
            linn_test::wait_until([&] { return arrived >= threads; });
        }
        for (int k = 0; k < 20; ++k) {
            ++jobs.acquire_shared()->uses;
        }
    });
    CHECK(jobs.live() == 0);
    CHECK(jobs.idle() <= 1000);
    CHECK(job::open == static_cast<int>(jobs.idle()));
}

} // namespace recycler_threads_tests
