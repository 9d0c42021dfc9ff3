// SPDX-License-Identifier: Apache-2.0
// Iteration visits each live object once, also when objects are made and destroyed meanwhile. That it goes by address: tests/fuzz.
#include "unit.hpp"

#include <linn/handle_pool.hpp>

namespace handle_pool_iteration_tests {

using linn::handle_pool;

struct item {
    int number;
    char more[52];
};
using items = handle_pool<item, {.slab_bytes = 8192}>; // some slabs, of different sizes

/// A pool in which objects were freed here and there: every third is left.
std::vector<items::handle> holes(items& pool, int n) {
    std::vector<items::handle> all;
    for (int i = 0; i != n; ++i) {
        all.push_back(pool.create(i));
    }
    std::vector<items::handle> left;
    for (std::size_t i = 0; i != all.size(); ++i) {
        if (i % 3 == 0) {
            left.push_back(all[i]);
        } else {
            pool.destroy(all[i]);
        }
    }
    return left;
}

template <class Pool>
std::vector<int> numbers(Pool& pool) {
    std::vector<int> seen;
    for (const item& i : pool) {
        seen.push_back(i.number);
    }
    return seen;
}

std::vector<int> sorted(std::vector<int> v) {
    std::sort(v.begin(), v.end());
    return v;
}

TEST_CASE("handle_pool: iterators") {
    static_assert(std::forward_iterator<items::iterator> && std::forward_iterator<items::const_iterator>);
    static_assert(std::is_convertible_v<items::iterator, items::const_iterator> &&
                  !std::is_convertible_v<items::const_iterator, items::iterator>);
    static_assert(std::is_same_v<decltype(*std::declval<const items&>().begin()), const item&>);
    items pool;
    CHECK(pool.begin() == pool.end());
    const auto h = pool.create(3);
    auto i = pool.begin();
    CHECK(&*i == pool.get(h));
    CHECK(i->number == 3);
    const items& constant = pool;
    CHECK(&*constant.begin() == &*i);
    constant.for_each([&](items::handle found, const item&) { CHECK(found == h); });
    CHECK(i++ != pool.end());
    CHECK(i == pool.end());
    pool.destroy(h);
    CHECK(pool.begin() == pool.end());
}

TEST_CASE("handle_pool: what is destroyed before its turn is not visited") {
    items pool;
    const auto left = holes(pool, 3000);
    std::size_t visited = 0;
    items::handle first; // of the lowest address, which may be any of them
    pool.for_each([&](items::handle h, item&) {
        ++visited;
        if (visited == 1) {
            first = h;
            for (std::size_t i = 1; i < left.size(); i += 2) {
                pool.destroy(left[i]);
            }
        }
    });
    CHECK(visited <= left.size() / 2 + 1);
    CHECK(visited == pool.size() + (pool.contains(first) ? 0 : 1));
    pool.for_each([&](items::handle h, item&) { pool.destroy(h); });
    CHECK(pool.empty());
}

TEST_CASE("handle_pool: creating while iterating disturbs nothing") {
    items pool;
    holes(pool, 300);
    const std::size_t before = pool.size();
    std::vector<int> old = sorted(numbers(pool));
    std::vector<int> seen;
    int more = 0;
    pool.for_each([&](item& i) {
        seen.push_back(i.number);
        if (more++ < 3000) { // new slabs, also at lower addresses
            static_cast<void>(pool.create(-1));
        }
    });
    seen.erase(std::remove(seen.begin(), seen.end(), -1), seen.end());
    CHECK(sorted(seen) == old);
    CHECK(pool.size() >= before + before);
}

TEST_CASE("handle_pool: an object under construction is not visited") {
    struct looker {
        explicit looker(handle_pool<looker>& pool) {
            for (const looker& other : pool) {
                CHECK(&other != this);
                ++seen;
            }
        }
        int seen = 0;
    };
    handle_pool<looker> pool;
    CHECK(pool.get(pool.create(pool))->seen == 0);
    CHECK(pool.get(pool.create(pool))->seen == 1);
}

} // namespace handle_pool_iteration_tests
