// SPDX-License-Identifier: Apache-2.0
// One friend declaration is enough for a class whose constructors and destructor are private: the pool itself
// constructs and destroys. It was a function of a detail namespace, which nobody can name as a friend.
#include "process_pool.hpp"

#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/memory.hpp>
#include <linn/pool.hpp>

#include <doctest/doctest.h>

#include <stdexcept>

namespace private_members_tests {

class account {
    friend class linn::pool<account>;
    friend class linn::local_pool<account>;
    friend class linn::fixed_pool<account, 4>;

    account() noexcept { ++alive; }
    explicit account(int number) : number_{number} {
        if (number < 0) {
            throw std::invalid_argument{"number"};
        }
        ++alive;
    }
    ~account() { --alive; }

    int number_ = 0;

public:
    [[nodiscard]] int number() const { return number_; }
    static inline int alive = 0;
};

constexpr linn::pool_options padded{.cache_line_padding = true};

class ledger {
    template <class, linn::pool_options>
    friend class linn::pool;
    template <class, linn::pool_options>
    friend class linn::local_pool;

    ledger() = default;
    ~ledger() = default;
    int pages_ = 3;

public:
    [[nodiscard]] int pages() const { return pages_; }
};

template <class Pool>
void use(Pool& pool) {
    account* first = pool.create();
    account* second = pool.create(7);
    CHECK(second->number() == 7);
    CHECK(account::alive == 2);
    CHECK_THROWS_AS(static_cast<void>(pool.create(-1)), std::invalid_argument);
    CHECK(pool.statistics().live == 2);
    pool.destroy(first);
    pool.destroy(second);
    CHECK(account::alive == 0);
    CHECK(pool.statistics().live == 0);
}

TEST_CASE_TEMPLATE("private members: the pool is the only friend that is needed", Pool,
                   linn_test::process_pool<account>, linn::local_pool<account>,
                   linn::fixed_pool<account, 4>) {
    Pool pool;
    use(pool);
}

TEST_CASE("private members: try_create of fixed_pool") {
    linn::fixed_pool<account, 4> pool;
    static_assert(noexcept(pool.try_create()) && !noexcept(pool.try_create(1)));
    account* a = pool.try_create(5);
    CHECK(a->number() == 5);
    pool.destroy(a);
}

TEST_CASE("private members: a friend for all options") {
    linn::local_pool<ledger, padded> local;
    ledger* one = local.create();
    ledger* two = linn::pool<ledger, padded>::create();
    CHECK(one->pages() + two->pages() == 6);
    local.destroy(one);
    linn::pool<ledger, padded>::destroy(two);
}

TEST_CASE("private members: make_unique goes through the pool") {
    auto a = linn::make_unique<account>(9);
    CHECK(a->number() == 9);
    a.reset();
    CHECK(account::alive == 0);
}

} // namespace private_members_tests
