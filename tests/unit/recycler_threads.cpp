// SPDX-License-Identifier: Apache-2.0
// One recycler, many threads: any of them acquires and releases, objects are never handed out twice,
// the bound holds, and the recycler may end while others release.
#include "unit.hpp"

#include <linn/recycler.hpp>

#include <deque>

namespace recycler_threads_tests {

#if defined(__SANITIZE_THREAD__) || defined(LINN_TEST_SLOWDOWN)
constexpr bool slow = true;
#elif defined(__has_feature)
constexpr bool slow = __has_feature(thread_sanitizer);
#else
constexpr bool slow = false;
#endif

std::atomic<int> alive{0};

struct job {
    job() { ++alive; }
    job(const job&) = delete;
    job& operator=(const job&) = delete;
    ~job() { --alive; }
    int user = 0; // not atomic: ThreadSanitizer sees an object that two threads have
    std::vector<int> data;
};

/// A bounded queue between threads.
template <class Item>
class channel {
public:
    bool push(Item&& item) {
        const std::lock_guard<std::mutex> guard{lock_};
        if (items_.size() >= 64) {
            return false;
        }
        items_.push_back(std::move(item));
        return true;
    }
    Item pop() {
        const std::lock_guard<std::mutex> guard{lock_};
        if (items_.empty()) {
            return {};
        }
        Item first = std::move(items_.front());
        items_.pop_front();
        return first;
    }

private:
    std::mutex lock_;
    std::deque<Item> items_;
};

template <class Item, class Acquire>
void pipeline(linn::recycler<job>& jobs, Acquire acquire) {
    constexpr int each = slow ? 2'000 : 20'000;
    channel<Item> between;
    std::atomic<int> received{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < each; ++i) {
                Item item = acquire();
                item->user = t + 1;
                while (!between.push(std::move(item))) {
                    std::this_thread::yield();
                }
            }
        });
        threads.emplace_back([&] {
            while (received < 2 * each) {
                if (Item item = between.pop()) {
                    if (item->user <= 0) {
                        received = 1 << 30; // somebody else had it meanwhile
                    }
                    item->user = -1;
                    ++received;
                } else {
                    std::this_thread::yield();
                }
            }
        });
    }
    linn_test::join_all(threads);
    CHECK(received == 2 * each);
    CHECK(jobs.live() == 0);
    CHECK(jobs.idle() <= jobs.capacity());
    // 64 in the queue, 4 in hands, and what sits idle with others: it does not grow with the work.
    CHECK(alive == static_cast<int>(jobs.idle()));
}

TEST_CASE("recycler: acquired here, released there") {
    linn::recycler<job> jobs{256};
    pipeline<linn::recycler<job>::handle>(jobs, [&jobs] { return jobs.acquire(); });
    pipeline<std::shared_ptr<job>>(jobs, [&jobs] { return jobs.acquire_shared(); });
    CHECK(jobs.statistics().created < 2'000);
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
        CHECK(all.statistics().threads == 3);
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

} // namespace recycler_threads_tests
