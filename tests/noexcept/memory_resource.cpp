// SPDX-License-Identifier: Apache-2.0
// Promise: pool_resource works with -fno-exceptions -fno-rtti, where what cannot be had ends the program.
//
// Breaks with a `throw`, a `try` or a `dynamic_cast` that is not guarded: a compile error.
#include "process.hpp"

#include <linn/memory_resource.hpp>

#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

int main() {
    linn::pool_resource r;
    linn::pool_resource over{{.slab_bytes = 4096}, &r};
    {
        std::pmr::map<int, std::pmr::string> map{&over};
        for (int i = 0; i < 1000; ++i) {
            map.emplace(i, std::pmr::string(static_cast<std::size_t>(i), 'x'));
        }
        std::thread{[&] { map.erase(map.begin(), map.find(500)); }}.join();
        CHECK(map.size() == 500);
        std::pmr::vector<int> large(100'000, 7, linn::default_pool_resource());
        CHECK(large.back() == 7);
    }
    CHECK(r.is_equal(r) && !r.is_equal(over));
    for (const auto& s : over.statistics()) {
        CHECK(s.live == 0);
    }
    over.trim();
    over.release();
    r.release();

    const auto child = linn_test::run_child([&] { static_cast<void>(r.allocate(SIZE_MAX / 2, 16)); });
    child.expect(child.killed_by(SIGABRT), "out of memory");
}
