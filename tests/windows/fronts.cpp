// SPDX-License-Identifier: Apache-2.0
// Promise: on Windows, threads hold a cache of each pool, as elsewhere; the calls leave GetLastError alone; and pools for
// which there is no room in a thread's block still work. That caches go back when a thread ends: threads.cpp.
//
// Breaks where a pool takes its lock at each call, since GCC's emulation frees thread_local variables too early.
#include "process.hpp"

#include <linn/pool.hpp>

namespace {

template <std::size_t number>
struct item {
    std::size_t value[number % 7 + 1];
};

template <std::size_t number>
void use() {
    using items = linn::pool<item<number>>;
    std::vector<item<number>*> all(20);
    for (auto*& p : all) {
        p = items::allocate();
        p->value[0] = number;
    }
    for (auto* p : all) {
        CHECK(p->value[0] == number);
        items::deallocate(p);
    }
    CHECK(items::statistics().live == 0);
}

template <std::size_t... numbers>
void use_all(std::index_sequence<numbers...>) {
    (use<numbers>(), ...);
}

void visits_are_few() {
    using items = linn::pool<item<10'000>>;
    items::deallocate(items::allocate());
    const std::size_t before = items::statistics().depot_visits;
    for (int i = 0; i != 10'000; ++i) {
        ::SetLastError(1234);
        items::deallocate(items::allocate());
        CHECK(::GetLastError() == 1234);
    }
    CHECK(items::statistics().depot_visits == before);
    CHECK(items::statistics().threads == 1);
    const auto here = items::on_this_thread();
    for (int i = 0; i != 10'000; ++i) {
        here.deallocate(here.allocate());
    }
    CHECK(items::statistics().depot_visits == before);
}

} // namespace

int main() {
    if (linn::detail::threads_hold_fronts && !linn::detail::checked_build) {
        visits_are_few();
    }
    use_all(std::make_index_sequence<600>{}); // more than have a place
    std::thread{[] { use_all(std::make_index_sequence<600>{}); }}.join();
    return 0;
}
