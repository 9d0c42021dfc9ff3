// SPDX-License-Identifier: Apache-2.0
// What is given to a depot that it did not hand out: reported, or sent home, and never kept.
#include "misuse_recorder.hpp"
#include "test_policy.hpp"

#include <linn/detail/sanitizer/asan.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace sync_depot_misuse_tests {

struct tag {};
using policy = linn_test::test_policy<tag>;
using depot = linn::detail::depot<policy>;
using front = linn::detail::front<policy>;
using linn::misuse_kind;
using linn_test::misuse_recorder;
using linn_test::put;
using linn_test::take;

/// Depots of the process registry: wrong pools are looked up there. They live for ever.
depot& new_depot(std::string_view name, const linn::detail::geometry& sizes = linn_test::small_geometry()) {
    const linn::detail::pool_description d{.sizes = sizes, .type = linn::detail::label_of(name)};
    linn::detail::registry<policy>::slot_type slot{0};
    depot* made = linn::detail::registry<policy>::process().depot_in(slot, d);
    REQUIRE(made != nullptr);
    return *made;
}

std::vector<void*> take_many(depot& d, std::size_t n) {
    std::vector<void*> all;
    while (all.size() < n) {
        all.push_back(d.take_one());
    }
    return all;
}

void* const nowhere = reinterpret_cast<void*>(std::uintptr_t{0x1000});

/// Not in qemu, which agrees to all advice.
bool system_knows_what_is_readable() {
    return !linn::detail::system_pages::readable(nowhere);
}

struct reentrant {
    static inline depot* d = nullptr;
    static inline int calls = 0;
    static void handler(const linn::misuse&) noexcept {
        ++calls;
        d->put_one(d->take_one());
        d->trim(nullptr);
    }
};

TEST_CASE("depot: memory that no pool gave is reported") {
    depot& d = new_depot("foreign");
    misuse_recorder recorder;
    const std::size_t align = linn_test::small_geometry().slab_align;
    // Where release builds look for a slab, there must be memory to look at.
    void* const memory = linn::detail::system_pages::map(2 * align, align);
    REQUIRE(memory != nullptr);
    void* const p = static_cast<std::byte*>(memory) + align + 4096;
    d.put_one(p);
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 1);
    CHECK(seen[0].kind == misuse_kind::foreign_pointer);
    CHECK(seen[0].address == p);
    if (!system_knows_what_is_readable()) {
        linn::detail::system_pages::unmap(memory, 2 * align, align);
        return;
    }
    // Nor is it read where there is none to look at.
    int on_stack = 0;
    d.put_one(&on_stack);
    d.put_one(nowhere);
    CHECK(recorder.take().size() == 2);
    CHECK(d.statistics().live == 0);
    // Nor where reading traps: behind a guard page, or where AddressSanitizer has a red zone.
    std::byte* const header = static_cast<std::byte*>(memory) + align;
    linn::detail::poison(header, 4096);
    d.put_one(p);
    CHECK(recorder.take().size() == 1);
    linn::detail::unpoison(header, 4096);
#if defined(__linux__)
    REQUIRE(mprotect(header, 4096, PROT_NONE) == 0);
    d.put_one(p);
    CHECK(recorder.take().size() == 1);
    REQUIRE(mprotect(header, 4096, PROT_READ | PROT_WRITE) == 0);
#endif
    linn::detail::system_pages::unmap(memory, 2 * align, align);
}

TEST_CASE("depot: an object of another type's pool is reported and stays alive there") {
    depot& apples = new_depot("apple");
    depot& pears = new_depot("pear");
    misuse_recorder recorder;
    front f;
    pears.attach(f, 1);
    const auto all = take_many(apples, 3);
    pears.put_one(all[0]);
    put(pears, f, all[1]);
    put(pears, f, take(pears, f));
    pears.detach(f);
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 2);
    for (const auto& entry : seen) {
        CHECK(entry.kind == misuse_kind::wrong_pool);
        CHECK(entry.type == "pear");
    }
    CHECK(seen[0].address == all[0]);
    CHECK(seen[1].address == all[1]);
    CHECK(apples.statistics().live == 3);
    CHECK(pears.statistics().live == 0);
    CHECK(apples.consistent());
    CHECK(pears.consistent());
}

TEST_CASE("depot: the same type with other options is another pool") {
    depot& plain = new_depot("order");
    auto wishes = linn_test::small_geometry();
    SUBCASE("of other slabs") {
        if (!system_knows_what_is_readable()) {
            return; // it looks for a slab's header where there may be no memory
        }
        wishes.slab_align *= 2;
    }
    SUBCASE("that keeps more") {
        ++wishes.retain_bytes;
    }
    depot& other = new_depot("order", wishes);
    misuse_recorder recorder;
    front f;
    other.attach(f, 1);
    const auto all = take_many(plain, 2);
    other.put_one(all[0]);
    put(other, f, all[1]);
    other.detach(f);
    other.trim(nullptr);
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].kind == misuse_kind::wrong_pool);
    CHECK(seen[1].kind == misuse_kind::wrong_pool);
    CHECK(plain.statistics().live == 2);
    CHECK(plain.consistent());
    CHECK(other.consistent());
}

TEST_CASE("depot: two modules' pools of one type exchange objects, which find their way home") {
    depot& one = new_depot("shared");
    depot& two = new_depot("shared");
    misuse_recorder recorder;
    front f;
    SUBCASE("one at a time") {
        for (void* p : take_many(one, 20)) {
            two.put_one(p);
        }
    }
    SUBCASE("by a thread that leaves") {
        two.attach(f, 1);
        for (void* p : take_many(one, 20)) {
            put(two, f, p);
        }
        two.detach(f);
        two.trim(nullptr);
    }
    SUBCASE("through magazines that are full of them, and mixed with its own") {
        two.attach(f, 1);
        const auto own = take_many(two, 200);
        const auto theirs = take_many(one, 200);
        for (std::size_t i = 0; i < 200; ++i) {
            put(two, f, theirs[i]);
            put(two, f, own[i]);
        }
        two.detach(f);
        two.trim(nullptr);
    }
    CHECK(recorder.take().empty());
    CHECK(one.statistics().live == 0);
    CHECK(two.statistics().live == 0);
    CHECK(two.statistics().cached == 0);
    CHECK(one.consistent());
    CHECK(two.consistent());
}

TEST_CASE("depot: more errors at once than it can note end in reports, not in harm") {
    depot& d = new_depot("many");
    misuse_recorder recorder;
    front f;
    d.attach(f, 1);
    void* const p = d.take_one();
    void* const kept = d.take_one();
    for (int i = 0; i < 500; ++i) {
        put(d, f, p);
    }
    d.detach(f);
    d.trim(nullptr);
    const auto seen = recorder.take();
    CHECK(seen.size() >= 16);
    for (const auto& entry : seen) {
        CHECK(entry.kind == misuse_kind::double_free);
    }
    CHECK(d.statistics().live == 1);
    CHECK(d.consistent());
    d.put_one(kept);
    CHECK(d.statistics().live == 0);
}

TEST_CASE("depot: a misuse handler may use the pool that it is told about") {
    depot& d = new_depot("reentrant");
    reentrant::d = &d;
    const auto before = linn::set_misuse_handler(&reentrant::handler);
    const auto all = take_many(d, 2);
    d.put_one(all[0]);
    d.put_one(all[0]);
    CHECK((linn::set_misuse_handler(before) == &reentrant::handler));
    CHECK(reentrant::calls == 1);
    CHECK(d.statistics().live == 1);
}

} // namespace sync_depot_misuse_tests
