// SPDX-License-Identifier: Apache-2.0
// Promise: a guarded set of slabs finds every write to a free slot and every write just outside a
// live object, once, and says which byte; and it never cries wolf, whatever is taken, given and
// trimmed. These run in every build, since the guards of checked builds are a parameter.
#include "failing_pages.hpp"
#include "unit.hpp"

#include <linn/detail/core/slab_set.hpp>

namespace core_slot_guard_tests {

using linn::misuse_kind;
using linn::detail::call_trace;
using linn::detail::make_geometry;
using linn::detail::slot_evidence;
using linn_test::random_source;

struct found {
    misuse_kind why;
    void* object;
    slot_evidence evidence;
};

template <bool Zeroed>
struct fixture {
    struct tag {};
    using pages = linn_test::failing_pages<tag, Zeroed>;
    using set_type = linn::detail::slab_set<pages, true>;

    explicit fixture(std::size_t bytes = 40, std::size_t align = 8, std::size_t slab = 1 << 16)
        : set{make_geometry(bytes, align, {.slab_bytes = slab, .guarded = true}), this} {}
    ~fixture() { set.unmap_all(); }

    auto recorder() {
        return [this](misuse_kind why, void* object, const slot_evidence& evidence) {
            all.push_back({why, object, evidence});
        };
    }
    std::byte* take(int who = 1) {
        void* object = nullptr;
        REQUIRE(set.fill(&object, 1, set_type::growth::allowed, trace(who), recorder()) == 1);
        return static_cast<std::byte*>(object);
    }
    void give(void* object, int who = 2) { set.give(&object, 1, recorder(), trace(who)); }
    void check() { set.check_objects(recorder()); }

    /// What was found since the last call.
    std::vector<found> seen() {
        std::vector<found> result;
        result.swap(all);
        return result;
    }

    static call_trace trace(int who) {
        static char places[100];
        call_trace t;
        t.frames[0] = &places[who];
        return t;
    }

    set_type set;
    std::vector<found> all;
};

TEST_CASE_TEMPLATE("slot_guard: a write after free is found when the slot is taken again, and its byte named",
                   zeroed, std::true_type, std::false_type) {
    fixture<zeroed::value> x;
    std::byte* const kept = x.take();
    for (std::size_t offset = 0; offset < 40; ++offset) {
        std::byte* const object = x.take(3);
        std::memset(object, 0, 40);
        x.give(object, 4);
        object[offset] = std::byte{7};
        if (offset < 30) {
            object[offset + 3] = std::byte{7}; // the first one counts
        }
        CHECK(x.seen().empty());
        std::byte* const again = x.take(5);
        REQUIRE(again == object);
        const auto seen = x.seen();
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].why == misuse_kind::write_after_free);
        CHECK(seen[0].object == object);
        CHECK(seen[0].evidence.object == object);
        CHECK(seen[0].evidence.offset == static_cast<std::ptrdiff_t>(offset));
        CHECK(seen[0].evidence.allocated == x.trace(3));
        CHECK(seen[0].evidence.freed == x.trace(4));
        x.give(object);
    }
    CHECK(x.seen().empty());
    x.give(kept);
    CHECK(x.set.out() == 0);
}

TEST_CASE("slot_guard: check finds a write after free, once") {
    fixture<true> x;
    std::byte* const kept = x.take();
    std::byte* const object = x.take();
    x.give(object);
    x.check();
    CHECK(x.seen().empty());
    object[11] = std::byte{1};
    x.check();
    const auto seen = x.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].evidence.offset == 11);
    x.check();
    CHECK(x.take() == object);
    CHECK(x.seen().empty());

    // Also where the slab is empty and has forgotten what it had handed out.
    x.give(object);
    x.give(kept);
    CHECK(x.set.out() == 0);
    object[5] = std::byte{1};
    x.check();
    CHECK(x.seen().size() == 1);
}

TEST_CASE(
    "slot_guard: a write outside a live object is found at its free, the object is freed all the same") {
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{3}, std::size_t{24}, std::size_t{40}}) {
        fixture<true> x{bytes, 1};
        std::byte* const kept = x.take();
        for (std::ptrdiff_t beyond = -8; beyond < 8; ++beyond) {
            const std::ptrdiff_t offset = beyond < 0 ? beyond : static_cast<std::ptrdiff_t>(bytes) + beyond;
            std::byte* const object = x.take(6);
            object[offset] = std::byte{0};
            x.give(object);
            const auto seen = x.seen();
            REQUIRE(seen.size() == 1);
            CHECK(seen[0].why == (beyond < 0 ? misuse_kind::underrun : misuse_kind::overrun));
            CHECK(seen[0].object == object);
            CHECK(seen[0].evidence.offset == offset);
            CHECK(seen[0].evidence.allocated == x.trace(6));
            CHECK(x.set.out() == 1);
        }
        // And by check while it lives, once.
        std::byte* const object = x.take();
        object[bytes] = std::byte{0};
        x.check();
        CHECK(x.seen().size() == 1);
        x.check();
        x.give(object);
        x.give(kept);
        CHECK(x.seen().empty());
    }
}

TEST_CASE("slot_guard: an object and its record that were overwritten together are reported, not believed") {
    fixture<true> x;
    std::byte* const object = x.take();
    std::memset(object, 0x41, x.set.sizes().slot_bytes);
    x.give(object);
    auto seen = x.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].why == misuse_kind::overrun);
    CHECK(seen[0].evidence.allocated.size() == 0);
    x.give(object);
    seen = x.seen();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].why == misuse_kind::double_free);
}

TEST_CASE_TEMPLATE("slot_guard: right use is never reported, whatever goes back to the system meanwhile",
                   zeroed, std::true_type, std::false_type) {
    struct shape {
        std::size_t bytes, align;
    };
    for (const shape s : {shape{1, 1}, shape{40, 8}, shape{333, 1}, shape{64, 64}, shape{5000, 16},
                          shape{9000, 4096}, shape{70'000, 8}}) {
        fixture<zeroed::value> x{s.bytes, s.align};
        random_source random{s.bytes};
        std::vector<std::byte*> live;
        std::uint64_t now_ms = 0;
        const std::size_t most = s.bytes < 1000 ? 700 : 30;
        for (std::size_t step = 0; step < 6000 * most / 700; ++step) {
            const std::size_t what = random.below(100);
            const bool growing = step / (2 * most) % 2 == 0;
            if (what < (growing ? 65U : 35U) && live.size() < most) {
                std::byte* const object = x.take();
                REQUIRE(reinterpret_cast<std::uintptr_t>(object) % s.align == 0);
                std::memset(object, static_cast<int>(step % 256), s.bytes);
                live.push_back(object);
            } else if (what < 96 && !live.empty()) {
                const std::size_t i = random.below(live.size());
                x.give(live[i]);
                live[i] = live.back();
                live.pop_back();
            } else if (what == 96) {
                x.check();
            } else if (what == 97) {
                for (auto* slab = x.set.newest(); slab != nullptr; slab = slab->older) {
                    x.set.discard_free_pages(slab);
                }
            } else if (what == 98) {
                linn::detail::cold_pages cold;
                while (x.set.take_empty(cold) || x.set.take_cold(now_ms += 2000, cold)) {
                    const std::size_t bytes = x.set.discard(cold);
                    x.check(); // what is on its way back is not looked at
                    x.set.put_cold(cold, bytes);
                    cold = {};
                }
            } else if (step % 20 == 0) {
                x.set.reset_all();
                live.clear();
            }
            if (step % 100 == 0) {
                REQUIRE(x.set.consistent());
            }
        }
        x.check();
        CHECK(x.seen().empty());
        CHECK(x.set.out() == live.size());
    }
}

} // namespace core_slot_guard_tests
