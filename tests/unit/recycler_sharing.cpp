// SPDX-License-Identifier: Apache-2.0
// What one thread caches is there for all: an object is made only when none is idle anywhere, and destroyed only when
// `capacity` are; and what that costs stays small, however objects move between threads. What threads cache ends with the recycler, and
// more of them than have numbers are served. That no object is handed out twice: tests/stress.
#include "unit.hpp"

#include <linn/recycler.hpp>

namespace recycler_sharing_tests {

#if defined(__SANITIZE_THREAD__) || defined(LINN_TEST_SLOWDOWN)
constexpr bool slow = true;
#elif defined(__has_feature)
constexpr bool slow = __has_feature(thread_sanitizer);
#else
constexpr bool slow = false;
#endif

/// Counts those that were made.
struct connection {
    static inline std::atomic<int> made{0};
    connection() { ++made; }
};

TEST_CASE("recycler: one thread acquires, another releases: few system calls, and no object too many") {
    using item = connection;
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
    CHECK(item::made <= 3); // one on its way, and one in each hand
    CHECK((all.statistics().steals > 0) == linn::detail::thread_locals_last);
    CHECK(all.statistics().steals < rounds / 32 + 8);
}

std::atomic<int> alive{0};

struct job {
    job() { ++alive; }
    ~job() { --alive; }
    int user = 0; // not atomic: ThreadSanitizer sees an object that two threads have
    std::vector<int> data;
};

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
    linn::recycler<job> jobs{1000};
    constexpr int threads = slow ? 270 : 300;
    std::atomic<int> arrived{0};
    linn_test::in_threads(threads, [&] {
        {
            const auto a = jobs.acquire();
            a->user = 1;
            ++arrived;
            linn_test::wait_until([&] { return arrived >= threads; });
        }
        for (int k = 0; k < 20; ++k) {
            ++jobs.acquire_shared()->user;
        }
    });
    CHECK(jobs.live() == 0);
    CHECK(jobs.idle() <= 1000);
    CHECK(alive == static_cast<int>(jobs.idle()));
}

} // namespace recycler_sharing_tests
