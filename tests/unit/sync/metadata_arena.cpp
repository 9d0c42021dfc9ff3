// SPDX-License-Identifier: Apache-2.0
// Promise: metadata is zeroed, never overlaps, is used again, and a lack of memory is null.
#include "test_policy.hpp"
#include "unit.hpp"

#include <linn/detail/sync/metadata_arena.hpp>

namespace sync_metadata_arena_tests {

struct tag {};
using policy = linn_test::test_policy<tag>;
using arena_type = linn::detail::metadata_arena<policy>;
linn::detail::module_part no_module;

TEST_CASE("metadata_arena: zeroed, on cache lines, never overlapping") {
    policy::pages::reset();
    arena_type arena{no_module};
    linn_test::random_source random{3};
    std::map<std::uintptr_t, std::size_t> given;
    for (int i = 0; i < 500; ++i) {
        const std::size_t bytes = 1 + random.below(i % 50 == 0 ? 200'000 : 2000);
        auto* p = static_cast<unsigned char*>(arena.allocate(bytes));
        REQUIRE(p != nullptr);
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        REQUIRE(address % 64 == 0);
        bool zero = true;
        for (std::size_t k = 0; k < bytes; ++k) {
            zero = zero && p[k] == 0;
        }
        REQUIRE(zero);
        std::memset(p, 0xff, bytes);
        const auto next = given.upper_bound(address);
        REQUIRE((next == given.end() || address + bytes <= next->first));
        if (next != given.begin()) {
            const auto [before, length] = *std::prev(next);
            REQUIRE(before + length <= address);
        }
        given.emplace(address, bytes);
    }
}

TEST_CASE("metadata_arena: small things share pages") {
    policy::pages::reset();
    arena_type arena{no_module};
    for (int i = 0; i < 1000; ++i) {
        REQUIRE(arena.allocate(64) != nullptr);
    }
    CHECK(policy::pages::maps == 1);
}

TEST_CASE("metadata_arena: without memory null, afterwards as before") {
    policy::pages::reset();
    arena_type arena{no_module};
    policy::pages::fail_once(0);
    CHECK(arena.allocate(100) == nullptr);
    void* const p = arena.allocate(100);
    CHECK(p != nullptr);
    policy::pages::fail_from(0);
    CHECK(arena.allocate(1 << 20) == nullptr);
    // What is left of the chunk still serves.
    CHECK(arena.allocate(100) == static_cast<std::byte*>(p) + 128);
    policy::pages::work();
    CHECK(arena.allocate(1 << 20) != nullptr);
}

TEST_CASE("metadata_arena: recycled pieces serve requests of their size, newest first") {
    policy::pages::reset();
    arena_type arena{no_module};
    void* const small[] = {arena.allocate(200), arena.allocate(200)};
    void* const large = arena.allocate(1000);
    arena.recycle(small[0], 200);
    arena.recycle(large, 1000);
    arena.recycle(small[1], 200);
    CHECK(arena.allocate(1000) == large);
    CHECK(arena.allocate(200) == small[1]);
    CHECK(arena.allocate(200) == small[0]);
    CHECK(arena.allocate(200) != small[0]);
    // More sizes than there are bins: given up, and never mixed up.
    for (std::size_t bytes = 64; bytes <= 64 * 100; bytes += 64) {
        arena.recycle(arena.allocate(bytes), bytes);
    }
    for (std::size_t bytes = 64; bytes <= 64 * 100; bytes += 64) {
        auto* p = static_cast<std::byte*>(arena.allocate(bytes));
        REQUIRE(p != nullptr);
        std::memset(p, 0, bytes);
    }
}

} // namespace sync_metadata_arena_tests
