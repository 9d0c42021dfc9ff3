// SPDX-License-Identifier: Apache-2.0
// Promise: a stash hands out each slot once, the latest first; its bound grows by what was given away and asked for again,
// within the memory that the page states, and what nobody touches for a second leaves it.
#include <linn/detail/core/slot_stash.hpp>
#include <linn/detail/core/stash_bound.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace core_slot_stash_tests {

using linn::detail::slot_stash;
using linn::detail::stash_bound;

struct clock_at {
    static inline std::uint64_t now = 5000;
    static std::uint64_t now_ms() noexcept { return now; }
};

struct fixture {
    explicit fixture(std::size_t array_slots, std::size_t slot_bytes = 64) : stash{array_slots, slot_bytes} {
        add();
    }
    void add() {
        memory.push_back(std::make_unique<std::byte[]>(stash.array_bytes()));
        stash.add_array(memory.back().get());
    }
    /// Puts numbers in, as if they were slots.
    bool push(std::uintptr_t first, std::size_t n) {
        std::vector<void*> slots;
        for (std::size_t i = 0; i != n; ++i) {
            slots.push_back(reinterpret_cast<void*>(first + i));
        }
        return stash.push(slots.data(), n);
    }
    std::vector<std::uintptr_t> pop(std::size_t want) {
        std::vector<void*> slots(want);
        slots.resize(stash.pop(slots.data(), want));
        std::vector<std::uintptr_t> numbers;
        for (void* p : slots) {
            numbers.push_back(reinterpret_cast<std::uintptr_t>(p));
        }
        return numbers;
    }
    /// A program that needs `n` more than the stash holds, and gives all back.
    void miss(std::size_t n, std::size_t peak) {
        stash.bound().note_spilled(n);
        stash.bound().note_missed(n, peak);
    }

    std::vector<std::unique_ptr<std::byte[]>> memory;
    slot_stash stash;
};

using numbers = std::vector<std::uintptr_t>;

TEST_CASE("slot_stash: the latest come out first, in the order in which they went in, over all arrays") {
    fixture f{4};
    f.miss(6, 1000);
    CHECK(f.stash.wants_array());
    CHECK(f.push(1, 4));
    CHECK_FALSE(f.push(5, 1)); // the bound allows it, but there is no place
    f.add();
    f.add();
    CHECK(f.push(5, 6));
    CHECK_FALSE(f.push(11, 1)); // ten is the bound
    CHECK(f.stash.size() == 10);
    CHECK(f.pop(3) == numbers{8, 9, 10});
    CHECK(f.pop(5) == numbers{3, 4, 5, 6, 7});
    CHECK(f.pop(5) == numbers{1, 2});
    CHECK(f.pop(1).empty());
    CHECK(f.push(1, 9));
    CHECK(f.pop(9) == numbers{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("slot_stash: what lay untouched for a second leaves, the oldest first, an array a time") {
    fixture f{4};
    f.miss(8, 1000);
    f.add();
    f.add();
    REQUIRE(f.push(1, 12));
    numbers left;
    const auto shrink = [&] {
        left.clear();
        f.stash.shrink<clock_at>([&](void* const* slots, std::size_t n) {
            for (std::size_t i = 0; i != n; ++i) {
                left.push_back(reinterpret_cast<std::uintptr_t>(slots[i]));
            }
        });
        return left;
    };
    clock_at::now += 1000;
    CHECK(shrink().empty()); // the first look only begins to count
    CHECK(f.pop(5).size() == 5);
    CHECK(f.push(20, 5));
    clock_at::now += 999;
    CHECK(shrink().empty());
    clock_at::now += 1;
    CHECK(shrink() == numbers{1, 2, 3, 4}); // seven were never touched
    CHECK(shrink() == numbers{5, 6, 7, 20});
    CHECK(shrink().empty());
    CHECK(f.stash.size() == 4);
    clock_at::now += 5000;
    CHECK(shrink().empty()); // the bound is what it was at the start
    CHECK(f.stash.bound().most() == 4);
}

TEST_CASE("slot_stash: a clear hands everything out, and the bound is as at the start") {
    fixture f{4};
    f.miss(8, 1000);
    f.add();
    f.add();
    REQUIRE(f.push(1, 11));
    std::size_t sum = 0;
    f.stash.clear([&](void* const*, std::size_t n) { sum += n; });
    CHECK(sum == 11);
    CHECK(f.stash.size() == 0);
    CHECK(f.stash.bound().most() == 4);
    CHECK(f.push(1, 4));
    CHECK_FALSE(f.push(5, 1));
}

TEST_CASE(
    "stash_bound: one that starts at 0 stays there, so that slots come out of slabs by their addresses") {
    stash_bound b{0, 64};
    for (int i = 0; i != 10; ++i) {
        CHECK_FALSE(b.has_room(0, 1));
        b.note_spilled(1000);
        b.note_missed(1000, 1'000'000);
    }
    CHECK(b.most() == 0);
    CHECK_FALSE(b.grown());
}

TEST_CASE("stash_bound: it grows by what was asked for again, and by no more than its price allows") {
    stash_bound b{100, 64};
    CHECK(b.has_room(90, 10));
    CHECK_FALSE(b.has_room(91, 10));
    b.note_missed(500, 1'000'000); // a pool that is only filled
    CHECK(b.most() == 100);
    b.note_spilled(300);
    b.note_missed(200, 1'000'000);
    CHECK(b.most() == 300);
    b.note_missed(200, 1'000'000);
    CHECK(b.most() == 400);
    CHECK(b.grown());
    b.reset();
    CHECK(b.most() == 100);
    CHECK_FALSE(b.grown());

    SUBCASE("2 MiB of objects") {
        b.note_spilled(1'000'000);
        b.note_missed(1'000'000, 1'000'000);
        CHECK(b.most() == (2U << 20) / 64);
    }
    SUBCASE("an eighth of the peak in pointers") {
        stash_bound small{100, 16};
        small.note_spilled(1'000'000);
        small.note_missed(1'000'000, 100'000);
        CHECK(small.most() == 25'000);
    }
    SUBCASE("64 KiB of pointers, however small the pool is") {
        stash_bound small{100, 16};
        small.note_spilled(1'000'000);
        small.note_missed(1'000'000, 100);
        CHECK(small.most() == 8192);
    }
    SUBCASE("no fewer than at the start, however large the objects are") {
        stash_bound large{4, 1 << 20};
        large.note_spilled(1'000'000);
        large.note_missed(1'000'000, 1000);
        CHECK(large.most() == 4);
    }
}

} // namespace core_slot_stash_tests
