// SPDX-License-Identifier: Apache-2.0
// Promise: release builds notice a double free and objects of the wrong pool when objects return to
// their slabs: when caches are flushed, trimmed, or a thread ends.
//
// Breaks when the cheap check at that point goes. Nothing is seen before the flush (that would be
// the checked build, and the hot path would pay), exactly one error is seen at it, and correct use
// before and after is silent.
#undef LINN_CHECKED
#define LINN_CHECKED 0
#define LINN_ASAN_POOLS 1
#include "process.hpp"

#include <linn/linn.hpp>

namespace {

struct item {
    long words[8];
};
struct other {
    long words[8];
};

using pool = linn::pool<item>;

std::vector<linn::misuse> seen;

void note(const linn::misuse& m) noexcept {
    seen.push_back(m);
}

void expect_one(linn::misuse_kind kind, const void* address) {
    CHECK(seen.size() == 1);
    CHECK(seen[0].kind == kind);
    CHECK(seen[0].address == address);
    seen.clear();
    std::vector<item*> objects(1000);
    pool::allocate_n(objects);
    pool::deallocate_n(objects);
    pool::trim();
    CHECK(seen.empty() || !linn_test::cached());
}

} // namespace

int main() {
    if (!linn_test::in_slabs()) {
        return linn_test::skip("a memory checker sees to it here");
    }
    linn::set_misuse_handler(&note);
    item* kept = pool::create(); // keeps its slab from being empty
    item* twice = pool::create();

    pool::deallocate(twice);
    pool::deallocate(twice);
    CHECK(seen.empty() || !linn_test::cached());
    pool::trim();
    expect_one(linn::misuse_kind::double_free, twice);

    // The last object of its slab, which is then empty and has forgotten it.
    pool::destroy(kept);
    pool::trim();
    item* only = pool::create();
    pool::deallocate(only);
    pool::trim();
    pool::deallocate(only);
    CHECK(seen.empty() || !linn_test::cached());
    pool::trim();
    expect_one(linn::misuse_kind::double_free, only);

    void* wrong = linn::pool<other>::create();
    pool::deallocate(static_cast<item*>(wrong));
    CHECK(seen.empty() || !linn_test::cached());
    pool::trim();
    expect_one(linn::misuse_kind::wrong_pool, wrong);

    linn::set_misuse_handler(nullptr);

    // Pools that end before their objects, where that is to end the program, whatever a handler says.
    static constexpr linn::pool_options strict{.on_survivors = linn::survivors::abort};
    constexpr linn::misuse_handler go_on = +[](const linn::misuse& m) noexcept {
        if (m.kind == linn::misuse_kind::objects_alive && m.count == 1) {
            linn_test::say("told");
        }
    };
    const auto expect_end = [](const char* what, auto end) {
        const auto child = linn_test::run_child([&] {
            linn::set_misuse_handler(go_on);
            end();
        });
        child.expect((child.killed_by(SIGABRT) || linn_test::tsan) && child.says("told"), what);
    };
    expect_end("a local_pool with survivors",
               [] { static_cast<void>(linn::local_pool<item, strict>{}.create()); });
    expect_end("a fixed_pool with survivors",
               [] { static_cast<void>(linn::fixed_pool<item, 4, strict>{}.create()); });
}
