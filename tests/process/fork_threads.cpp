// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in pools may allocate, and free
// objects from before the fork.
//
// Breaks when a lock is held by a thread that does not exist in the child (it hangs, and the alarm
// ends it), or when a depot was copied in the middle of a change (the child finds it inconsistent).
// 200 forks, each while three threads are proven to be at work.
#include "busy_threads.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    std::size_t number;
    char bytes[40];
};
struct unused_before_the_fork {
    char bytes[500];
};

void hammer(linn_test::busy_threads& threads, std::size_t seed) {
    std::vector<item*> held(500, nullptr);
    linn::map<std::size_t, int> map;
    for (std::uint64_t random = seed; threads.goes_on(); random = random * 25214903917U + 11) {
        const auto i = static_cast<std::size_t>(random >> 10);
        item*& box = held[(i >> 10) % held.size()];
        linn::pool<item>::destroy(box);
        box = linn::pool<item>::create();
        map[i % 1000] = 1;
        if (map.size() > 900) {
            map.clear();
        }
        if (i % 4096 == 0) {
            linn::pool<item>::trim();
        }
        threads.worked();
    }
    for (item* object : held) {
        linn::pool<item>::destroy(object);
    }
}

void in_the_child(std::vector<item*>& before) {
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i]->number == i);
    }
    std::set<item*> fresh;
    for (std::size_t i = 0; i < 2000; ++i) {
        item* object = linn::pool<item>::create();
        object->number = ~std::size_t{0};
        CHECK(fresh.insert(object).second);
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(fresh.count(before[i]) == 0);
        CHECK(before[i]->number == i);
        linn::pool<item>::destroy(before[i]);
    }
    for (item* object : fresh) {
        CHECK(object->number == ~std::size_t{0});
        linn::pool<item>::destroy(object);
    }
    linn::unordered_map<int, int> map;
    for (int i = 0; i < 1000; ++i) {
        map.emplace(i, i);
    }
    linn::pool<unused_before_the_fork>::destroy(linn::pool<unused_before_the_fork>::create());
    linn::pool<item>::trim();
    for (const auto& s : linn::statistics()) {
        // Of the threads before the fork only this one is here.
        CHECK_AT_MOST(s.threads, 1);
        CHECK_AT_MOST(s.live, s.peak);
    }
    CHECK(linn::pool<unused_before_the_fork>::statistics().live == 0);
    if constexpr (!linn_test::tsan && !linn_test::asan) { // which do not know threads after such a fork
        std::thread{[] { linn::pool<item>::destroy(linn::pool<item>::create()); }}.join();
    }
}

} // namespace

int main() {
    std::vector<item*> before;
    for (std::size_t i = 0; i < 300; ++i) {
        before.push_back(linn::pool<item>::create());
        before.back()->number = i;
    }
    linn_test::busy_threads threads;
    for (const std::size_t seed : {1U, 2U, 3U}) {
        threads.start([&threads, seed] { hammer(threads, seed); });
    }
    threads.fork(200, 30, 100, [&] { in_the_child(before); });
    threads.join();
    for (std::size_t i = 0; i < before.size(); ++i) {
        CHECK(before[i]->number == i);
        linn::pool<item>::destroy(before[i]);
    }
    CHECK(linn::leak_report().empty());
}
