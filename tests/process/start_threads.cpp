// SPDX-License-Identifier: Apache-2.0
// Promise: pools work from any thread at any time, also in threads that static initialisers start
// before main, and in static initialisers themselves.
//
// Breaks when a pool needs a constructor that has not run yet. The initialisers here run before
// those of anything below them, and main checks that they did.
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[3];
};

std::atomic<int> worked{0};

void work() {
    std::vector<item*> objects;
    for (int i = 0; i < 2000; ++i) {
        objects.push_back(linn::pool<item>::create());
    }
    for (item* object : objects) {
        linn::pool<item>::destroy(object);
    }
    linn::map<int, int> map;
    for (int i = 0; i < 500; ++i) {
        map.emplace(i, i);
    }
    worked.fetch_add(1);
}

/// Threads that start here end before main, in main, and during exit.
struct starter {
    starter() {
        std::thread{&work}.join();
        for (std::thread& t : threads) {
            t = std::thread{&work};
        }
        work();
    }
    ~starter() {
        linn_test::join_all(threads);
        work();
        CHECK(worked.load() == 7);
        for (const auto& s : linn::statistics()) {
            CHECK(s.live == 0);
            CHECK_AT_MOST(s.threads, 1);
        }
    }
    std::thread threads[4];
} start;

linn::unordered_map<int, int> global{{1, 2}, {3, 4}};

} // namespace

int main() {
    CHECK(worked.load() >= 2);
    CHECK(global.at(3) == 4);
    global.emplace(5, 6);
    global.clear();
}
