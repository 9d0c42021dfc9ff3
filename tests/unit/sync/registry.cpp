// SPDX-License-Identifier: Apache-2.0
// Promise: the registry makes one depot for each pool, whole before another thread finds it, and never moves it.
#include "test_policy.hpp"
#include "unit.hpp"

#include <linn/detail/sync/registry.hpp>

namespace sync_registry_tests {

struct tag {};
using policy = linn_test::test_policy<tag>;
using registry = linn::detail::registry<policy>;
using linn::detail::service;

linn::detail::pool_description describe(std::string_view type) {
    return {.sizes = linn_test::small_geometry(), .object_bytes = 64, .object_align = 8, .type = type};
}

constinit registry at_start{};

TEST_CASE("registry: one depot a slot, newest first, never moved") {
    policy::pages::reset();
    registry r;
    registry::slot_type a{nullptr};
    registry::slot_type b{nullptr};
    CHECK(r.newest() == nullptr);
    auto* first = r.depot_in(a, describe("first"));
    auto* second = r.depot_in(b, describe("second"));
    REQUIRE(first != nullptr);
    REQUIRE(second != nullptr);
    CHECK(first != second);
    CHECK(r.depot_in(a, describe("first")) == first);
    CHECK(r.newest() == second);
    CHECK(second->older == first);
    CHECK(first->older == nullptr);
}

// For ThreadSanitizer: the other thread has no lock in common with the one that made the depot.
TEST_CASE("registry: a depot that another thread finds is whole") {
    registry r;
    registry::slot_type slot{nullptr};
    std::thread finder{[&] {
        linn_test::wait_until([&] { return slot.load(std::memory_order_relaxed) != nullptr; });
        const auto* found = r.depot_in(slot, describe("found"));
        CHECK(found->name() == "found");
        CHECK(found->sizes() == linn_test::small_geometry());
    }};
    CHECK(r.depot_in(slot, describe("found")) != nullptr);
    finder.join();
}

TEST_CASE("registry: the name is copied, for its module may go") {
    registry::slot_type slot{nullptr};
    std::string name = "a type of a plugin with a name too long for small strings";
    auto* d = at_start.depot_in(slot, describe(name));
    REQUIRE(d != nullptr);
    const std::string before = name;
    name.assign(name.size(), '?');
    CHECK(d->name() == before);
    CHECK(d->statistics().type == before);
}

TEST_CASE("registry: without memory there is no depot, and later there is one") {
    policy::pages::reset();
    registry r;
    registry::slot_type slot{nullptr};
    policy::pages::fail_from(0);
    CHECK(r.depot_in(slot, describe("late")) == nullptr);
    CHECK(slot.load() == nullptr);
    CHECK(r.newest() == nullptr);
    policy::pages::work();
    auto* d = r.depot_in(slot, describe("late"));
    REQUIRE(d != nullptr);
    CHECK(r.newest() == d);
}

TEST_CASE("registry: depots serve as this build does") {
    registry::slot_type slot{nullptr};
    auto* d = at_start.depot_in(slot, describe("mode"));
    REQUIRE(d != nullptr);
    if (linn::detail::sanitizer_bypass || linn::detail::running_on_memcheck()) {
        CHECK(d->mode() == service::bypass);
    } else {
        CHECK(d->mode() == (linn::detail::checked_build ? service::direct : service::cached));
    }
}

TEST_CASE("registry: bypassed objects are blocks of operator new, and counted") {
    registry::slot_type slot{nullptr};
    for (const std::size_t align : linn_test::sizes{8, 256}) {
        auto description = describe("bypassed");
        description.object_align = align;
        description.object_bytes = 256;
        slot.store(nullptr);
        auto* d = at_start.depot_in(slot, description);
        REQUIRE(d != nullptr);
        void* p = d->take_bypassed();
        void* q = d->take_bypassed();
        REQUIRE(p != nullptr);
        REQUIRE(q != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(p) % align == 0);
        CHECK(d->statistics().live == 2);
        CHECK(d->statistics().slabs == 0);
        d->put_bypassed(p);
        CHECK(d->statistics().live == 1);
        d->put_bypassed(q);
        CHECK(d->statistics().live == 0);
        CHECK(d->statistics().peak == 2);
    }
}

} // namespace sync_registry_tests
