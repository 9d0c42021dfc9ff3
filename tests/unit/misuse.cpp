// SPDX-License-Identifier: Apache-2.0
// Misuse of `pool` itself; sync/depot_misuse.cpp has the cases one by one.
#include "misuse_recorder.hpp"
#include "unit.hpp"

#include <linn/allocator.hpp>
#include <linn/handle_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/misuse.hpp>
#include <linn/pool.hpp>

namespace misuse_tests {

using linn::misuse_kind;
using linn::pool;
using linn_test::misuse_recorder;
using linn_test::pooling;

static_assert(std::is_nothrow_invocable_v<linn::misuse_handler, const linn::misuse&>);

TEST_CASE("misuse: the handler is exchanged, and null brings the default back") {
    const linn::misuse_handler mine = +[](const linn::misuse&) noexcept {};
    const linn::misuse_handler original = linn::set_misuse_handler(mine);
    CHECK((linn::set_misuse_handler(nullptr) == mine));
    CHECK((linn::set_misuse_handler(original) == &linn::detail::default_misuse_handler));
}

// Each says which slab set it belongs to, though no other pool takes their objects: else a release build would put the slot of
// one into the lists of the other.
struct used_by_handler {
    char c[64];
};
std::vector<used_by_handler*> made_by_handler;
used_by_handler not_of_a_pool;

void use_the_pool(const linn::misuse&) noexcept {
    if (made_by_handler.size() < 400) {
        for (int i = 0; i != 4; ++i) {
            made_by_handler.push_back(pool<used_by_handler>::create());
        }
        pool<used_by_handler>::destroy(&not_of_a_pool);
    }
}

TEST_CASE("misuse: a handler may use the pool while that sorts objects of two threads") {
    if (!pooling() || linn::detail::checked_build) {
        return; // there it is called at the free, when nothing is being sorted
    }
    using items = pool<used_by_handler>;
    made_by_handler.reserve(1000);
    const linn::misuse_handler before = linn::set_misuse_handler(&use_the_pool);
    std::vector<used_by_handler*> objects(2000);
    std::atomic<bool> is_over{false};
    std::atomic<bool> is_made{false};
    std::thread maker{[&] { // it lives on, so the other thread has slabs of its own
        for (used_by_handler*& object : objects) {
            object = items::create();
        }
        is_made = true;
        linn_test::wait_until(is_over);
    }};
    linn_test::wait_until(is_made);
    std::thread{[&] {
        items::destroy(items::create());
        for (std::size_t i = 0; i != objects.size(); ++i) {
            items::destroy(objects[i]);
            if (i % 50 == 0) { // refused by the slabs of the maker, and by those of this thread
                items::destroy(reinterpret_cast<used_by_handler*>(objects[i]->c + 8));
                items::destroy(&not_of_a_pool);
            }
        }
        items::trim();
        std::vector<used_by_handler*> all = made_by_handler;
        for (int i = 0; i != 6000; ++i) {
            all.push_back(items::create());
        }
        std::erase(all, &not_of_a_pool); // what was freed last is handed out first, unseen
        std::sort(all.begin(), all.end());
        CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
        for (used_by_handler* const object : all) {
            items::destroy(object);
        }
    }}.join();
    is_over = true;
    maker.join();
    linn::set_misuse_handler(before);
    CHECK(!made_by_handler.empty());
}

TEST_CASE("misuse: what belongs to a pool that is an object is no other pool's") {
    struct item {
        char c[64];
    };
    using items = pool<item, {.slab_bytes = 1 << 16}>;
    if (!pooling()) {
        return;
    }
    items::deallocate(items::allocate());
    misuse_recorder recorder;
    const auto expect = [&](item* p) {
        CHECK(linn::detail::slab::of(p, 1 << 16)->depot() == nullptr); // else it would be asked for its name
        items::deallocate(p);
        items::trim();
        const auto seen = recorder.take();
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].kind == misuse_kind::wrong_pool);
        CHECK(seen[0].address == p);
        CHECK(seen[0].belongs_to.empty()); // it has no name that others could read
    };
    linn::local_pool<item, {.slab_bytes = 1 << 16}> local;
    item* p = local.allocate();
    expect(p);
    local.deallocate(p);
    linn::handle_pool<item, {.slab_bytes = 1 << 16}> handles;
    expect(handles.get(handles.create()));
}

} // namespace misuse_tests
