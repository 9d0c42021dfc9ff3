// SPDX-License-Identifier: Apache-2.0
// What a module does when it ends, by itself; tests/dso unloads real ones.
#include "unit.hpp"

#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/registry.hpp>
#include <linn/detail/sync/thread_index.hpp>
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

namespace sync_module_end_tests {

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

struct exchanged {
    long words[4];
};

constinit linn::detail::module_record another_module{[]() noexcept {}};
constinit linn::detail::registry<linn::detail::platform> its_pools{another_module};
constinit linn::detail::module_record third_module{[]() noexcept {}};
constinit linn::detail::registry<linn::detail::platform> third_pools{third_module};

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

// Else the child of a fork waits for ever in the depot of a plugin that is gone, when another thread was there.
TEST_CASE("forks go on to stop a depot whose module has ended, by the module that frees its objects") {
    using pool = linn::pool<exchanged>;
    using namespace linn::detail;
    pool::destroy(pool::create());
    static constinit registry<platform>::slot_type slot{nullptr};
    auto* d = its_pools.depot_in(
        slot, {.sizes = pool_geometry<sizeof(exchanged), alignof(exchanged), linn::pool_options{}>::sizes,
               .object_bytes = sizeof(exchanged),
               .object_align = alignof(exchanged),
               .type = pool_name<exchanged>});
    REQUIRE(d != nullptr);
    if (d->mode() == service::bypass) {
        return;
    }
    const auto free_one = [&] {
        pool::destroy(static_cast<exchanged*>(d->take_one()));
        pool::trim();
        return d->statistics().live;
    };
    const auto stopped_by = [&](module_record& m) {
        m.before_fork();
        const bool held = held_for_fork(d->lock());
        m.after_fork(module_event::after_fork_in_parent);
        CHECK_FALSE(held_for_fork(d->lock()));
        return held;
    };
    CHECK(free_one() == 0);
    CHECK(stopped_by(another_module));
    CHECK_FALSE(stopped_by(this_module));
    another_module.end();
    CHECK(free_one() == 0);
    CHECK(stopped_by(this_module));
    CHECK(free_one() == 0); // and once is enough
    CHECK(stopped_by(this_module));

    // Both stop it at one fork, where the handlers of a module that has ended are still there.
    another_module.before_fork();
    this_module.before_fork();
    CHECK(held_for_fork(d->lock()));
    another_module.after_fork(module_event::after_fork_in_parent);
    this_module.after_fork(module_event::after_fork_in_parent);
    CHECK_FALSE(held_for_fork(d->lock()));

    // The module that stops it ends too, and another one takes it over.
    its_pools.adopt(*d); // which only an orphan lets happen
    third_pools.adopt(*d);
    CHECK_FALSE(stopped_by(third_module));
    d->orphaned = true;
    third_pools.adopt(*d);
    CHECK(stopped_by(third_module));
    third_module.end();
    CHECK(d->orphaned);
}

} // namespace sync_module_end_tests
