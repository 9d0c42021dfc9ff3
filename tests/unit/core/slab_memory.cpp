// SPDX-License-Identifier: Apache-2.0
// What sets of slabs of one pool do for each other: lend slots, part with empty slabs, and go without memory.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slab_memory_tests {

using linn::detail::cold_pages;
using linn::detail::geometry;
using linn::detail::make_geometry;
using linn::detail::rejection;
using linn::detail::slab;

struct tag {};
using pages = linn_test::failing_pages<tag>;
using slab_set = linn::detail::slab_set<pages>;

struct fixture {
    explicit fixture(std::size_t retain = PTRDIFF_MAX) : set{equal_slabs(retain), this} {}
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() { set.unmap_all(); }

    static geometry equal_slabs(std::size_t retain) {
        geometry g = make_geometry(1000, 8, {.slab_bytes = 1 << 16, .retain_bytes = retain});
        g.first_slab_bytes = g.slab_align;
        return g;
    }
    /// What `get(end, want)` writes, lowest first.
    template <class Get>
    std::vector<void*> gotten(std::size_t want, Get&& get) {
        std::vector<void*> buffer(want);
        const std::size_t got = get(buffer.data() + want, want);
        buffer.erase(buffer.begin(), buffer.end() - static_cast<std::ptrdiff_t>(got));
        std::reverse(buffer.begin(), buffer.end());
        CHECK(set.consistent());
        return buffer;
    }
    std::vector<void*> take(std::size_t want, slab_set::growth may_grow = slab_set::growth::allowed) {
        return gotten(want, [&](void** end, std::size_t n) { return set.take(end, n, may_grow); });
    }
    std::vector<void*> lend(std::size_t want) {
        return gotten(want,
                      [&](void** end, std::size_t n) { return set.take(end, n, slab_set::growth::lending); });
    }
    /// All slots of a slab that has none out.
    std::vector<void*> fill() {
        auto all = take(1);
        const auto more = take(slab_of(all[0])->capacity - 1);
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::vector<rejection> give(const std::vector<void*>& objects) {
        std::vector<rejection> refused;
        set.give(objects.data(), objects.size(), [&](rejection why, void*) { refused.push_back(why); });
        CHECK(set.consistent());
        return refused;
    }
    slab* slab_of(const void* p) const { return slab::of(p, set.sizes().slab_align); }

    slab_set set;
};

TEST_CASE("slab_set: lends what lies behind the slab that its own threads take from, and nothing of that") {
    fixture f;
    std::vector<void*> full[3] = {f.fill(), f.fill(), f.fill()};
    CHECK_FALSE(f.set.has_spare());
    CHECK(f.lend(1).empty());
    for (const auto& slots : full) {
        CHECK(f.give({slots[7], slots[9]}).empty());
    }
    pages::reset();
    CHECK(f.set.has_spare());
    CHECK(f.lend(10) == std::vector<void*>{full[1][7], full[1][9], full[0][7], full[0][9]});
    CHECK_FALSE(f.set.has_spare());
    CHECK(f.take(1) == std::vector<void*>{full[2][7]});
    CHECK(f.lend(10).empty());
    CHECK(pages::maps == 0);
}

TEST_CASE("slab_set: a slab gives until it is used up, those that others free into queue behind it") {
    fixture f;
    const auto first = f.fill();
    const auto second = f.fill();
    const auto some = f.take(10);
    CHECK(f.give({first[3], second[4]}).empty());
    const auto more = f.take(f.slab_of(some[0])->capacity - 10);
    CHECK(std::all_of(more.begin(), more.end(), [&](void* p) { return f.slab_of(p) == f.slab_of(some[0]); }));
    CHECK(f.take(2) == std::vector<void*>{first[3], second[4]});
}

TEST_CASE("slab_set: slabs with slots out give before those with none, and these last used first") {
    fixture f;
    const auto first = f.fill();
    const auto second = f.fill();
    const auto third = f.fill();
    f.fill();
    CHECK(f.give(first).empty());
    CHECK(f.give(second).empty());
    CHECK(f.give({third[5]}).empty());
    CHECK(f.take(1) == std::vector<void*>{third[5]});
    CHECK(f.slab_of(f.take(1)[0]) == f.slab_of(second[0]));
}

TEST_CASE("slab_set: where growth is forbidden, slabs with nothing out serve, a resident one before a "
          "returned one") {
    fixture f;
    const auto first = f.fill();
    const auto second = f.fill();
    CHECK(f.take(1, slab_set::growth::forbidden).empty());
    CHECK(f.give(first).empty());
    cold_pages cold;
    REQUIRE(f.set.take_empty(cold));
    f.set.put_cold(cold, slab_set::discard(cold));
    CHECK(f.give(second).empty());
    const auto again = f.take(first.size() + second.size() + 1, slab_set::growth::forbidden);
    CHECK(again.size() == first.size() + second.size());
    CHECK(f.slab_of(again.front()) == f.slab_of(second[0]));
    CHECK(f.slab_of(again.back()) == f.slab_of(first[0]));
}

TEST_CASE(
    "slab_set: a slab whose objects came back in any order is found among those in use, and parted with") {
    fixture f;
    auto all = f.fill();
    const auto kept = f.fill();
    std::reverse(all.begin(), all.end());
    std::swap(all[3], all[30]);
    CHECK(f.give({all.begin() + 1, all.end()}).empty());
    CHECK(f.set.part_with_empty() == nullptr);
    CHECK(f.give({all[0]}).empty());
    slab* const parted = f.set.part_with_empty();
    REQUIRE(parted == f.slab_of(all[0]));
    CHECK(parted->carved == 0);
    CHECK(f.set.part_with_empty() == nullptr);
    f.set.take_over(parted);
    CHECK(f.give(kept).empty());
}

TEST_CASE("slab_set: a set with nothing out offers its only slab") {
    fixture f;
    const auto all = f.fill();
    CHECK(f.give({all.begin(), all.end() - 1}).empty());
    CHECK_FALSE(f.set.has_spare());
    CHECK(f.give({all.back()}).empty());
    CHECK(f.set.has_spare());
}

TEST_CASE("slab_set: an empty slab can change its owner, with its pages and its place in the sums") {
    for (const bool with_holes : {false, true}) {
        fixture from;
        fixture to{1 << 14};
        const auto all = from.fill();
        const auto kept = from.fill();
        if (with_holes) {
            CHECK(from.give({all.begin() + 1, all.end()}).empty());
            CHECK(from.set.discard_free_pages(from.slab_of(all[0])) != 0);
            CHECK(from.give({all[0]}).empty());
        } else {
            CHECK(from.give(all).empty());
        }
        const std::size_t resident = from.set.resident_bytes();
        const std::size_t mapped = from.set.mapped_bytes();
        slab* const s = from.set.part_with_empty();
        REQUIRE(s == from.slab_of(all[0]));
        CHECK(from.set.part_with_empty() == nullptr);
        CHECK(from.set.consistent());
        CHECK(from.give({all[1]}) == std::vector<rejection>{rejection::other_owner});
        to.set.take_over(s);
        CHECK(to.set.consistent());
        CHECK(from.set.mapped_bytes() + to.set.mapped_bytes() == mapped);
        CHECK(from.set.resident_bytes() + to.set.resident_bytes() == resident);
        CHECK(from.set.find(all[0]) == nullptr);
        CHECK(to.set.find(all[0]) == s);
        CHECK(to.take(all.size(), slab_set::growth::forbidden) == all);
        CHECK_FALSE(to.set.has_excess()); // its holes were counted, and are filled
        CHECK(from.give({all[1]}) == std::vector<rejection>{rejection::other_owner});
        CHECK(to.give(all).empty());
        CHECK(from.give(kept).empty());
    }
}

TEST_CASE("slab_set: the sweep does not go on from a slab that went to another set") {
    fixture from{0};
    fixture to;
    const auto all = from.fill();
    cold_pages cold;
    CHECK_FALSE(from.set.take_cold(10'000, cold));
    CHECK(from.give({all.begin() + 1, all.end()}).empty());
    REQUIRE(from.set.take_cold(11'000, cold)); // it stays at this slab
    from.set.put_cold(cold, slab_set::discard(cold));
    CHECK(from.give({all[0]}).empty());
    slab* const s = from.set.part_with_empty();
    REQUIRE(s != nullptr);
    to.set.take_over(s);
    cold = {};
    CHECK_FALSE(from.set.take_cold(20'000, cold));
    CHECK_FALSE(from.set.take_cold(30'000, cold));
    CHECK(to.set.consistent());
}

} // namespace core_slab_memory_tests
