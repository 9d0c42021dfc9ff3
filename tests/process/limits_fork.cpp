// SPDX-License-Identifier: Apache-2.0
// Promise: in the child of a process whose threads are busy in a pool with a limit, the limit is exact: what the threads
// that are gone held stays handed out, and every other object can be had, none lost in a cache of theirs.
//
// Breaks when a thread caches objects of such a pool, or when a fork copies it in the middle of a change.
#include "busy_threads.hpp"

#include <linn/pool.hpp>

namespace {

struct item {
    char bytes[48];
};
constexpr std::size_t most = 1000;
using pool = linn::pool<item, linn::pool_options{.max_objects = most}>;

void hammer(linn_test::busy_threads& threads, std::size_t each) {
    std::vector<item*> held;
    while (threads.goes_on()) {
        while (held.size() != each) {
            held.push_back(pool::allocate());
        }
        pool::deallocate_n(held);
        held.clear();
        threads.worked();
    }
}

void in_the_child(const std::vector<item*>& before) {
    const std::size_t held = pool::statistics().live; // by us, and by threads that are not here
    CHECK(held >= before.size());
    CHECK(held <= most);
    CHECK(pool::statistics().cached == 0);
    for (std::size_t i = held; i != most; ++i) {
        CHECK(pool::try_allocate() != nullptr);
    }
    CHECK(pool::try_allocate() == nullptr);
    pool::deallocate_n(before);
    for (std::size_t i = 0; i != before.size(); ++i) {
        CHECK(pool::try_allocate() != nullptr);
    }
    CHECK(pool::try_allocate() == nullptr);
}

} // namespace

int main() {
    if (linn_test::on_memcheck()) {
        return linn_test::skip("Memcheck has the objects");
    }
    std::vector<item*> before(300);
    pool::allocate_n(before);
    linn_test::busy_threads threads;
    for (const std::size_t each : {50U, 100U, 200U}) {
        threads.start([&threads, each] { hammer(threads, each); });
    }
    threads.fork(100, 20, 10, [&] { in_the_child(before); });
    threads.join();
    pool::deallocate_n(before);
    CHECK(pool::statistics().live == 0);
}
