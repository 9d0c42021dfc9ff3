// SPDX-License-Identifier: Apache-2.0
// A handle finds its object for as long as that lives, and nothing ever after: not when the memory or the index is
// used again, not when all generations are used up. And the pool does what pools do: stable addresses, the strong
// guarantee, memory that comes back.
#include "misuse_recorder.hpp"
#include "unit.hpp"

#include <linn/handle_pool.hpp>

#include <compare>
#include <unordered_set>

namespace handle_pool_tests {

using linn::handle_pool;

struct counted {
    explicit counted(int) { ++alive; }
    ~counted() { --alive; }
    static inline int alive = 0;
};

struct tree {
    tree(handle_pool<tree>& all, int depth) {
        if (depth != 0) {
            left = all.create(all, depth - 1);
            right = all.create(all, depth - 1);
        }
    }
    handle_pool<tree>* mine = nullptr;
    ~tree() {
        if (mine != nullptr) {
            mine->destroy(left);
            mine->destroy(right);
        }
    }
    linn::pool_handle<tree> left;
    linn::pool_handle<tree> right;
};

class secret {
    friend class linn::handle_pool<secret>;
    secret() = default;
    ~secret() = default;

public:
    int value = 5;
};

struct opaque;
struct owner {
    owner(); // NOLINT
    ~owner();
    handle_pool<opaque> parts; // named before its type is complete
};
struct opaque {
    int x = 0;
};
owner::owner() = default;
owner::~owner() = default;

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

TEST_CASE("handle_pool: after frees in random order, new objects and their handles are neighbours in order") {
    handle_pool<int> pool;
    std::vector<handle_pool<int>::handle> all(20000);
    for (auto& h : all) {
        h = pool.create(0);
    }
    std::shuffle(all.begin(), all.end(), std::mt19937{1});
    for (std::size_t i = 0; i != all.size() / 2; ++i) {
        pool.destroy(all[i]);
    }
    pool.reserve(all.size() * 4); // the table grows while indices are free
    constexpr auto index_of = [](auto h) {
        return h.value() & ((1U << handle_pool<int>::options.index_bits) - 1);
    };
    auto before = pool.create(0);
    std::size_t forward = 0;
    for (std::size_t i = 1; i != all.size() / 2; ++i) {
        const auto h = pool.create(0);
        forward += index_of(h) > index_of(before) && pool.get(h) > pool.get(before) ? 1U : 0U;
        before = h;
    }
    CHECK(forward > all.size() / 2 * 9 / 10);
    CHECK_THROWS_AS(pool.reserve((std::size_t{1} << 20) + 1), std::bad_alloc);
}

TEST_CASE("handle_pool: a handle is four bytes that can be copied, compared, ordered and hashed") {
    using handle = handle_pool<int>::handle;
    static_assert(sizeof(handle) == 4 && std::is_trivially_copyable_v<handle> &&
                  std::is_standard_layout_v<handle>);
    static_assert(sizeof(handle_pool<int, {.generation_bits = 13}>::handle) == 8);
    static_assert(!std::is_convertible_v<handle, std::uint32_t> &&
                  !std::is_convertible_v<std::uint32_t, handle>);
    static_assert(!std::is_same_v<handle, handle_pool<long>::handle>);
    static_assert(std::three_way_comparable<handle>);
    handle_pool<int> pool;
    std::unordered_set<handle> hashed;
    std::set<handle> ordered;
    for (int i = 0; i != 100; ++i) {
        const handle h = pool.create(i);
        CHECK(hashed.insert(h).second);
        CHECK(ordered.insert(h).second);
    }
}

TEST_CASE("handle_pool: the destructor and clear destroy what is left") {
    {
        handle_pool<counted> pool;
        std::vector<decltype(pool)::handle> all;
        for (int i = 0; i != 500; ++i) {
            all.push_back(pool.create(i));
        }
        CHECK(counted::alive == 500);
        pool.clear();
        CHECK(counted::alive == 0);
        CHECK(pool.empty());
        for (const auto h : all) {
            CHECK(pool.get(h) == nullptr);
        }
        for (int i = 0; i != 500; ++i) {
            CHECK(!all[static_cast<std::size_t>(i)].value() == false);
            static_cast<void>(pool.create(i));
        }
        for (const auto h : all) {
            CHECK(pool.get(h) == nullptr);
        }
    }
    CHECK(counted::alive == 0);
    handle_pool<std::string> texts; // what they own goes too: LeakSanitizer looks
    static_cast<void>(texts.create("longer than any short string optimisation"));
}

TEST_CASE("handle_pool: constructors and destructors may use the pool") {
    handle_pool<tree> pool;
    const auto root = pool.create(pool, 6);
    CHECK(pool.size() == 127);
    pool.for_each([&](tree& t) { t.mine = &pool; });
    pool.destroy(root);
    CHECK(pool.empty());
}

TEST_CASE("handle_pool: a destructor does not find its object") {
    struct prober {
        handle_pool<prober>* pool;
        std::vector<linn::pool_handle<prober>>* mine;
        ~prober() {
            for (const auto h : *mine) {
                CHECK(pool->get(h) != this);
            }
            for (prober& other : *pool) {
                CHECK(&other != this);
            }
            CHECK(!pool->destroy(mine->front()));
        }
    };
    std::vector<linn::pool_handle<prober>> mine;
    handle_pool<prober> pool;
    mine.push_back(pool.create(&pool, &mine));
    CHECK(pool.destroy(mine.front()));
}

TEST_CASE("handle_pool: private members, and a type that is completed later") {
    handle_pool<secret> pool;
    const auto h = pool.create();
    CHECK(pool.get(h)->value == 5);
    pool.destroy(h);
    owner o;
    CHECK(o.parts.get(o.parts.create())->x == 0);
}

TEST_CASE("handle_pool: an object that wrote beyond its end is noticed when it is destroyed") {
    linn_test::misuse_recorder misuse;
    handle_pool<int> pool;
    const auto h = pool.create(1);
    auto* bytes = reinterpret_cast<volatile unsigned char*>(pool.get(h));
    bytes[linn::detail::handle_cell<int>::poisoned_bytes == 8 && sizeof(linn::detail::handle_cell<int>) == 16
              ? 8
              : 4] = 0x55;
    CHECK_FALSE(pool.handle_of(*pool.get(h)));
    CHECK(pool.destroy(h));
    const auto reports = misuse.take();
    REQUIRE(reports.size() == 1);
    CHECK((reports[0].kind == linn::misuse_kind::overrun && reports[0].offset >= 4 &&
           reports[0].object == reports[0].address));
    CHECK(pool.empty());
}

// Iteration visits each live object once, also when objects are made and destroyed meanwhile. That it goes by index: tests/fuzz.
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
    CHECK(pool.owns(&*i));
    CHECK_FALSE(pool.owns(&pool));
    CHECK_FALSE(items{}.owns(&*i));
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
    items::handle first;
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
        if (more++ < 3000) { // new slabs, and a larger table
            static_cast<void>(pool.create(-1));
        }
    });
    seen.erase(std::remove(seen.begin(), seen.end(), -1), seen.end());
    CHECK(sorted(seen) == old);
    CHECK(pool.size() >= before + before);
}

using steady = std::chrono::steady_clock;
constexpr int many = linn::detail::checked_build ? 50'000 : 1'000'000; // it looks for slabs among all

TEST_CASE("handle_pool: a walk over retired indices takes a step for 64 of them") {
    handle_pool<int, {.generation_bits = 1}> pool;
    const auto begin = steady::now();
    for (int i = 0; i != many; ++i) {
        pool.destroy(pool.create(i));
    }
    const auto filled = steady::now();
    CHECK(pool.capacity() <= (1U << 20) - many);
    const auto last = pool.create(7);
    auto walk_time = steady::duration::max();
    for (int round = 0; round != 5; ++round) {
        const auto start = steady::now();
        pool.for_each([&](auto h, int& found) { CHECK((h == last && found == 7)); });
        walk_time = (std::min)(walk_time, steady::now() - start);
    }
    CHECK(40 * walk_time < filled - begin);
}

TEST_CASE("handle_pool: trim walks once over many slabs, and counts what it frees") {
    handle_pool<item, {.slab_bytes = 4096}> pool;
    std::vector<decltype(pool)::handle> all(many);
    const auto begin = steady::now();
    for (auto& h : all) {
        h = pool.create(1);
    }
    const auto filled = steady::now();
    for (std::size_t i = 0; i < all.size() / 2; i += 50) { // one or two of each slab
        pool.destroy(all[i]);
    }
    for (std::size_t i = all.size() / 2; i != all.size(); ++i) {
        pool.destroy(all[i]);
    }
    const auto before = pool.statistics();
    const auto start = steady::now();
    const std::size_t bytes = pool.trim();
    CHECK(steady::now() - start < filled - begin);
    const auto after = pool.statistics();
    CHECK(after.slabs < before.slabs * 2 / 3);
    CHECK(bytes == before.reserved_bytes - after.reserved_bytes);
    CHECK(bytes == after.returned_bytes - before.returned_bytes);
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

} // namespace handle_pool_tests
