// SPDX-License-Identifier: Apache-2.0
// Promise: a cache of zeros is empty to allocate and full to deallocate, and no object is lost between its two magazines.
#include "unit.hpp"

#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/policy.hpp>

namespace sync_front_tests {

using front = linn::detail::front<linn::detail::platform>;
using linn::detail::magazine;

static_assert(std::is_trivially_destructible_v<front>, "usable while thread_local objects are destroyed");
static_assert(alignof(front) == 64);
static_assert(sizeof(front) <= 128, "a thread pays this for every pool that it names");
constinit thread_local front zero{};

struct two_magazines {
    static constexpr std::size_t capacity = 4;
    alignas(magazine) std::byte memory[2][magazine::bytes_for(capacity)];
    magazine* a = ::new (static_cast<void*>(memory[0])) magazine;
    magazine* b = ::new (static_cast<void*>(memory[1])) magazine;

    explicit two_magazines(std::size_t places = capacity) { a->capacity = b->capacity = places; }
};

TEST_CASE("front: all zero is empty to take and full to give") {
    void* p = &zero;
    CHECK_FALSE(zero.try_pop(p));
    CHECK(p == &zero);
    CHECK_FALSE(zero.try_push(p));
    CHECK_FALSE(zero.has_loaded());
    CHECK(zero.unload() == nullptr);
    CHECK(zero.shown_count(100) == 0);
}

TEST_CASE("front: last in, first out, up to the capacity") {
    two_magazines m{3};
    front f;
    f.load(m.a);
    int objects[4];
    for (int i = 0; i < 3; ++i) {
        CHECK(f.try_push(&objects[i]));
    }
    CHECK_FALSE(f.try_push(&objects[3]));
    CHECK(f.count() == 3);
    CHECK(f.shown_count(100) == 3);
    for (int i = 2; i >= 0; --i) {
        void* p = nullptr;
        CHECK(f.try_pop(p));
        CHECK(p == &objects[i]);
    }
    void* p = nullptr;
    CHECK_FALSE(f.try_pop(p));
}

TEST_CASE("front: a magazine keeps its objects through unload, load and swap") {
    two_magazines m;
    front f;
    int objects[3];
    f.load(m.a);
    REQUIRE(f.try_push(&objects[0]));
    REQUIRE(f.try_push(&objects[1]));
    f.set_spare(m.b);
    f.swap_with_spare();
    CHECK(f.spare == m.a);
    CHECK(m.a->count == 2);
    CHECK(f.count() == 0);
    REQUIRE(f.try_push(&objects[2]));
    CHECK(f.shown_count(100) == 3);
    CHECK(f.unload() == m.b);
    CHECK(m.b->count == 1);
    CHECK_FALSE(f.has_loaded());
    CHECK_FALSE(f.try_push(&objects[2]));
    CHECK(f.shown_count(100) == 2);
    f.load(f.spare);
    f.set_spare(nullptr);
    void* p = nullptr;
    CHECK(f.try_pop(p));
    CHECK(p == &objects[1]);
    CHECK(f.shown_count(100) == 1);
}

TEST_CASE("front: what statistics cannot believe is not shown") {
    two_magazines m;
    front f;
    f.load(m.a);
    int object;
    REQUIRE(f.try_push(&object));
    REQUIRE(f.try_push(&object));
    // A reader that sees `top` of one magazine and `bottom` of another.
    CHECK(f.shown_count(1) == 0);
    f.shown_bottom.store(f.entries() + 3);
    CHECK(f.shown_count(100) == 0);
}

TEST_CASE("front: what a fork cuts short in the middle of a swap is written off once") {
    two_magazines m;
    front f;
    int object;
    f.load(m.a);
    REQUIRE(f.try_push(&object));
    f.set_spare(m.a); // the swap has loaded the spare magazine, and not yet put away the other one
    linn::detail::magazine_stack written_off;
    f.leave_magazines_to(written_off, 100);
    CHECK(written_off.pop() == m.a);
    CHECK(written_off.pop() == nullptr);
}

} // namespace sync_front_tests
