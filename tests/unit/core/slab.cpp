// SPDX-License-Identifier: Apache-2.0
// Promise: a slab hands each slot out once, takes it back once, and knows it from every address inside.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/exact_divider.hpp>
#include <linn/detail/core/slab.hpp>
#include <linn/detail/core/slab_states.hpp>

namespace core_slab_tests {

using linn::detail::geometry;
using linn::detail::make_geometry;
using linn::detail::slab;

template <bool Zeroed>
struct fixture {
    struct tag {};
    using pages = linn_test::failing_pages<tag, Zeroed>;

    explicit fixture(const geometry& wanted)
        : g{wanted},
          memory{pages::map(g.first_slab_bytes, g.slab_align)},
          s{slab::construct(memory, g.first_slab_bytes, g, this, 0, Zeroed)} {
        REQUIRE(s != nullptr);
    }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;
    ~fixture() { pages::unmap(memory, g.first_slab_bytes, g.slab_align); }

    /// In the order in which a magazine would hand them out.
    std::vector<void*> take(std::size_t want) {
        std::vector<void*> buffer(want);
        const std::size_t got = s->take(buffer.data() + want, want);
        buffer.erase(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(want - got));
        std::reverse(buffer.begin(), buffer.end());
        return buffer;
    }

    [[nodiscard]] std::size_t index_of(const void* p) const {
        return s->index_of(p, linn::detail::exact_divider{g.slot_bytes});
    }

    geometry g;
    void* memory;
    slab* s;
};

TEST_CASE("slab: fresh slots are carved in order, each once") {
    fixture<true> f{make_geometry(48, 8, {})};
    const std::size_t capacity = f.s->capacity;
    CHECK(f.s->out() == 0);
    auto all = f.take(5);
    auto rest = f.take(capacity + 10);
    CHECK(all.size() == 5);
    CHECK(rest.size() == capacity - 5);
    all.insert(all.end(), rest.begin(), rest.end());
    bool right = true;
    for (std::size_t i = 0; i < capacity; ++i) {
        right = right && all[i] == f.s->first + i * 48 && f.index_of(all[i]) == i;
    }
    CHECK(right);
    CHECK(f.take(1).empty());
    CHECK(f.s->out() == capacity);
}

TEST_CASE("slab: freed slots come first, lowest first, then fresh ones") {
    fixture<true> f{make_geometry(48, 8, {})};
    const auto all = f.take(10);
    for (const std::size_t i : {std::size_t{7}, std::size_t{2}, std::size_t{4}}) {
        CHECK(f.s->give(i, 1));
    }
    CHECK(f.s->out() == 7);
    const auto again = f.take(5);
    CHECK(again == std::vector<void*>{all[2], all[4], all[7], f.s->first + 480, f.s->first + 528});
}

TEST_CASE("slab: a slot that is free already is refused, with all its neighbours") {
    fixture<true> f{make_geometry(48, 8, {})};
    f.take(200);
    CHECK(f.s->give(150, 1));
    CHECK_FALSE(f.s->give(150, 1));
    CHECK_FALSE(f.s->give(60, 100));
    CHECK(f.s->out() == 199);
    CHECK(f.s->give(60, 90));
    CHECK(f.s->out() == 109);
}

TEST_CASE("slab: unused when each slot that was carved came back") {
    fixture<true> f{make_geometry(48, 8, {})};
    CHECK(f.s->is_unused());
    f.take(200);
    CHECK_FALSE(f.s->is_unused());
    CHECK(f.s->give(0, 199));
    CHECK_FALSE(f.s->is_unused());
    CHECK(f.s->give(199, 1));
    CHECK(f.s->is_unused());
}

TEST_CASE("slab: only the start of a carved slot has an index") {
    fixture<true> f{make_geometry(48, 8, {})};
    f.take(3);
    for (std::size_t i = 0; i < 48 * 5; ++i) {
        const bool start = i % 48 == 0 && i < 48 * 3;
        CHECK(f.index_of(f.s->first + i) == (start ? i / 48 : slab::no_index));
    }
    CHECK(f.index_of(f.s->first - 1) == slab::no_index);
    CHECK(f.index_of(f.s->first - 48) == slab::no_index);
    CHECK(f.index_of(f.s) == slab::no_index);
    CHECK(f.index_of(nullptr) == slab::no_index);
}

TEST_CASE("slab: found from any address inside, and a copied header is none") {
    fixture<true> f{make_geometry(1500, 4, {})};
    CHECK(slab::of(f.s->first, f.g.slab_align) == f.s);
    CHECK(slab::of(f.s->first + 5 * 1500 + 3, f.g.slab_align) == f.s);
    CHECK(f.s->is_slab());
    alignas(slab) std::byte copy[sizeof(slab)];
    std::memcpy(copy, static_cast<const void*>(f.s), sizeof(slab));
    CHECK_FALSE(reinterpret_cast<const slab*>(copy)->is_slab());
}

TEST_CASE("slab: memory that is not zero is made so where it matters") {
    fixture<false> f{make_geometry(24, 8, {})};
    const std::size_t capacity = f.s->capacity;
    const auto all = f.take(capacity);
    REQUIRE(all.size() == capacity);
    // Rubbish in the bitmap would make these double frees; rubbish in its summary would lose them.
    CHECK(f.s->give(0, capacity));
    CHECK(f.take(capacity) == all);
}

TEST_CASE("slab: reset forgets what was carved, and the pages stay counted as touched") {
    fixture<true> f{make_geometry(1024, 8, {})};
    CHECK(f.s->touched_bytes() == 0);
    f.take(20);
    const std::size_t touched = f.s->touched_bytes();
    CHECK(touched >= 20 * 1024 - linn::detail::page_bytes);
    CHECK(touched <= 20 * 1024 + linn::detail::page_bytes);
    CHECK(f.s->give(0, 20));
    f.s->reset();
    CHECK(f.s->out() == 0);
    CHECK(f.s->carved == 0);
    CHECK(f.s->touched_bytes() == touched);
    f.take(1);
    CHECK(f.s->touched_bytes() == touched);
    CHECK(f.s->returnable_begin() == reinterpret_cast<std::byte*>(f.s) + linn::detail::page_bytes);
    CHECK(f.s->returnable_begin() + f.s->returnable_bytes() ==
          reinterpret_cast<std::byte*>(f.s) + f.g.first_slab_bytes);
}

TEST_CASE("slab: the check of its invariants notices each number that is wrong") {
    fixture<true> f{make_geometry(48, 8, {})};
    const auto all = f.take(10);
    REQUIRE(f.s->give(f.index_of(all[3]), 2));
    f.s->where = slab::place::available;
    REQUIRE(f.s->consistent(&f));
    const auto noticed = [&](auto& field, auto wrong) {
        const auto right = field;
        field = static_cast<std::remove_reference_t<decltype(field)>>(wrong);
        const bool no = !f.s->consistent(&f);
        field = right;
        return no && f.s->consistent(&f);
    };
    CHECK(noticed(f.s->magic, 0));
    CHECK(noticed(f.s->owner, nullptr));
    CHECK(noticed(f.s->carved, 4));
    CHECK(noticed(f.s->capacity, 9));
    CHECK(noticed(f.s->touched, 9));
    CHECK(noticed(f.s->where, slab::place::full));
    CHECK(noticed(f.s->where, slab::place::empty));
}

TEST_CASE("slab_list: push at either end, remove at either end and in the middle") {
    fixture<true> a{make_geometry(48, 8, {})};
    fixture<true> b{make_geometry(48, 8, {})};
    fixture<true> c{make_geometry(48, 8, {})};
    for (const std::size_t first : linn_test::sizes{0, 1, 2}) {
        linn::detail::slab_list list;
        CHECK(list.front() == nullptr);
        CHECK(list.pop_front() == nullptr);
        slab* const slabs[] = {c.s, b.s, a.s};
        list.push_front(b.s);
        list.push_back(a.s);
        list.push_front(c.s);
        CHECK(list.front() == c.s);
        CHECK(list.back() == a.s);
        list.remove(slabs[first]);
        CHECK(list.front() == slabs[first == 0 ? 1 : 0]);
        CHECK(list.back() == slabs[first == 2 ? 1 : 2]);
        CHECK(list.pop_front() == slabs[first == 0 ? 1 : 0]);
        CHECK(list.pop_front() == slabs[first == 2 ? 1 : 2]);
        CHECK(list.front() == nullptr);
        CHECK(list.back() == nullptr);
    }
}

} // namespace core_slab_tests
