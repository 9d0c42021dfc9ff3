// SPDX-License-Identifier: Apache-2.0
// Names of the user's namespace that happen to be those of helpers of the library: argument-dependent
// lookup must not find them, neither instead of ours nor as well as ours.
#include <linn/linn.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <list>
#include <memory_resource>
#include <string>

namespace user_names_tests {

struct thing {
    std::string name = "thing, long enough not to fit into a string";
    thing() {} // NOLINT
    thing(const thing&) = default;
};

struct pooled_thing : linn::pooled<pooled_thing> {
    thing inside;
};

// As generic as such helpers are written.
template <class T, class... Args>
T* construct(void*, Args&&...) {
    FAIL("the library called user_names_tests::construct");
    return nullptr;
}
template <class T, class F, class... Args>
T* start_or(F&&, Args&&...) {
    FAIL("the library called user_names_tests::start_or");
    return nullptr;
}
template <class T, class F>
void construct_each(T*, std::size_t, F) {
    FAIL("the library called user_names_tests::construct_each");
}
template <class T>
void destroy_backwards(T*, std::size_t) {
    FAIL("the library called user_names_tests::destroy_backwards");
}
template <class... Args>
void destroy(Args&&...) {
    FAIL("the library called user_names_tests::destroy");
}
template <class T>
void forget_control_block(T*) {
    FAIL("the library called user_names_tests::forget_control_block");
}
template <class... Args>
void poison(Args&&...) {
    FAIL("the library called user_names_tests::poison");
}
template <class... Args>
void report(Args&&...) {
    FAIL("the library called user_names_tests::report");
}

TEST_CASE("the user's own helpers do not get in the way") {
    const user_names_tests::thing model;
    const auto is_model = [&](const user_names_tests::thing& t) { return t.name == model.name; };

    linn::pool<user_names_tests::thing>::destroy(linn::pool<user_names_tests::thing>::create(model));
    {
        linn::local_pool<user_names_tests::thing> pool;
        pool.destroy(pool.create(model));
        linn::fixed_pool<user_names_tests::thing, 2> fixed;
        fixed.destroy(fixed.try_create(model));
        delete new user_names_tests::pooled_thing;
    }
    CHECK(is_model(*linn::make_shared<user_names_tests::thing>(model)));
    CHECK(is_model(*linn::make_shared<user_names_tests::thing>()));
    CHECK(is_model(*linn::make_unique<user_names_tests::thing>(model)));
    CHECK(is_model(*linn::make_unique_for_overwrite<user_names_tests::thing>()));
    CHECK(is_model(linn::make_shared<user_names_tests::thing[3]>()[2]));
    CHECK(is_model(linn::make_shared<user_names_tests::thing[3]>(model)[2]));
    CHECK(is_model(linn::make_shared_for_overwrite<user_names_tests::thing[3]>()[2]));
    CHECK(is_model(linn::make_shared<user_names_tests::thing[]>(3, model)[2]));

    linn::recycler<user_names_tests::thing> recycler;
    CHECK(is_model(*recycler.acquire()));
    CHECK(is_model(*recycler.acquire_shared()));

    linn::buffer_pool buffers{std::size_t{64} * 1024};
    CHECK(is_model(*buffers.make_shared_for_overwrite<user_names_tests::thing>()));

    linn::pool_resource resource;
    const std::pmr::list<user_names_tests::thing> list(2, model, &resource);
    CHECK(is_model(list.back()));
    const linn::list<user_names_tests::thing> pooled_list(2, model);
    CHECK(is_model(pooled_list.back()));

    CHECK(linn::value_initialization_fill<user_names_tests::thing[2]>() <=
          sizeof(user_names_tests::thing[2]));
    CHECK(!linn::node_types<std::list<user_names_tests::thing>>().empty());
}

} // namespace user_names_tests
