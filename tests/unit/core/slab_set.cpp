// SPDX-License-Identifier: Apache-2.0
// slab_set against a shadow set: whatever is taken and given, addresses are distinct, aligned and
// inside their slab, and the invariants hold after each step.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slab_set_tests {

using linn::misuse_kind;
using linn::detail::geometry;
using linn::detail::geometry_wishes;
using linn::detail::make_geometry;
using linn::detail::slab;
using linn_test::random_source;

template <bool Zeroed>
struct model {
    struct tag {};
    using pages = linn_test::failing_pages<tag, Zeroed>;
    using set_type = linn::detail::slab_set<pages>;

    explicit model(const geometry& g) : set{g, this} {}
    ~model() {
        set.unmap_all();
        CHECK(set.consistent());
    }

    std::vector<void*> take(std::size_t want) {
        std::vector<void*> buffer(want + 1, this);
        const std::size_t got = set.fill(buffer.data(), want);
        CHECK(buffer.back() == this);
        buffer.pop_back();
        buffer.resize(got);
        std::reverse(buffer.begin(), buffer.end());
        bool right = true;
        for (std::size_t i = 0; i < got; ++i) {
            right = right && admit(buffer[i]);
            const bool same_slab = i != 0 && slab_of(buffer[i]) == slab_of(buffer[i - 1]);
            right = right && (!same_slab || buffer[i] > buffer[i - 1]);
        }
        REQUIRE(right);
        return buffer;
    }

    void give(const std::vector<void*>& objects) {
        std::size_t refused = 0;
        for (void* p : objects) {
            REQUIRE(live.erase(reinterpret_cast<std::uintptr_t>(p)) == 1);
        }
        set.give(objects.data(), objects.size(), [&](misuse_kind, void*) { ++refused; });
        REQUIRE(refused == 0);
    }

    std::vector<void*> all() const {
        std::vector<void*> objects;
        for (const std::uintptr_t p : live) {
            objects.push_back(reinterpret_cast<void*>(p));
        }
        return objects;
    }

    slab* slab_of(const void* p) const { return slab::of(p, set.sizes().slab_align); }

    bool sound() const { return set.consistent() && set.out() == live.size(); }

    set_type set;
    std::set<std::uintptr_t> live;

private:
    /// Whether `p` is a slot that nobody has, and overlaps none that somebody has.
    bool admit(void* p) {
        const geometry& g = set.sizes();
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        const slab* s = set.find(p);
        if (s == nullptr || s != slab_of(p) || address % g.slot_align != 0 ||
            address + g.slot_bytes > reinterpret_cast<std::uintptr_t>(s) + s->mapped_bytes || p < s->first) {
            return false;
        }
        const auto [at, fresh] = live.insert(address);
        const auto next = std::next(at);
        return fresh && (next == live.end() || *next - address >= g.slot_bytes) &&
               (at == live.begin() || address - *std::prev(at) >= g.slot_bytes);
    }
};

/// Some of the live objects, in an order that is a free in practice: sorted, reversed or random.
template <class M>
std::vector<void*> pick(const M& m, std::size_t count, random_source& random) {
    auto objects = m.all();
    const std::size_t order = random.below(4);
    if (order == 0) {
        std::shuffle(objects.begin(), objects.end(), random);
    } else {
        const std::size_t skip = random.below(objects.size() - count + 1);
        objects.erase(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(skip));
    }
    objects.resize(count);
    if (order == 1) {
        std::reverse(objects.begin(), objects.end());
    } else if (order == 2) {
        std::rotate(objects.begin(), objects.begin() + static_cast<std::ptrdiff_t>(count / 3), objects.end());
    }
    return objects;
}

template <bool Zeroed>
void random_walk(std::size_t bytes, std::size_t align, geometry_wishes wishes, std::size_t most_live) {
    const geometry g = make_geometry(bytes, align, wishes);
    CAPTURE(bytes);
    CAPTURE(align);
    model<Zeroed> m{g};
    random_source random{bytes + align};
    for (int step = 0; step < 150; ++step) {
        // Long tides up and down, so that slabs become full and empty.
        const bool rising = step % 50 < 30;
        if (m.live.empty() || (m.live.size() < most_live && random.below(10) < (rising ? 7U : 3U))) {
            const std::size_t room = most_live - m.live.size();
            const std::size_t want = 1 + random.below(std::min<std::size_t>(room, 2 * g.magazine_slots));
            REQUIRE(m.take(want).size() == want);
        } else {
            m.give(pick(m, 1 + random.below(m.live.size()), random));
        }
        REQUIRE(m.sound());
        REQUIRE(m.set.peak() <= most_live);
    }
    m.give(m.all());
    REQUIRE(m.sound());
    // Everything came back, so the same amount needs nothing from the system.
    const std::size_t slabs = m.set.slab_count();
    const std::size_t peak = m.set.peak();
    REQUIRE(m.take(peak).size() == peak);
    REQUIRE(m.set.slab_count() == slabs);
    REQUIRE(m.sound());
}

TEST_CASE("slab_set: random walks with every kind of size") {
    random_walk<true>(1, 1, {}, 3000);
    random_walk<true>(3, 1, {}, 3000);
    random_walk<true>(24, 8, {}, 4000);
    random_walk<true>(24, 8, {.cache_line_padding = true}, 3000);
    random_walk<true>(1500, 4, {}, 400);
    random_walk<true>(300 << 10, 8, {}, 20);
    random_walk<true>(5 << 20, 8, {}, 10);
    random_walk<true>(64, 64, {}, 3000);
    random_walk<true>(192, 64, {.slab_bytes = 1 << 16}, 3000);
    random_walk<true>(4096, 4096, {}, 100);
    random_walk<true>(12288, 4096, {.slab_bytes = 1 << 17}, 60);
}

TEST_CASE("slab_set: random walks of small pools over memory that is not zero") {
    random_walk<false>(1, 1, {.local = true}, 3000);
    random_walk<false>(24, 8, {.local = true}, 3000);
    random_walk<false>(24, 8, {.slab_bytes = 1, .magazine_slots = 7, .local = true}, 1000);
    random_walk<false>(1500, 4, {.local = true}, 300);
    random_walk<false>(64, 64, {.local = true}, 1000);
    random_walk<false>(4096, 4096, {.slab_bytes = 1, .local = true}, 30);
    random_walk<false>(300 << 10, 8, {.local = true}, 5);
}

TEST_CASE(
    "slab_set: in a batch of frees in random order each wrong one is refused, and each right one is taken") {
    for (const std::size_t bytes : linn_test::sizes{1, 24, 1500}) {
        const geometry g = make_geometry(bytes, bytes % 8 == 0 ? 8 : 1, {.slab_bytes = 1 << 17});
        model<true> m{g};
        model<true> other{g};
        m.take(100); // slabs of the other one shall lie between this one's
        const auto foreign = other.take(300);
        random_source random{bytes};
        std::vector<void*> freed;
        int nowhere[64] = {};
        for (int round = 0; round < 60; ++round) {
            for (void* p : m.take(400)) {
                std::erase(freed, p);
            }
            auto batch = pick(m, m.live.size() * 2 / 3, random);
            std::shuffle(batch.begin(), batch.end(), random);
            // A stretch in a row, too, where the other way of a free begins and ends.
            std::sort(batch.begin() + 100, batch.begin() + 130);
            std::vector<std::pair<misuse_kind, void*>> expected;
            const auto spoil = [&](void* p, misuse_kind why) {
                const std::size_t at = random.below(batch.size());
                batch.insert(batch.begin() + static_cast<std::ptrdiff_t>(at), p);
                expected.emplace_back(why, p);
            };
            for (void* p : batch) {
                m.live.erase(reinterpret_cast<std::uintptr_t>(p));
            }
            const auto valid = batch;
            for (std::size_t wrong = random.below(6); wrong != 0; --wrong) {
                spoil(foreign[random.below(foreign.size())], misuse_kind::wrong_pool);
                spoil(nowhere + random.below(64), misuse_kind::foreign_pointer);
                if (!freed.empty()) {
                    spoil(freed[random.below(freed.size())], misuse_kind::double_free);
                }
                if (!m.live.empty() && bytes > 1) { // that of another one would be found twice
                    auto* const inside =
                        reinterpret_cast<std::byte*>(*m.live.begin()) + 1 + random.below(bytes - 1);
                    const bool aligned = reinterpret_cast<std::uintptr_t>(inside) % g.object_align == 0;
                    spoil(inside, aligned ? misuse_kind::interior_pointer : misuse_kind::misaligned_pointer);
                }
            }
            // The same one twice in the batch: the second is refused, wherever the first is.
            void* const twice = valid[random.below(valid.size())];
            spoil(twice, misuse_kind::double_free);
            std::vector<std::pair<misuse_kind, void*>> refused;
            m.set.give(batch.data(), batch.size(),
                       [&](misuse_kind why, void* p) { refused.emplace_back(why, p); });
            std::sort(refused.begin(), refused.end());
            std::sort(expected.begin(), expected.end());
            REQUIRE(refused == expected);
            REQUIRE(m.sound());
            freed.insert(freed.end(), valid.begin(), valid.end());
        }
        CHECK(other.sound());
    }
}

TEST_CASE("slab_set: after a free in random order a refill comes in ascending order") {
    for (const std::size_t bytes : linn_test::sizes{1, 24, 1500}) {
        model<true> m{make_geometry(bytes, 1, {})};
        // Within one slab, so that the order is total.
        const std::size_t n = std::min<std::size_t>(2000, (60 << 10) / bytes);
        auto first = m.take(n);
        REQUIRE(m.set.slab_count() == 1);
        random_source random{bytes};
        auto shuffled = first;
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        shuffled.resize(n - 1); // one stays, or the slab would start afresh
        m.give(shuffled);
        std::vector<void*> again;
        while (again.size() < n - 1) {
            const auto some = m.take(std::min<std::size_t>(10, n - 1 - again.size()));
            again.insert(again.end(), some.begin(), some.end());
        }
        CHECK(std::is_sorted(again.begin(), again.end()));
        std::sort(shuffled.begin(), shuffled.end());
        CHECK(again == shuffled);
    }
}

TEST_CASE("slab_set: what came back goes out again before slots that were never in use") {
    for (const bool newest_too : {true, false}) {
        model<true> m{make_geometry(24, 8, {})};
        auto freed = m.take(12'000);
        const slab* newest = m.set.newest();
        const std::size_t carved = newest->carved;
        REQUIRE(newest->capacity > 2 * carved);
        if (!newest_too) {
            std::erase_if(freed, [&](void* p) { return m.slab_of(p) == newest; });
        }
        random_source random{24};
        std::shuffle(freed.begin(), freed.end(), random);
        freed.resize(freed.size() - 100); // some in each slab stay, or one would start afresh
        m.give(freed);
        constexpr std::size_t refill = 170;
        const std::size_t fresh = newest_too ? 0 : refill; // the newest slab has its turn first
        std::vector<void*> again;
        while (again.size() < freed.size() + fresh) {
            const auto some = m.take(std::min(refill, freed.size() + fresh - again.size()));
            again.insert(again.end(), some.begin(), some.end());
        }
        std::sort(freed.begin(), freed.end());
        std::sort(again.begin(), again.end());
        CHECK(std::includes(again.begin(), again.end(), freed.begin(), freed.end()));
        CHECK(newest->carved == carved + fresh);
        m.take(10);
        CHECK(newest->carved == carved + fresh + 10);
        CHECK(m.sound());
    }
}

TEST_CASE("slab_set: slabs grow geometrically, from small to their alignment") {
    model<true> m{make_geometry(64, 8, {})};
    const geometry g = m.set.sizes();
    std::size_t largest = 0;
    std::size_t slabs = 0;
    while (m.set.mapped_bytes() < 4 * g.slab_align) {
        m.take(500);
        if (m.set.slab_count() != slabs) {
            slabs = m.set.slab_count();
            const std::size_t bytes = m.set.newest()->mapped_bytes;
            CHECK(bytes >= largest);
            CHECK(bytes <= g.slab_align);
            // No slab is more than what was there before it, so half of the memory is in use.
            CHECK((slabs == 1 ? bytes == g.first_slab_bytes
                              : bytes <= m.set.mapped_bytes() - bytes + g.first_slab_bytes));
            largest = bytes;
        }
    }
    CHECK(largest == g.slab_align);
}

TEST_CASE("slab_set: what lies behind a slab, where its alignment is larger, came from nobody") {
    model<true> owner{make_geometry(64, 8, {})};
    model<true> other{make_geometry(64, 8, {})};
    const auto one = owner.take(1);
    const slab* s = owner.slab_of(one[0]);
    REQUIRE(s->mapped_bytes + 256 <= owner.set.sizes().slab_align);
    void* behind[2];
    for (std::size_t i = 0; i < 2; ++i) { // neighbours, too
        behind[i] = reinterpret_cast<std::byte*>(one[0]) + s->mapped_bytes + 64 * i;
    }
    for (auto* m : {&owner, &other}) {
        for (const std::size_t n : linn_test::sizes{1, 2}) {
            std::vector<misuse_kind> why;
            m->set.give(behind, n, [&](misuse_kind r, void*) { why.push_back(r); });
            CHECK(why == std::vector<misuse_kind>(n, misuse_kind::foreign_pointer));
        }
    }
}

} // namespace core_slab_set_tests
