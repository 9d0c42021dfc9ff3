// SPDX-License-Identifier: Apache-2.0
// Promise: in the child of a fork for_each_live visits what the program has, and not what the threads
// that did not come along had cached.
//
// Breaks when those caches are only written off in number: their slots are out of the slabs and in no
// front any more, so they would be taken for live.
#include "process.hpp"

#include <linn/pool.hpp>

namespace {

struct item {
    long words[6];
};
using pool = linn::pool<item>;

std::set<item*> visited() {
    std::set<item*> all;
    const std::size_t n = pool::for_each_live([&](item& object) { all.insert(&object); });
    CHECK(n == all.size());
    return all;
}

} // namespace

int main() {
    std::set<item*> live;
    std::vector<item*> mine(777);
    pool::allocate_n(mine);
    std::atomic<int> ready{0};
    std::atomic<bool> done{false};
    std::vector<item*> theirs[3];
    std::vector<std::thread> threads;
    for (auto& some : theirs) {
        threads.emplace_back([&] {
            // Full magazines and half empty ones, and objects that stay.
            some.resize(1000);
            pool::allocate_n(some);
            for (std::size_t i = 0; i < 600; ++i) {
                pool::deallocate(some.back());
                some.pop_back();
            }
            ++ready;
            linn_test::wait_until(done);
        });
    }
    linn_test::wait_until([&] { return ready == 3; });
    live.insert(mine.begin(), mine.end());
    for (const auto& some : theirs) {
        live.insert(some.begin(), some.end());
    }
    CHECK(visited() == live);

    linn_test::run_child([&] {
        CHECK(visited() == live);
        CHECK(pool::statistics().live == live.size());
        item* const fresh = pool::create();
        CHECK(live.insert(fresh).second);
        pool::deallocate(mine[0]);
        live.erase(mine[0]);
        CHECK(visited() == live);
        pool::trim();
        CHECK(visited() == live);
        linn_test::run_child([&] {
            CHECK(visited() == live);
            ::_exit(0);
        }).expect_success("the child's child");
        ::_exit(0); // what the C library had for the threads that are gone looks leaked
    }).expect_success("the child");

    done = true;
    linn_test::join_all(threads);
    CHECK(visited() == live);
}
