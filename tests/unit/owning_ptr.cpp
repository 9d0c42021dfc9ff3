// SPDX-License-Identifier: Apache-2.0
// Owning pointers to objects of a local_pool and a fixed_pool, and to a base class of an object of any pool: each
// object is destroyed as what it was made as, and goes back to where it came from.
#include "unit.hpp"

#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/memory.hpp>
#include <linn/owning_ptr.hpp>

namespace owning_ptr_tests {

struct named {
    virtual int id() const { return 0; }
    int name = 1;

protected:
    ~named() = default; // through base_ptr only
};
struct priced {
    double price = 2;
};
struct item final : named, priced {
    explicit item(int n) : number{n} {
        if (n < 0) {
            throw std::invalid_argument{"number"};
        }
        ++alive;
    }
    ~item() { --alive; }
    int id() const override { return number; }
    int number;
    std::string text = "longer than any short string optimisation";
    static inline int alive = 0;
};
struct plain : priced {};
struct virtually : virtual priced {};

TEST_CASE("owning_ptr: an object of a local_pool goes back to it") {
    linn::local_pool<item> pool;
    {
        linn::unique_ptr_in<linn::local_pool<item>> p = linn::make_unique_in(pool, 3);
        static_assert(sizeof p == 2 * sizeof(void*));
        CHECK(p->number == 3);
        CHECK(pool.live() == 1);
        auto q = std::move(p);
        CHECK(p == nullptr);
        CHECK(pool.live() == 1);
        p = linn::make_unique_in(pool, 4);
        p = std::move(q);
        CHECK(p->number == 3);
        CHECK(pool.live() == 1);
        CHECK_THROWS_AS(static_cast<void>(linn::make_unique_in(pool, -1)), std::invalid_argument);
        CHECK(pool.live() == 1);
        linn::unique_ptr_in<linn::local_pool<item>> none;
        CHECK(none == nullptr);
        const std::shared_ptr<item> shared = std::move(p);
        CHECK(shared->number == 3);
    }
    CHECK(pool.live() == 0);
    CHECK(item::alive == 0);
}

TEST_CASE("owning_ptr: a full fixed_pool throws, or gives null") {
    linn::fixed_pool<item, 2> pool;
    auto a = linn::make_unique_in(pool, 1);
    auto b = linn::try_make_unique_in(pool, 2);
    CHECK(b->number == 2);
    CHECK(linn::try_make_unique_in(pool, 3) == nullptr);
    CHECK_THROWS_AS(static_cast<void>(linn::make_unique_in(pool, 3)), std::bad_alloc);
    a.reset();
    CHECK(linn::try_make_unique_in(pool, 3) != nullptr);
    CHECK(pool.live() == 1);
}

TEST_CASE("owning_ptr: base pointers own objects of all pools, and of new") {
    linn::local_pool<item> local;
    linn::fixed_pool<item, 3> fixed;
    {
        std::vector<linn::base_ptr<named>> all;
        all.push_back(linn::make_unique_in(local, 1));
        all.push_back(linn::make_unique_in(fixed, 2));
        all.push_back(linn::make_unique<item>(3));
        all.push_back(std::make_unique<item>(4));
        all.emplace_back();
        CHECK(local.live() == 1);
        CHECK(fixed.live() == 1);
        CHECK(linn::pool<item>::statistics().live == 1);
        CHECK(item::alive == 4);
        int sum = 0;
        for (const auto& n : all) {
            sum += n != nullptr ? n->id() : 0;
        }
        CHECK(sum == 10);
        linn::base_ptr<named> moved = std::move(all[0]);
        CHECK(moved->id() == 1);
        moved.reset();
        CHECK(local.live() == 0);
    }
    CHECK(item::alive == 0);
    CHECK(fixed.live() == 0);
    CHECK(linn::pool<item>::statistics().live == 0);
}

TEST_CASE("owning_ptr: a base that does not begin where its object does") {
    linn::local_pool<item> pool;
    linn::base_ptr<priced> p = linn::make_unique_in(pool, 5);
    item* const whole = static_cast<item*>(p.get());
    CHECK(static_cast<void*>(p.get()) != static_cast<void*>(whole));
    CHECK(whole->number == 5);
    linn::base_ptr<const priced> constant = std::move(p);
    CHECK(constant->price == 2);
    constant.reset();
    CHECK(pool.live() == 0);
    CHECK(item::alive == 0);
}

TEST_CASE("owning_ptr: from base to base") {
    linn::fixed_pool<item, 1> pool;
    linn::base_ptr<item> same = linn::make_unique_in(pool, 6);
    linn::base_ptr<priced> base = std::move(same);
    linn::base_ptr<const priced> constant = std::move(base);
    constant = nullptr;
    CHECK(pool.live() == 0);
    linn::local_pool<plain> plains;
    base = linn::make_unique_in(plains);
    CHECK(plains.live() == 1);
    base = linn::base_ptr<item>{linn::make_unique_in(pool, 7)};
    CHECK(plains.live() == 0);
    CHECK(pool.live() == 1);
}

TEST_CASE("owning_ptr: what does not convert") {
    using item_ptr = linn::unique_ptr<item>;
    static_assert(!std::is_convertible_v<item_ptr, linn::unique_ptr<named>>);
    static_assert(std::is_convertible_v<item_ptr, linn::base_ptr<named>>);
    static_assert(!std::is_convertible_v<linn::unique_ptr<virtually>, linn::base_ptr<priced>>);
    static_assert(!std::is_convertible_v<linn::base_ptr<named>, linn::base_ptr<item>>);
    static_assert(!std::is_convertible_v<linn::base_ptr<const priced>, linn::base_ptr<priced>>);
    static_assert(!std::is_convertible_v<linn::unique_ptr<int>, linn::base_ptr<named>>);
    static_assert(sizeof(linn::base_ptr<named>) == 4 * sizeof(void*));
}

} // namespace owning_ptr_tests
