// SPDX-License-Identifier: Apache-2.0
// slab_set and the system: reserve, retention, return, failure; objects that are not its own; and what sets of one pool do for each
// other: lend slots, and part with empty slabs.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slab_set_memory_tests {

using linn::detail::cold_pages;
using linn::detail::geometry;
using linn::detail::make_geometry;
using linn::detail::rejection;
using linn::detail::slab;

struct tag {};
using pages = linn_test::failing_pages<tag>;
using slab_set = linn::detail::slab_set<pages>;

struct fixture {
    explicit fixture(const geometry& g) : set{g, this} { pages::reset(); }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() { set.unmap_all(); }

    /// Lowest first.
    std::vector<void*> take(std::size_t want, slab_set::growth may_grow = slab_set::growth::allowed) {
        std::vector<void*> buffer(want);
        const std::size_t got = set.take(buffer.data() + want, want, may_grow);
        std::reverse(buffer.begin(), buffer.end());
        buffer.resize(got);
        CHECK(set.consistent());
        return buffer;
    }
    std::vector<void*> lend(std::size_t want) { return take(want, slab_set::growth::lending); }
    /// All slots of a slab that has none out.
    std::vector<void*> fill() {
        auto all = take(1);
        const auto more = take(slab_of(all[0])->capacity - 1);
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    slab* slab_of(const void* p) const { return slab::of(p, set.sizes().slab_align); }
    using refusals = std::vector<std::pair<rejection, void*>>;
    refusals give(const std::vector<void*>& objects) {
        refusals refused;
        set.give(objects.data(), objects.size(),
                 [&](rejection why, void* p) { refused.emplace_back(why, p); });
        CHECK(set.consistent());
        return refused;
    }
    /// Leaves `n` empty slabs behind, of one size.
    void make_empties(std::size_t n) {
        std::vector<void*> all;
        while (set.slab_count() < n || set.newest()->carved < set.newest()->capacity) {
            const auto more = take(1);
            all.insert(all.end(), more.begin(), more.end());
        }
        REQUIRE(give(all).empty());
    }
    /// Returns all that is cold at `now`, as visits of the depot in quick succession do. @returns slabs
    std::size_t return_cold(std::uint64_t now) {
        std::size_t n = 0;
        for (cold_pages cold; set.take_cold(now, cold); cold = {}) {
            set.put_cold(cold, slab_set::discard(cold));
            ++n;
        }
        return n;
    }
    std::size_t return_all_old() { return return_cold(1000) + return_cold(5000); }

    slab_set set;
};

geometry small_slabs(std::size_t retain) {
    geometry g = make_geometry(1000, 8, {.slab_bytes = 1 << 16, .retain_bytes = retain});
    g.first_slab_bytes = g.slab_align;
    return g;
}

constexpr std::size_t plenty = PTRDIFF_MAX;

TEST_CASE("slab_set: a reserve of more bytes than there are numbers maps nothing") {
    fixture x{make_geometry(1000, 8, {})};
    pages::fail_from(3); // so that a wrong one ends
    for (const std::size_t n :
         {SIZE_MAX, SIZE_MAX / 1000 + 2, static_cast<std::size_t>(PTRDIFF_MAX) / 1000 + 1}) {
        CHECK_FALSE(x.set.reserve(n));
    }
    CHECK(pages::maps == 0);
    CHECK(pages::refusals == 0);
    pages::work();
}

TEST_CASE("slab_set: returned slabs are used again before new ones are mapped, and are clean") {
    fixture f{small_slabs(0)};
    const auto all = f.take(400);
    for (void* p : all) {
        std::memset(p, 0xff, 1000);
    }
    REQUIRE(f.give(all).empty());
    const std::size_t slabs = f.set.slab_count();
    REQUIRE(slabs > 3);
    CHECK(f.set.resident_bytes() > 400'000);
    CHECK(f.return_all_old() == slabs);
    CHECK(f.set.resident_bytes() == slabs * linn::detail::page_bytes);
    CHECK(f.set.returned_bytes() > 350'000);
    CHECK(f.set.returned_bytes() <= pages::discarded_bytes);
    auto again = f.take(400);
    CHECK(again.size() == 400);
    CHECK(f.set.slab_count() == slabs);
    CHECK(f.set.consistent());
    // The rubbish is gone but for what shares the page with a header.
    std::size_t dirty = 0;
    for (void* p : again) {
        dirty += *static_cast<unsigned char*>(p) != 0 ? 1U : 0U;
    }
    CHECK(dirty <= slabs * 4);
    CHECK(f.give(again).empty());
}

TEST_CASE("slab_set: the free pages of a slab with survivors go back, and only these") {
    fixture f{small_slabs(plenty)};
    auto all = f.take(60);
    REQUIRE(f.set.slab_count() == 1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::memset(all[i], static_cast<int>(i + 1), 1000);
    }
    std::vector<void*> kept;
    std::vector<void*> freed;
    for (std::size_t i = 0; i < all.size(); ++i) {
        (i % 20 == 7 ? kept : freed).push_back(all[i]);
    }
    REQUIRE(f.give(freed).empty());
    const std::size_t resident = f.set.resident_bytes();
    const std::size_t bytes = f.set.discard_free_pages(f.set.newest());
    CHECK(bytes >= 7 * linn::detail::page_bytes);
    CHECK(bytes == pages::discarded_bytes);
    CHECK(f.set.resident_bytes() == resident - bytes);
    CHECK(f.set.returned_bytes() == bytes);
    CHECK(f.set.consistent());
    // Asked again, there is nothing to do.
    CHECK(f.set.discard_free_pages(f.set.newest()) == 0);
    CHECK(pages::discarded_bytes == bytes);
    bool intact = true;
    for (std::size_t i = 7; i < all.size(); i += 20) {
        const auto* p = static_cast<const unsigned char*>(all[i]);
        intact = intact && std::all_of(p, p + 1000, [i](unsigned char c) { return c == i + 1; });
    }
    CHECK(intact);
    auto again = f.take(freed.size());
    CHECK(again == freed);
    CHECK(f.set.resident_bytes() >= resident - linn::detail::page_bytes);
    CHECK(f.set.discard_free_pages(f.set.newest()) == 0);
    CHECK(f.give(again).empty());
    CHECK(f.give(kept).empty());
    // An empty slab is not for this: it goes back whole.
    CHECK(f.set.discard_free_pages(f.set.newest()) == 0);
}

TEST_CASE("slab_set: take_empty offers each empty slab once, and none that is in use") {
    fixture f{small_slabs(plenty)};
    f.make_empties(4);
    const auto kept = f.take(1);
    std::size_t n = 0;
    for (cold_pages cold; f.set.take_empty(cold); cold = {}) {
        CHECK(cold.of != slab::of(kept[0], f.set.sizes().slab_align));
        f.set.put_cold(cold, slab_set::discard(cold));
        ++n;
    }
    CHECK(n == 3);
    CHECK(f.give(kept).empty());
    cold_pages cold;
    CHECK(f.set.take_empty(cold));
}

TEST_CASE("slab_set: unmap_all gives back every byte that was mapped") {
    fixture f{small_slabs(plenty)};
    f.take(300);
    REQUIRE(pages::mapped_bytes == f.set.mapped_bytes());
    f.set.unmap_all();
    CHECK(pages::mapped_bytes == 0);
    CHECK(pages::maps == pages::unmaps);
    CHECK(f.set.slab_count() == 0);
    CHECK(f.set.out() == 0);
    CHECK(f.take(10).size() == 10);
    CHECK(f.set.consistent());
}

TEST_CASE("slab_set: an object of a slab that is gone is not read, and belongs to nobody") {
    fixture f{small_slabs(0)};
    const auto all = f.take(10);
    REQUIRE(all.size() == 10);
    f.set.unmap_all();
    const auto refused = f.give(all);
    REQUIRE(refused.size() == all.size());
    for (const auto& entry : refused) {
        CHECK(entry.first == rejection::not_from_a_slab);
    }
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

TEST_CASE("slab_set: memory in which not even one slot fits is no slab, and goes back") {
    geometry g = make_geometry(5000, 8, {});
    g.first_slab_bytes = linn::detail::page_bytes;
    fixture f{g};
    CHECK(f.take(1).empty());
    CHECK(pages::maps == 1);
    CHECK(pages::unmaps == 1);
    void* memory = pages::map(g.first_slab_bytes, g.slab_align);
    CHECK_FALSE(f.set.adopt(memory, g.first_slab_bytes, true));
    CHECK(f.set.slab_count() == 0);
    CHECK(f.set.mapped_bytes() == 0);
    CHECK(f.set.consistent());
    pages::unmap(memory, g.first_slab_bytes, g.slab_align);
}

TEST_CASE("slab_set: the check of its invariants looks into each slab") {
    fixture f{small_slabs(plenty)};
    const auto all = f.take(200);
    REQUIRE(f.set.slab_count() > 1);
    for (slab* s = f.set.newest(); s != nullptr; s = s->older) {
        ++s->carved;
        CHECK_FALSE(f.set.consistent());
        --s->carved;
    }
    CHECK(f.set.consistent());
}

TEST_CASE("slab_set: huge pages when asked for, and not otherwise") {
    geometry g = small_slabs(0);
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

TEST_CASE("slab_set: a copy of a slab's header between two slabs is none") {
    const geometry g = small_slabs(plenty);
    fixture f{g};
    const std::size_t bytes = g.slab_align;
    auto* const memory = static_cast<std::byte*>(pages::map(3 * bytes, bytes));
    REQUIRE(memory != nullptr);
    REQUIRE(f.set.adopt(memory + 2 * bytes, bytes, true));
    REQUIRE(f.set.adopt(memory, bytes, true));
    const auto all = f.take(10);
    REQUIRE(slab::of(all[0], bytes) == static_cast<void*>(memory));
    // What a program may do that keeps its pages elsewhere.
    std::memcpy(memory + bytes, memory, bytes);
    const auto* const copy = reinterpret_cast<slab*>(memory + bytes);
    void* const inside = static_cast<std::byte*>(all[3]) + bytes;
    CHECK(f.give({inside}) == fixture::refusals{{rejection::not_from_a_slab, inside}});
    CHECK(copy->out() == 10);
    CHECK(f.set.out() == 10);
    CHECK(f.give(all).empty());
    f.set.forget_all();
    pages::unmap(memory, 3 * bytes, bytes);
}

TEST_CASE("slab_set: lends what lies behind the slab that its own threads take from, and nothing of that") {
    fixture f{small_slabs(plenty)};
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
    fixture f{small_slabs(plenty)};
    const auto first = f.fill();
    const auto second = f.fill();
    const auto some = f.take(10);
    CHECK(f.give({first[3], second[4]}).empty());
    const auto more = f.take(f.slab_of(some[0])->capacity - 10);
    CHECK(std::all_of(more.begin(), more.end(), [&](void* p) { return f.slab_of(p) == f.slab_of(some[0]); }));
    CHECK(f.take(2) == std::vector<void*>{first[3], second[4]});
}

TEST_CASE("slab_set: slabs with slots out give before those with none, and these last used first") {
    fixture f{small_slabs(plenty)};
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
    fixture f{small_slabs(plenty)};
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
    fixture f{small_slabs(plenty)};
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

TEST_CASE("slab_set: a slab of which only the unused end went back asks for huge pages again") {
    geometry g = small_slabs(plenty);
    g.huge_pages = true;
    fixture f{g};
    const auto all = f.fill();
    CHECK(f.give(all).empty());
    slab* const s = f.set.part_with_empty();
    REQUIRE(s != nullptr);
    f.set.take_over(s);
    const auto few = f.take(20);
    CHECK(f.set.discard_free_pages(s) != 0);
    CHECK(s->hole_bytes == 0);
    const std::size_t asked = pages::huge;
    const auto rest = f.take(all.size() - few.size());
    CHECK(pages::huge == asked + 1);
    CHECK(f.give(few).empty());
    CHECK(f.give(rest).empty());
}

TEST_CASE("slab_set: a set with nothing out offers its only slab") {
    fixture f{small_slabs(plenty)};
    const auto all = f.fill();
    CHECK(f.give({all.begin(), all.end() - 1}).empty());
    CHECK_FALSE(f.set.has_spare());
    CHECK(f.give({all.back()}).empty());
    CHECK(f.set.has_spare());
}

TEST_CASE("slab_set: an empty slab can change its owner, with its pages and its place in the sums") {
    for (const bool with_holes : {false, true}) {
        fixture from{small_slabs(plenty)};
        fixture to{small_slabs(1 << 14)};
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
        CHECK(from.give({all[1]}) == fixture::refusals{{rejection::other_owner, all[1]}});
        to.set.take_over(s);
        CHECK(to.set.consistent());
        CHECK(from.set.mapped_bytes() + to.set.mapped_bytes() == mapped);
        CHECK(from.set.resident_bytes() + to.set.resident_bytes() == resident);
        CHECK(from.set.find(all[0]) == nullptr);
        CHECK(to.set.find(all[0]) == s);
        CHECK(to.take(all.size(), slab_set::growth::forbidden) == all);
        CHECK_FALSE(to.set.has_excess()); // its holes were counted, and are filled
        CHECK(from.give({all[1]}) == fixture::refusals{{rejection::other_owner, all[1]}});
        CHECK(to.give(all).empty());
        CHECK(from.give(kept).empty());
    }
}

TEST_CASE("slab_set: the sweep does not go on from a slab that went to another set") {
    fixture from{small_slabs(0)};
    fixture to{small_slabs(plenty)};
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

} // namespace core_slab_set_memory_tests
