// SPDX-License-Identifier: Apache-2.0
// Promise: a slab hands each slot out once, and is unused when each came back. The rest is tested on sets of slabs.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/exact_divider.hpp>
#include <linn/detail/core/slab.hpp>

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

} // namespace core_slab_tests
