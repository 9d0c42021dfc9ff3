// SPDX-License-Identifier: Apache-2.0
// slab_set and time: a slab that nothing was taken from or given to for a second returns its free pages.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slab_set_cold_tests {

using linn::detail::cold_pages;
using linn::detail::geometry;
using linn::detail::make_geometry;
using linn::detail::page_bytes;
using linn::detail::rejection;
using linn::detail::round_up;
using linn::detail::slab;

struct tag {};
using pages = linn_test::failing_pages<tag>;
using slab_set = linn::detail::slab_set<pages>;

geometry equal_slabs(std::size_t bytes, std::size_t slab_bytes = 1 << 16, std::size_t retain = 0) {
    geometry g = make_geometry(bytes, 8, {.slab_bytes = slab_bytes, .retain_bytes = retain});
    g.first_slab_bytes = g.slab_align;
    return g;
}

struct fixture {
    explicit fixture(const geometry& g) : set{g, nullptr} { pages::reset(); }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() { set.unmap_all(); }

    std::vector<void*> take(std::size_t want) {
        std::vector<void*> buffer(want);
        REQUIRE(set.take(buffer.data() + want, want) == want);
        std::reverse(buffer.begin(), buffer.end());
        return buffer;
    }
    /// All slots of `n` slabs more.
    std::vector<void*> fill(std::size_t n) {
        std::vector<void*> all;
        while (n-- != 0) {
            all.push_back(take(1)[0]);
            const auto more = take(set.newest()->capacity - 1);
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }
    void give(const std::vector<void*>& objects) {
        set.give(objects.data(), objects.size(), [](rejection, void*) { FAIL("all are right"); });
        CHECK(set.consistent());
    }
    /// As visits of the depot in quick succession. @returns how often there was something
    std::size_t return_cold(std::uint64_t now) {
        std::size_t n = 0;
        for (cold_pages cold; set.take_cold(now, cold); cold = {}) {
            set.put_cold(cold, slab_set::discard(cold));
            REQUIRE(++n < 1000);
        }
        CHECK(set.consistent());
        return n;
    }

    static constexpr std::uint64_t start = 10'000; ///< when the last visit is
    slab_set set;
};

TEST_CASE("slab_set: what is free beyond retain_bytes goes back after a second, and within a quarter more") {
    for (const std::uint64_t seen : {1U, 250U, 300U, 999U}) { // when a visit first sees what happened
        fixture f{equal_slabs(1000, 1 << 16, 3 << 16)};
        CHECK_FALSE(f.set.has_excess());
        const auto all = f.fill(8);
        CHECK(f.return_cold(f.start) == 0);
        f.give(all);
        CHECK(f.set.has_excess());
        CHECK(f.return_cold(f.start + seen) == 0);
        CHECK(f.return_cold(f.start + 999) == 0);
        CHECK(f.return_cold(f.start + 1000) + f.return_cold(f.start + 1249) == 5);
        CHECK_FALSE(f.set.has_excess());
        CHECK(f.return_cold(f.start + 50'000) == 0);
        CHECK(pages::discards == 5);
        CHECK(f.set.returned_bytes() > 5 * 50'000);
        CHECK(f.set.slab_count() == 8);
    }
}

TEST_CASE("slab_set: a slab that is used within a second is young again") {
    fixture f{equal_slabs(1000)};
    const std::size_t all = f.fill(3).size();
    f.set.reset_all();
    std::uint64_t now = f.start;
    for (int i = 0; i < 30; ++i) {
        f.give(f.take(all));
        CHECK(f.return_cold(now += 700) == 0);
    }
    // Only one slab is used from now on.
    std::size_t returned = 0;
    for (int i = 0; i < 5; ++i) {
        f.give(f.take(1));
        returned += f.return_cold(now += 700);
    }
    CHECK(returned == 2);
    // Where as much is taken as was given, no number tells: it counts as used all the same.
    auto kept = f.take(40);
    for (int i = 0; i < 5; ++i) {
        kept = [&] {
            f.give(kept);
            return f.take(40);
        }();
        returned += f.return_cold(now += 700);
    }
    CHECK(returned == 2);
    // And where slots only come back.
    for (void* p : kept) {
        f.give({p});
        returned += f.return_cold(now += 700);
    }
    CHECK(returned == 2);
}

TEST_CASE("slab_set: what was used just now stays, however long nothing happened before") {
    fixture f{equal_slabs(1000)};
    const std::size_t all = f.fill(3).size();
    f.set.reset_all();
    CHECK(f.return_cold(f.start) == 0);
    f.give(f.take(all));
    CHECK(f.return_cold(f.start + 5000) == 0);
    // Nothing is taken any more: what came back since did so when the last visit was.
    CHECK(f.return_cold(f.start + 6300) == 3);
}

TEST_CASE("slab_set: a visit looks at a bounded number of slabs, and the next one goes on from there") {
    fixture f{equal_slabs(8000)};
    const auto first = f.fill(1);
    f.fill(199);
    CHECK(f.return_cold(f.start) == 0);
    f.give(first);
    std::size_t visits = 1;
    cold_pages cold;
    for (; !f.set.take_cold(f.start + 1000, cold); ++visits) {
        REQUIRE(visits < 20);
    }
    CHECK(visits == 12);
    CHECK(cold.of == slab::of(first[0], f.set.sizes().slab_align));
    f.set.put_cold(cold, slab_set::discard(cold));
}

/// Of the pages of `s`, those that no live slot needs: between slots that are free, and behind what was carved.
std::size_t free_page_bytes(const slab& s) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < s.carved;) {
        std::size_t end = i;
        while (end < s.carved && s.free_slots.contains(end)) {
            ++end;
        }
        const std::size_t first = round_up(s.offset_of(i), page_bytes);
        const std::size_t last = s.offset_of(end) / page_bytes * page_bytes;
        bytes += end > i && last > first ? last - first : 0;
        i = end + 1;
    }
    return bytes + round_up(s.offset_of(s.touched), page_bytes) - round_up(s.offset_of(s.carved), page_bytes);
}

TEST_CASE("slab_set: slabs with survivors return page by page what is free, also what only an earlier use "
          "touched") {
    for (const std::size_t bytes : linn_test::sizes{24, 1000, 5000}) {
        fixture f{equal_slabs(bytes, 1 << 20)};
        linn_test::random_source random{bytes};
        const std::size_t capacity = f.fill(1).size();
        f.set.reset_all();
        auto live = f.take(capacity * 3 / 4);
        const slab& s = *f.set.newest();
        REQUIRE(s.touched == capacity);
        for (void* p : live) {
            std::memset(p, 0x55, bytes);
        }
        std::shuffle(live.begin(), live.end(), random);
        std::uint64_t now = f.start;
        std::size_t expected = 0;
        std::size_t before = f.set.resident_bytes();
        for (std::size_t kept = 120; kept > 2; kept /= 2) {
            const auto at = live.begin() + static_cast<std::ptrdiff_t>(std::min(kept, live.size()));
            f.give({at, live.end()});
            live.erase(at, live.end());
            const std::size_t free_bytes = free_page_bytes(s);
            CHECK(f.return_cold(now += 300) == 0);
            CHECK(f.return_cold(now += 1000) >= 1);
            CHECK(free_page_bytes(s) == free_bytes - (expected == 0
                                                          ? round_up(s.offset_of(capacity), page_bytes) -
                                                                round_up(s.offset_of(s.carved), page_bytes)
                                                          : 0));
            // Once each, whatever went back before.
            expected = std::max(expected, free_bytes);
            CHECK(f.set.resident_bytes() == before - f.set.returned_bytes());
            CHECK(f.return_cold(now += 2000) == 0);
        }
        CHECK(f.set.returned_bytes() >= s.mapped_bytes - 12 * page_bytes - 3 * 2 * bytes);
        CHECK(s.touched == s.carved);
        for (const void* p : live) {
            const auto* b = static_cast<const unsigned char*>(p);
            CHECK(std::all_of(b, b + bytes, [](unsigned char c) { return c == 0x55; }));
        }
        // The rest of it goes back whole, and no page is counted again.
        f.give(live);
        CHECK(f.return_cold(now += 300) == 0);
        CHECK(f.return_cold(now += 1000) == 1);
        CHECK(f.set.returned_bytes() == before - page_bytes);
        CHECK(f.set.resident_bytes() == page_bytes);
        CHECK_FALSE(f.set.has_excess());
        // Taken again, it counts again.
        f.give(f.take(capacity));
        CHECK(f.set.resident_bytes() == before);
    }
}

TEST_CASE("slab_set: where the system refuses pages it is not asked again, and other slabs get their turn") {
    fixture f{equal_slabs(1000)};
    const auto first = f.fill(1);
    f.give(f.fill(1));
    const auto kept = f.take(20); // behind these, pages that an earlier use touched
    CHECK(slab::of(kept[0], f.set.sizes().slab_align) == f.set.newest());
    CHECK(f.return_cold(f.start) == 0);
    f.give({kept.begin() + 1, kept.end()});
    f.give(first);
    pages::refuse_discard = true;
    CHECK(f.return_cold(f.start + 1000) == 2);
    CHECK(f.return_cold(f.start + 3000) == 0);
    CHECK(f.set.discard_free_pages(f.set.newest()) == 0);
    CHECK(f.set.returned_bytes() == 0);
    f.give({kept[0]});
    CHECK(f.return_cold(f.start + 3300) == 0);
    CHECK(f.return_cold(f.start + 4300) == 1);
    CHECK(f.set.returned_bytes() == 0);
}

TEST_CASE("slab_set: a slab that is away takes slots back, and gives none") {
    for (const std::size_t survivors : linn_test::sizes{0, 1, 20}) {
        fixture f{equal_slabs(1000)};
        const auto all = f.fill(1);
        CHECK(f.return_cold(f.start) == 0);
        f.give({all.begin() + 40, all.end()});
        cold_pages cold;
        REQUIRE(f.set.take_cold(f.start + 1000, cold));
        CHECK_FALSE(cold.whole);
        std::vector<void*> back{all.begin() + static_cast<std::ptrdiff_t>(survivors), all.begin() + 40};
        std::swap(back[0], back[2]); // some are not in a row, the last ones are
        f.give(back);
        CHECK(f.set.out() == survivors);
        for (const void* p : f.take(all.size() + 1)) {
            REQUIRE(slab::of(p, f.set.sizes().slab_align) != cold.of);
        }
        const std::size_t slabs = f.set.slab_count();
        const std::size_t bytes = slab_set::discard(cold);
        CHECK(bytes != 0);
        f.set.put_cold(cold, bytes);
        CHECK(f.set.consistent());
        CHECK(f.set.returned_bytes() == bytes);
        // It is in use again.
        std::size_t left = 0;
        for (const slab* s = f.set.newest(); s != nullptr; s = s->older) {
            left += s->capacity - s->out();
        }
        f.take(left);
        CHECK(f.set.slab_count() == slabs);
        CHECK(f.set.consistent());
    }
}

TEST_CASE("slab_set: in the child of a fork a slab that was away is used again") {
    for (const bool whole : {false, true}) {
        fixture f{equal_slabs(1000)};
        const auto all = f.fill(1);
        CHECK(f.return_cold(f.start) == 0);
        f.give({all.begin() + (whole ? 0 : 1), all.end()});
        cold_pages cold;
        REQUIRE(f.set.take_cold(f.start + 1000, cold));
        REQUIRE(cold.whole == whole);
        f.set.put_back_all();
        CHECK(f.set.consistent());
        f.take(all.size() - (whole ? 0 : 1));
        CHECK(f.set.slab_count() == 1);
    }
}

TEST_CASE("slab_set: the sweep does not go on from a slab that was disowned") {
    const geometry g = equal_slabs(1000);
    fixture f{g};
    const std::size_t bytes = g.slab_align;
    std::byte* memory[4];
    for (std::byte*& m : memory) {
        m = static_cast<std::byte*>(pages::map(bytes, bytes));
        REQUIRE(m != nullptr);
        REQUIRE(f.set.adopt(m, bytes, true));
        f.take(f.set.newest()->capacity);
    }
    CHECK(f.return_cold(f.start) == 0);
    const auto give_up = [&](const cold_pages& cold, std::byte* expected) {
        CHECK(cold.whole);
        CHECK(static_cast<void*>(cold.of) == expected);
        f.set.disown(cold.of);
        std::memset(expected, 0xff, bytes); // what a new owner may write there
        pages::unmap(expected, bytes, bytes);
        CHECK(f.set.consistent());
    };
    const auto slots_of = [&](const std::byte* m) {
        std::vector<void*> slots;
        const auto* s = reinterpret_cast<const slab*>(m);
        for (std::size_t i = 0; i != s->capacity; ++i) {
            slots.push_back(s->address_of(i));
        }
        return slots;
    };
    auto partly = slots_of(memory[2]);
    void* const last = partly.back();
    partly.pop_back();
    f.give(slots_of(memory[3]));
    f.give(partly);
    f.give(slots_of(memory[1]));
    cold_pages cold;
    REQUIRE(f.set.take_cold(f.start + 1000, cold));
    give_up(cold, memory[3]);
    cold = {};
    REQUIRE(f.set.take_cold(f.start + 1000, cold));
    CHECK_FALSE(cold.whole);
    f.set.put_cold(cold, slab_set::discard(cold));
    // The sweep is at this one when a trim takes it.
    f.give({last});
    cold = {};
    while (f.set.take_empty(cold) && cold.of != reinterpret_cast<slab*>(memory[2])) {
        f.set.put_cold(cold, 0);
        cold = {};
    }
    give_up(cold, memory[2]);
    cold = {};
    CHECK_FALSE(f.set.take_cold(f.start + 1000, cold));
    f.give(slots_of(memory[0]));
    REQUIRE(f.set.take_empty(cold));
    give_up(cold, memory[0]);
}

} // namespace core_slab_set_cold_tests
