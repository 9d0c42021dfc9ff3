// SPDX-License-Identifier: Apache-2.0
// Promise: the function of for_each_live may use the pool, and what another module has cached is not visited. What is visited
// while threads cache, end and hand over: tests/fuzz. The child of a fork is in process/fork_for_each_live.cpp.
#include "unit.hpp"

#include <linn/pool.hpp>

namespace for_each_live_tests {

template <int>
struct item {
    std::size_t words[5];
};

TEST_CASE("for_each_live: the function may destroy what it is given, and create") {
    using pool = linn::pool<item<3>>;
    for (std::size_t i = 0; i < 5000; ++i) {
        pool::create()->words[0] = i;
    }
    std::vector<item<3>*> created;
    const std::size_t n = pool::for_each_live([&](item<3>& object) {
        if (object.words[0] % 3 == 0) {
            pool::destroy(&object);
        } else if (object.words[0] % 3 == 1) {
            created.push_back(pool::create());
        }
    });
    CHECK(n == 5000);
    CHECK(pool::statistics().live == 5000 - 1667 + 1667);
    CHECK(pool::for_each_live([](item<3>& object) { pool::destroy(&object); }) == 5000);
    CHECK(pool::statistics().live == 0);
    // Another pool, from inside; and what it throws comes through.
    static_cast<void>(pool::create());
    static_cast<void>(pool::create());
    int calls = 0;
    CHECK_THROWS_AS(pool::for_each_live([&](item<3>&) {
                        linn::pool<item<1>>::destroy(linn::pool<item<1>>::create());
                        if (++calls == 2) {
                            throw std::runtime_error{"enough"};
                        }
                    }),
                    std::runtime_error);
    CHECK(calls == 2);
    CHECK(pool::for_each_live([](item<3>& object) { pool::destroy(&object); }) == 2);
}

struct shared_item {
    std::size_t words[7];
};

/// As two modules have it that both hide their pool of a type, and not the rest of the library.
constexpr linn::detail::pool_description as_both_say{
    linn::detail::geometry_for(sizeof(shared_item), alignof(shared_item), {}), sizeof(shared_item),
    alignof(shared_item), "shared_item"};
linn::detail::pool_root<linn::detail::platform> one_module{.description = &as_both_say};
linn::detail::pool_root<linn::detail::platform> other_module{.description = &as_both_say};
constinit thread_local linn::detail::front<linn::detail::platform> front_of_one{};
constinit thread_local linn::detail::front<linn::detail::platform> front_of_other{};

void* take(linn::detail::front<linn::detail::platform>& f,
           linn::detail::pool_root<linn::detail::platform>& module) {
    void* object = nullptr;
    return f.try_pop(object) ? object : linn::detail::allocate_slow(f, module);
}
void put(linn::detail::front<linn::detail::platform>& f,
         linn::detail::pool_root<linn::detail::platform>& module, void* object) {
    if (!f.try_push(object)) {
        linn::detail::deallocate_slow(f, module, object);
    }
}

TEST_CASE("for_each_live: what another module's pool of the same type has cached is not live") {
    std::size_t found = 0;
    std::set<void*> expected;
    std::set<void*> seen;
    std::thread{[&] {
        std::vector<void*> all;
        for (int i = 0; i < 300; ++i) {
            all.push_back(take(front_of_one, one_module));
        }
        void* theirs = take(front_of_other, other_module);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 3 == 0) {
                put(front_of_other, other_module, all[i]);
            } else {
                expected.insert(all[i]);
            }
        }
        linn::detail::pointer_list<linn::detail::platform::pages> live;
        CHECK(one_module.depot_made.load()->collect_live(live));
        found = live.size();
        seen.insert(live.begin(), live.end());
        for (void* object : expected) {
            put(front_of_one, one_module, object);
        }
        put(front_of_other, other_module, theirs);
    }}.join();
    CHECK(found == expected.size());
    CHECK(seen == expected);
}

} // namespace for_each_live_tests
