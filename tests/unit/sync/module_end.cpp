// SPDX-License-Identifier: Apache-2.0
// What a module does when it ends, by itself; tests/dso unloads real ones.
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/thread_index.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>

namespace {

/// As if `dlclose` ran the static destructors of this program.
struct ending {
    ending() { linn::detail::this_module.ending.store(true); }
    ending(const ending&) = delete;
    ending& operator=(const ending&) = delete;
    ~ending() { linn::detail::this_module.ending.store(false); }
};

struct item {
    long words[3];
};

} // namespace

TEST_CASE(
    "a thread that first uses pools while its module ends leaves nothing behind that would call it back") {
    using pool = linn::pool<item>;
    using indices = linn::detail::thread_index_table<linn::detail::platform>;
    linn::pool_resource resource;
    std::size_t cached = 1;
    std::size_t live = 0;
    std::uint32_t index = 0;
    {
        const ending now;
        std::thread{[&] {
            item* one = pool::create();
            item* two = pool::create();
            live = pool::statistics().live;
            pool::destroy(one);
            pool::destroy(two);
            void* block = resource.allocate(100);
            resource.deallocate(block, 100);
            cached = pool::statistics().cached;
            index = linn::detail::thread_index<linn::detail::platform>();
        }}.join();
    }
    CHECK(live == 2);
    CHECK(cached == 0);
    CHECK(index == indices::most);
    CHECK(pool::statistics().live == 0);

    std::thread{[&] { index = linn::detail::thread_index<linn::detail::platform>(); }}.join();
    CHECK(index < indices::most); // and it was only for that time
}
