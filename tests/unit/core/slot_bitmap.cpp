// SPDX-License-Identifier: Apache-2.0
// Promise: the bitmap of free slots is a set of numbers that returns the lowest first and refuses one that it has.

#include "unit.hpp"

#include <linn/detail/core/slot_bitmap.hpp>

namespace core_slot_bitmap_tests {

using linn::detail::slot_bitmap;

struct fixture {
    explicit fixture(std::size_t n)
        : slots{n},
          words(slot_bitmap::storage_words(n) + 1, 0),
          bitmap{words.data(), n} {
        words.back() = guard;
    }

    bool insert(std::size_t first, std::size_t count) { return bitmap.insert(first, count); }

    std::vector<std::size_t> take(std::size_t want) {
        std::vector<std::size_t> all;
        bool ordered = true;
        const std::size_t n = bitmap.take(want, slots, [&](std::size_t first, std::size_t count) {
            ordered = ordered && count != 0 && (all.empty() || first > all.back());
            for (std::size_t i = 0; i < count; ++i) {
                all.push_back(first + i);
            }
        });
        CHECK(ordered);
        CHECK(n == all.size());
        return all;
    }

    /// What take relies on: a summary bit is set exactly when its word is not zero.
    [[nodiscard]] bool summary_right() const {
        const std::size_t n = (slots + 63) / 64;
        for (std::size_t w = 0; w < n; ++w) {
            const bool said = ((words[n + w / 64] >> (w % 64)) & 1) != 0;
            if (said != (words[w] != 0)) {
                return false;
            }
        }
        return words.back() == guard;
    }

    static constexpr std::uint64_t guard = 0x5ca1ab1e;
    std::size_t slots;
    std::vector<std::uint64_t> words;
    slot_bitmap bitmap;
};

void compare_with_model(std::size_t slots, std::uint64_t seed, int steps) {
    CAPTURE(slots);
    fixture f{slots};
    std::set<std::size_t> model;
    linn_test::random_source random{seed};
    for (int step = 0; step < steps; ++step) {
        if (random.below(100) < 55) {
            const std::size_t first = random.below(slots);
            const std::size_t longest = random.below(4) == 0 ? slots : 70;
            std::size_t count = 1 + random.below(longest);
            count = count < slots - first ? count : slots - first;
            const auto at = model.lower_bound(first);
            const bool overlaps = at != model.end() && *at < first + count;
            const auto before = f.words;
            REQUIRE(f.insert(first, count) == !overlaps);
            if (overlaps) {
                REQUIRE(f.words == before);
            } else {
                for (std::size_t i = 0; i < count; ++i) {
                    model.insert(first + i);
                }
            }
        } else {
            const std::size_t want = 1 + random.below(random.below(3) == 0 ? slots : 100);
            const std::size_t expected = want < model.size() ? want : model.size();
            const auto end = std::next(model.begin(), static_cast<std::ptrdiff_t>(expected));
            const std::vector<std::size_t> lowest(model.begin(), end);
            REQUIRE(f.take(want) == lowest);
            model.erase(model.begin(), end);
        }
        REQUIRE(f.summary_right());
        if (step % 50 == 0) {
            bool same = true;
            for (std::size_t i = 0; i < slots; ++i) {
                same = same && f.bitmap.contains(i) == (model.count(i) != 0);
            }
            REQUIRE(same);
        }
    }
}

TEST_CASE("slot_bitmap: a set of numbers, lowest first") {
    for (const std::size_t slots :
         linn_test::sizes{1, 2, 63, 64, 65, 127, 128, 1000, 4095, 4096, 4097, 9000}) {
        compare_with_model(slots, slots, 600);
    }
    compare_with_model(70'000, 7, 150);
}

TEST_CASE("slot_bitmap: one at a time, against a set") {
    fixture x{500};
    std::set<std::size_t> members;
    linn_test::random_source random{11};
    for (int step = 0; step < 5000; ++step) {
        const std::size_t slot = random.below(500);
        REQUIRE(slot_bitmap::insert_at(x.words.data(), slot, [&](std::size_t i) { x.bitmap.note_word(i); }) ==
                members.insert(slot).second);
        REQUIRE(x.bitmap.count(500) == members.size());
        REQUIRE(x.bitmap.count(70) ==
                static_cast<std::size_t>(std::distance(members.begin(), members.lower_bound(70))));
        REQUIRE(x.summary_right());
        if (step % 7 == 0) {
            for (const std::size_t taken : x.take(random.below(20))) {
                REQUIRE(taken == *members.begin());
                members.erase(members.begin());
            }
        }
    }
}

TEST_CASE("slot_bitmap: for_each_run joins neighbours across words") {
    fixture f{400};
    using runs = std::vector<std::pair<std::size_t, std::size_t>>;
    const auto all = [&f](std::size_t slots, std::size_t from = 0, std::size_t most = 100) {
        runs found;
        f.bitmap.for_each_run(from, slots, [&](std::size_t first, std::size_t count) {
            found.emplace_back(first, count);
            return found.size() != most;
        });
        return found;
    };
    CHECK(all(400).empty());
    REQUIRE(f.insert(0, 1));
    REQUIRE(f.insert(60, 140));
    REQUIRE(f.insert(202, 3));
    REQUIRE(f.insert(320, 80));
    CHECK(all(400) == runs{{0, 1}, {60, 140}, {202, 3}, {320, 80}});
    CHECK(all(320) == runs{{0, 1}, {60, 140}, {202, 3}});
    CHECK(all(400, 1) == runs{{60, 140}, {202, 3}, {320, 80}});
    CHECK(all(400, 128) == runs{{128, 72}, {202, 3}, {320, 80}});
    CHECK(all(400, 200) == runs{{202, 3}, {320, 80}});
    CHECK(all(400, 0, 2) == runs{{0, 1}, {60, 140}});
    CHECK(f.take(400).size() == 224);
    REQUIRE(f.insert(0, 400));
    CHECK(all(400) == runs{{0, 400}});
}

} // namespace core_slot_bitmap_tests
