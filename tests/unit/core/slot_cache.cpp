// SPDX-License-Identifier: Apache-2.0
// Promise: a slot cache is a stack in which nothing is lost or doubled, whatever the slow paths do to it meanwhile; all zero
// is empty to take and full to give.
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/core/unaliased.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace core_slot_cache_tests {

using linn::detail::slot_cache;

static_assert(std::is_trivially_destructible_v<slot_cache>);
static_assert(std::is_enum_v<decltype(slot_cache::top)>, "no store of the program aliases it");

int objects[8];

template <bool is_near>
void like_a_stack() {
    slot_cache cache;
    void* places[4] = {};
    int refills = 0;
    const auto take = [&] {
        return cache.pop_or<is_near>([&]() -> void* {
            ++refills;
            places[0] = &objects[1];
            places[1] = &objects[2];
            cache.use(places, 2, 4);
            return &objects[3];
        });
    };
    CHECK(take() == &objects[3]); // the slow way hands one out itself
    CHECK(cache.count() == 2);
    CHECK(take() == &objects[2]);
    CHECK(take() == &objects[1]);
    CHECK(refills == 1);
    CHECK(cache.count() == 0);
    CHECK(cache.pop_or<is_near>([] { return nullptr; }) == nullptr);
    CHECK(cache.count() == 0);

    int flushes = 0;
    const auto give = [&](void* slot) {
        cache.push_or<is_near>(slot, [&] {
            ++flushes;
            cache.use(places, 1, 4);
        });
    };
    for (int i = 0; i != 4; ++i) {
        give(&objects[i]);
    }
    CHECK(cache.count() == 4);
    CHECK(flushes == 0);
    give(&objects[4]);
    CHECK(flushes == 1);
    CHECK(cache.count() == 1);
    CHECK(take() == &objects[0]);
}

TEST_CASE("slot_cache: a loop sees what its slow paths left, near or far") {
    like_a_stack<true>();
    like_a_stack<false>();
}

TEST_CASE("slot_cache: all zero is empty to take and full to give") {
    slot_cache none;
    void* slot = nullptr;
    CHECK_FALSE(none.has_places());
    CHECK_FALSE(none.try_pop(slot));
    CHECK_FALSE(none.try_push(&objects[0]));
    CHECK(none.pop_run(&slot, 1) == 0);
    const void* const one = &objects[0];
    CHECK(none.push_run(&one, 1) == 0);
    bool flushed = false;
    none.push_or<true>(&objects[0], [&] { flushed = true; });
    CHECK(flushed);
    CHECK_FALSE(none.has_places());
}

TEST_CASE("unaliased: it counts as the number does") {
    linn::detail::unaliased<std::uint32_t> n;
    CHECK(n == 0U);
    CHECK(n++ == 0U);
    n += 5;
    CHECK(--n == 5U);
    n -= 4;
    CHECK(n == 1U);
    n = 7;
    CHECK(std::uint32_t{n} == 7);
    static_assert(sizeof n == sizeof(std::uint32_t));
}

} // namespace core_slot_cache_tests
