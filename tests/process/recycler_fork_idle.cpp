// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a fork has all objects that are idle, also those that threads cached which do not exist there.
// What such threads had out stays out and counts for the limit; that they waited is forgotten. All is destroyed in the end.
//
// Breaks when the caches of other threads are not emptied before the fork, when a thread that waits in the parent is
// given an object in the child, or when it holds a recycler there that is destroyed.
#include "process.hpp"

#include <linn/recycler.hpp>

namespace {

using namespace std::chrono_literals;

struct item {
    int number = 0;
};
using items = linn::recycler<item>;
using slots = linn::pool<linn::detail::recycler_slot<item>>;
using cores = linn::detail::recycler_core<linn::detail::platform>::registry;

/// Acquires `n` and waits with them in hand.
class holder {
public:
    holder(items& all, std::size_t n, bool keeps) {
        thread_ = std::thread{[this, &all, n, keeps] {
            std::vector<items::handle> mine(n);
            for (items::handle& h : mine) {
                h = all.acquire();
            }
            if (!keeps) {
                mine.clear();
            }
            ready_ = true;
            linn_test::wait_until(over_);
        }};
        linn_test::wait_until(ready_);
    }
    void end() {
        over_ = true;
        thread_.join();
    }

private:
    std::thread thread_;
    std::atomic<bool> ready_{false};
    std::atomic<bool> over_{false};
};

void idle_objects() {
    auto* all = new items{{.capacity = 100, .limit = 20}};
    holder a{*all, 8, true};
    holder b{*all, 12, false};
    CHECK(all->idle() == 12 && all->live() == 8);
    for (int i = 0; i != 3; ++i) { // the first time they are in the cache of the other thread
        linn_test::check_forked([&] {
            CHECK(all->idle() == 12 && all->live() == 8);
            CHECK(all->statistics().threads <= 1);
            std::vector<items::handle> mine(12);
            for (items::handle& h : mine) {
                h = all->try_acquire();
                CHECK(h != nullptr);
            }
            CHECK(all->statistics().created == 20);
            CHECK(all->try_acquire() == nullptr);
            CHECK(all->acquire_for(1ms) == nullptr);
            mine.pop_back();
            CHECK(all->acquire() != nullptr);
            mine.clear();
            CHECK(all->idle() == 12);
            if constexpr (!linn_test::tsan &&
                          !linn_test::asan) { // which do not know threads after such a fork
                std::thread{[&] { CHECK(all->acquire() != nullptr); }}.join();
                CHECK(all->statistics().threads == 2);
                CHECK(all->acquire() != nullptr);
            }
            CHECK(all->trim() == 12);
            const std::size_t before = slots::statistics().live;
            CHECK(all->prefill(20) == 12);
            delete all;
            CHECK(slots::statistics().live == before);
        });
    }
    b.end();
    a.end();
    CHECK(all->idle() == 20);
    delete all;
    CHECK(slots::statistics().live == 0);
}

/// More capacity than what a child could lose without a trace.
void room() {
    items all{64};
    {
        std::vector<items::handle> mine(64);
        for (items::handle& h : mine) {
            h = all.acquire();
        }
        holder a{all, 10, false};
        holder b{all, 10, false};
        linn_test::check_forked([&] {
            const std::size_t idle = all.idle();
            mine.clear();
            CHECK(idle == 10 && all.idle() == 64); // of 74
        });
        a.end();
        b.end();
    }
}

void waiting_threads() {
    auto* all = new items{{.capacity = 100, .limit = 1}};
    items::handle only = all->acquire();
    std::atomic<bool> got{false};
    std::thread waits{[&] { got = all->acquire() != nullptr; }};
    linn_test::wait_until([&] { return all->statistics().waiting == 1; });
    linn_test::check_forked([&] {
        CHECK(all->statistics().waiting == 0);
        CHECK(all->live() == 1);
        only.reset();
        CHECK(all->idle() == 1);
        only = all->try_acquire();
        CHECK(only != nullptr);
        delete all; // the core goes with the object
        CHECK(slots::statistics().live == 1);
        CHECK(!cores::process().empty());
        only.reset();
        CHECK(slots::statistics().live == 0);
        CHECK(cores::process().empty());
    });
    only.reset();
    waits.join();
    CHECK(got);
    CHECK(all->statistics().waiting == 0);
    delete all;
}

} // namespace

int main() {
    idle_objects();
    room();
    waiting_threads();
}
