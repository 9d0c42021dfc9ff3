// SPDX-License-Identifier: Apache-2.0
// slab_set and the system: reserve, retention, return, failure; objects that are not its own; a slab that nothing was taken from or
// given to for a second returns its free pages; and what sets of one pool do for each other: lend slots, and part with empty slabs.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slab_set_memory_tests {

using linn::misuse_kind;
using linn::detail::cold_pages;
using linn::detail::geometry;
using linn::detail::make_geometry;
using linn::detail::page_bytes;
using linn::detail::round_up;
using linn::detail::slab;

struct tag {};
using pages = linn_test::failing_pages<tag>;
using slab_set = linn::detail::slab_set<pages>;

struct fixture {
    explicit fixture(const geometry& g) : set{g, this} { pages::reset(); }
    ~fixture() { set.unmap_all(); }

    /// Lowest first.
    std::vector<void*> take(std::size_t want, slab_set::growth may_grow = slab_set::growth::allowed) {
        std::vector<void*> buffer(want);
        const std::size_t got = set.fill(buffer.data(), want, may_grow);
        buffer.resize(got);
        std::reverse(buffer.begin(), buffer.end());
        CHECK(set.consistent());
        return buffer;
    }
    std::vector<void*> lend(std::size_t want) { return take(want, slab_set::growth::lending); }
    /// All slots of `n` slabs that have none out.
    std::vector<void*> fill(std::size_t n = 1) {
        std::vector<void*> all;
        while (n-- != 0) {
            all.push_back(take(1)[0]);
            const auto more = take(slab_of(all.back())->capacity - 1);
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }
    slab* slab_of(const void* p) const { return slab::of(p, set.sizes().slab_align); }
    using refusals = std::vector<std::pair<misuse_kind, void*>>;
    refusals refused(const std::vector<void*>& objects) {
        refusals all;
        set.give(objects.data(), objects.size(), [&](misuse_kind why, void* p) { all.emplace_back(why, p); });
        CHECK(set.consistent());
        return all;
    }
    void give(const std::vector<void*>& objects) { CHECK(refused(objects).empty()); }
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

geometry equal_slabs(std::size_t bytes, std::size_t retain = 0, std::size_t slab_bytes = 1 << 16) {
    geometry g = make_geometry(bytes, 8, {.slab_bytes = slab_bytes, .retain_bytes = retain});
    g.first_slab_bytes = g.slab_align;
    return g;
}

constexpr std::size_t plenty = PTRDIFF_MAX;

TEST_CASE("slab_set: a reserve of more bytes than there are numbers or addresses maps nothing") {
    fixture x{make_geometry(1000, 8, {})};
    pages::fail_from(3); // so that a wrong one ends
    constexpr std::size_t addresses =
        SIZE_MAX / (sizeof(void*) == 8 ? 1 << 16 : 1); // of 64 bits, 48 are used
    for (const std::size_t n : {SIZE_MAX, SIZE_MAX / 1000 + 2,
                                static_cast<std::size_t>(PTRDIFF_MAX) / 1000 + 1, addresses / 1000}) {
        CHECK_FALSE(x.set.reserve(n));
    }
    CHECK(pages::maps == 0);
    CHECK(pages::refusals == 0);
    pages::work();
}

TEST_CASE("slab_set: where a large slab is refused a small one still serves") {
    fixture f{make_geometry(1000, 8, {.local = true})};
    while (f.set.slab_count() < 4) {
        f.take(1);
    }
    f.take(f.set.newest()->capacity - 1);
    pages::fail_once(0);
    CHECK(f.take(1).size() == 1);
    CHECK(pages::refusals == 1);
    CHECK(f.set.newest()->mapped_bytes == f.set.sizes().first_slab_bytes);
}

TEST_CASE("slab_set: huge pages when asked for, and not otherwise") {
    geometry g = equal_slabs(1000, 0);
    {
        fixture f{g};
        f.take(200);
        CHECK(pages::huge == 0);
    }
    g.huge_pages = true;
    fixture f{g};
    f.take(200);
    CHECK(pages::huge == f.set.slab_count());
}

TEST_CASE(
    "slab_set: a copy of a slab's header between two slabs, as of a program that copies its pages, is none") {
    fixture f{equal_slabs(1000, plenty)};
    const std::size_t bytes = f.set.sizes().slab_align;
    auto* const memory = static_cast<std::byte*>(pages::map(3 * bytes, bytes));
    REQUIRE(memory != nullptr);
    REQUIRE(f.set.adopt(memory + 2 * bytes, bytes));
    REQUIRE(f.set.adopt(memory, bytes));
    const auto all = f.take(10);
    std::memcpy(memory + bytes, memory, bytes);
    void* const inside = static_cast<std::byte*>(all[3]) + bytes;
    CHECK(f.refused({inside}) == fixture::refusals{{misuse_kind::foreign_pointer, inside}});
    f.give(all);
    f.set.forget_all();
    pages::unmap(memory, 3 * bytes, bytes);
}

TEST_CASE("slab_set: lends what lies behind the slab that its own threads take from, and nothing of that") {
    fixture f{equal_slabs(1000, plenty)};
    std::vector<void*> full[3] = {f.fill(), f.fill(), f.fill()};
    // By their colours, the first slots share no cache set.
    CHECK(f.slab_of(full[0][0])->offset_of(0) != f.slab_of(full[1][0])->offset_of(0));
    CHECK(f.lend(1).empty());
    for (const auto& slots : full) {
        f.give({slots[7], slots[9]});
    }
    pages::reset();
    CHECK(f.lend(10) == std::vector<void*>{full[1][7], full[1][9], full[0][7], full[0][9]});
    CHECK(f.take(1) == std::vector<void*>{full[2][7]});
    CHECK(f.lend(10).empty());
    CHECK(pages::maps == 0);
}

TEST_CASE("slab_set: a slab gives until it is used up, those that others free into queue behind it") {
    fixture f{equal_slabs(1000, plenty)};
    const auto first = f.fill();
    const auto second = f.fill();
    const auto some = f.take(10);
    f.give({first[3], second[4]});
    const auto more = f.take(f.slab_of(some[0])->capacity - 10);
    CHECK(std::all_of(more.begin(), more.end(), [&](void* p) { return f.slab_of(p) == f.slab_of(some[0]); }));
    CHECK(f.take(2) == std::vector<void*>{first[3], second[4]});
}

TEST_CASE("slab_set: slabs with slots out give before those with none, and these last used first") {
    fixture f{equal_slabs(1000, plenty)};
    const auto first = f.fill();
    const auto second = f.fill();
    const auto third = f.fill();
    f.fill();
    f.give(first);
    f.give(second);
    f.give({third[5]});
    CHECK(f.take(1) == std::vector<void*>{third[5]});
    CHECK(f.slab_of(f.take(1)[0]) == f.slab_of(second[0]));
}

TEST_CASE("slab_set: where growth is forbidden, slabs with nothing out serve, a resident one before a "
          "returned one") {
    fixture f{equal_slabs(1000, plenty)};
    const auto first = f.fill();
    const auto second = f.fill();
    CHECK(f.take(1, slab_set::growth::forbidden).empty());
    f.give(first);
    cold_pages cold;
    REQUIRE(f.set.take_empty(cold));
    f.set.put_cold(cold, slab_set::discard(cold));
    f.give(second);
    const auto again = f.take(first.size() + second.size() + 1, slab_set::growth::forbidden);
    CHECK(again.size() == first.size() + second.size());
    CHECK(f.slab_of(again.front()) == f.slab_of(second[0]));
    CHECK(f.slab_of(again.back()) == f.slab_of(first[0]));
}

TEST_CASE(
    "slab_set: a slab whose objects came back in any order is found among those in use, and parted with") {
    fixture f{equal_slabs(1000, plenty)};
    auto all = f.fill();
    const auto kept = f.fill();
    std::reverse(all.begin(), all.end());
    std::swap(all[3], all[30]);
    f.give({all.begin() + 1, all.end()});
    CHECK(f.set.part_with_empty() == nullptr);
    f.give({all[0]});
    slab* const parted = f.set.part_with_empty();
    REQUIRE(parted == f.slab_of(all[0]));
    CHECK(parted->carved == 0);
    CHECK(f.set.part_with_empty() == nullptr);
    f.set.take_over(parted);
    f.give(kept);
}

TEST_CASE("slab_set: an empty slab can change its owner, with its pages and its place in the sums") {
    for (const bool with_holes : {false, true}) {
        fixture from{equal_slabs(1000, plenty)};
        fixture to{equal_slabs(1000, 1 << 14)};
        const auto all = from.fill();
        const auto kept = from.fill();
        if (with_holes) {
            from.give({all.begin() + 1, all.end()});
            CHECK(from.set.discard_free_pages(from.slab_of(all[0])) != 0);
            from.give({all[0]});
        } else {
            from.give(all);
        }
        const std::size_t resident = from.set.resident_bytes();
        const std::size_t mapped = from.set.mapped_bytes();
        slab* const s = from.set.part_with_empty();
        REQUIRE(s == from.slab_of(all[0]));
        CHECK(from.set.part_with_empty() == nullptr);
        CHECK(from.set.consistent());
        CHECK(from.refused({all[1]}) == fixture::refusals{{misuse_kind::wrong_pool, all[1]}});
        to.set.take_over(s);
        CHECK(to.set.consistent());
        CHECK(from.set.mapped_bytes() + to.set.mapped_bytes() == mapped);
        CHECK(from.set.resident_bytes() + to.set.resident_bytes() == resident);
        CHECK(from.set.find(all[0]) == nullptr);
        CHECK(to.set.find(all[0]) == s);
        CHECK(to.take(all.size(), slab_set::growth::forbidden) == all);
        CHECK_FALSE(to.set.has_excess()); // its holes were counted, and are filled
        CHECK(from.refused({all[1]}) == fixture::refusals{{misuse_kind::wrong_pool, all[1]}});
        to.give(all);
        from.give(kept);
    }
}

TEST_CASE("slab_set: the sweep does not go on from a slab that went to another set") {
    fixture from{equal_slabs(1000, 0)};
    fixture to{equal_slabs(1000, plenty)};
    const auto all = from.fill();
    from.fill(); // so that there is something to look for
    cold_pages cold;
    CHECK_FALSE(from.set.take_cold(10'000, cold));
    from.give({all.begin() + 1, all.end()});
    REQUIRE(from.set.take_cold(11'000, cold)); // it stays at this slab
    from.set.put_cold(cold, slab_set::discard(cold));
    from.give({all[0]});
    slab* const s = from.set.part_with_empty();
    REQUIRE(s != nullptr);
    to.set.take_over(s);
    cold = {};
    CHECK_FALSE(from.set.take_cold(20'000, cold));
    CHECK_FALSE(from.set.take_cold(30'000, cold));
    CHECK(to.set.consistent());
}

TEST_CASE("slab_set: what is free beyond retain_bytes goes back after a second, and within a quarter more") {
    for (const std::uint64_t seen : {1U, 250U, 300U, 999U}) { // when a visit first sees what happened
        fixture f{equal_slabs(1000, 3 << 16)};
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
        fixture f{equal_slabs(bytes, 0, 1 << 20)};
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
            // Once each, no matter what went back before.
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

} // namespace core_slab_set_memory_tests
