// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in a recycler may acquire, release, trim
// and destroy it.
//
// Breaks when a lock is held by a thread that does not exist in the child, or when somebody there waits
// for such a thread to leave its cache: the child hangs, and the alarm ends it.
#include "busy_threads.hpp"

#include <linn/recycler.hpp>

namespace {

struct item {
    std::size_t number;
    char bytes[40];
};

using items = linn::recycler<item>;

void hammer(linn_test::busy_threads& threads, items& all) {
    std::vector<items::handle> held(50);
    for (std::size_t i = 1; threads.goes_on(); ++i) {
        held[i % held.size()] = all.acquire();
        const auto shared = all.acquire_shared();
        if (i % 64 == 0) {
            for (items::handle& h : held) {
                h.reset();
            }
        }
        if (i % 1024 == 0) {
            all.trim();
        }
        threads.worked();
    }
}

void in_the_child(items* all, std::vector<items::handle>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i]->number == i);
    }
    std::set<item*> different;
    std::vector<items::handle> fresh;
    for (std::size_t i = 0; i < 300; ++i) {
        fresh.push_back(all->acquire());
        CHECK(different.insert(fresh.back().get()).second);
        fresh.back()->number = 12345;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i]->number == i);
        CHECK(different.count(before[i].get()) == 0);
    }
    std::shared_ptr<item> shared = all->acquire_shared();
    const std::weak_ptr<item> weak = shared;
    shared.reset();
    fresh.clear();
    CHECK_AT_MOST(all->idle(), all->capacity());
    CHECK(all->statistics().threads == 1);
    all->trim();
    CHECK(all->idle() == 0);
    if constexpr (!linn_test::tsan && !linn_test::asan) { // which do not know threads after such a fork
        std::thread{[all] { all->acquire().reset(); }}.join();
        CHECK(all->idle() == 1);
        delete all;
    }
    before.clear();
}

} // namespace

int main() {
    auto* all = new items{200};
    std::vector<items::handle> before;
    for (std::size_t i = 0; i < 100; ++i) {
        before.push_back(all->acquire());
        before.back()->number = i;
    }
    linn_test::busy_threads threads;
    for (int i = 0; i < 2; ++i) {
        threads.start([&] { hammer(threads, *all); });
    }
    threads.fork(100, 30, 100, [&] { in_the_child(all, before); });
    threads.join();
    before.clear();
    CHECK(all->live() == 0);
    CHECK_AT_MOST(all->idle(), all->capacity());
    delete all;
}
