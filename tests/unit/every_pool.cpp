// SPDX-License-Identifier: Apache-2.0
// Promise: pool, local_pool and fixed_pool allocate, construct, destroy and count alike: objects lie apart and aligned, are
// freed in any order and used again; a pool that is an object reports objects that outlive it, and a local_pool keeps their
// memory. What pools do under any sequence of calls, many at once, release() and owns() included: tests/fuzz.
#include "misuse_recorder.hpp"
#include "process_pool.hpp"
#include "unit.hpp"

#include <linn/fixed_pool.hpp>
#include <linn/local_pool.hpp>
#include <linn/memory.hpp>

#include <concepts>

namespace every_pool_tests {

struct of_process {
    template <class T, std::size_t>
    using pool = linn_test::process_pool<T>;
};
struct local {
    template <class T, std::size_t, linn::pool_options Options = {}>
    using pool = linn::local_pool<T, Options>;
};
struct fixed {
    template <class T, std::size_t Objects, linn::pool_options Options = {}>
    using pool = linn::fixed_pool<T, Objects, Options>;
};
#define LINN_EVERY_POOL of_process, local, fixed

/// On the heap, since a fixed_pool has its objects inside.
template <class Kind, class T, std::size_t Objects = 5000>
auto make() {
    return std::make_unique<typename Kind::template pool<T, Objects>>();
}

template <std::size_t Bytes, std::size_t Align>
struct alignas(Align) sized {
    unsigned char data[Bytes];
};

/// Objects do not overlap: each is filled with a byte of its own, and all are looked at in the end.
template <class Kind, class T, std::size_t Objects>
void fill_and_check() {
    const auto pool = make<Kind, T, Objects>();
    std::vector<T*> all;
    bool right = true;
    for (std::size_t i = 0; i != Objects; ++i) {
        T* p = pool->allocate();
        right = right && reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
        std::fill(std::begin(p->data), std::end(p->data), static_cast<unsigned char>(i));
        all.push_back(p);
    }
    CHECK(pool->statistics().live == Objects);
    for (std::size_t i = 0; i != Objects; ++i) {
        right = right && std::all_of(std::begin(all[i]->data), std::end(all[i]->data),
                                     [i](unsigned char c) { return c == static_cast<unsigned char>(i); });
        pool->deallocate(all[i]);
    }
    CHECK(right);
    CHECK(pool->statistics().live == 0);
    CHECK(pool->statistics().object_bytes == sizeof(T));
    if (!linn::detail::checked_build) { // where each object may have guards around it
        CHECK(pool->statistics().slot_bytes == sizeof(T));
    }
}

struct probe {
    probe(std::unique_ptr<int> o, const std::string& copied, std::string&& m)
        : owned{std::move(o)},
          text{copied},
          moved{std::move(m)} {}
    std::unique_ptr<int> owned;
    std::string text;
    std::string moved;
};

template <class Pool>
constexpr bool promises_no_exceptions = requires(Pool& pool, typename Pool::value_type* p) {
    { pool.try_allocate() } noexcept -> std::same_as<typename Pool::value_type*>;
    { pool.deallocate(p) } noexcept;
    { pool.destroy(p) } noexcept;
};
static_assert(promises_no_exceptions<linn_test::process_pool<int>>);
static_assert(promises_no_exceptions<linn::local_pool<int>>);
static_assert(promises_no_exceptions<linn::fixed_pool<int, 3>>);

TEST_CASE_TEMPLATE("every pool: sizes and alignments", Kind, LINN_EVERY_POOL) {
    fill_and_check<Kind, sized<1, 1>, 3000>();
    fill_and_check<Kind, sized<3, 1>, 3000>();
    fill_and_check<Kind, sized<24, 8>, 3000>();
    fill_and_check<Kind, sized<1, 64>, 500>();
    fill_and_check<Kind, sized<65, 64>, 500>();
    fill_and_check<Kind, sized<1500, 4>, 300>();
    fill_and_check<Kind, sized<4096, 4096>, 20>();
    fill_and_check<Kind, sized<1, 4096>, 20>();
    fill_and_check<Kind, sized<20'000, 1>, 50>();
    fill_and_check<Kind, sized<300 << 10, 8>, 5>();
    fill_and_check<Kind, sized<5 << 20, 64>, 3>();
}

TEST_CASE_TEMPLATE("every pool: create forwards its arguments as they are", Kind, LINN_EVERY_POOL) {
    const auto pool = make<Kind, probe, 3>();
    const std::string copied = "a string too long for the small buffer of strings";
    std::string moved = copied;
    probe* p = pool->create(std::make_unique<int>(7), copied, std::move(moved));
    CHECK(*p->owned == 7);
    CHECK(p->text == copied);
    CHECK(p->moved == copied);
    pool->destroy(p);
    pool->destroy(nullptr);
    CHECK(pool->statistics().live == 0);
}

static_assert(!std::is_copy_constructible_v<linn::local_pool<int>>);
static_assert(std::is_nothrow_default_constructible_v<linn::local_pool<int>>);
static_assert(std::is_same_v<linn::local_pool<int>::value_type, int>);

TEST_CASE("local_pool: creating one allocates nothing") {
    linn::local_pool<probe> pool;
    const auto s = pool.statistics();
    CHECK(s.slabs == 0);
    CHECK(s.reserved_bytes == 0);
    CHECK(s.live == 0);
    CHECK(s.threads == 1);
    CHECK(s.type.find("probe") != std::string::npos);
}

TEST_CASE_TEMPLATE("survivors are reported and stay valid, or are kept silently; without any all is quiet",
                   Kind, local, fixed) {
    using linn::survivors;
    constexpr bool looks = std::is_same_v<Kind, local> || linn::detail::checked_build;
    linn_test::misuse_recorder recorder;
    static sized<24, 8>* kept[2]; // reachable, or they would count as leaks
    const void* where = nullptr;
    {
        typename Kind::template pool<sized<24, 8>, 4> pool;
        where = &pool;
        kept[0] = pool.create();
        kept[0]->data[5] = 42;
        static_cast<void>(pool.allocate());
        pool.deallocate(pool.allocate());
    }
    const auto seen = recorder.take();
    REQUIRE(seen.size() == (looks ? 1 : 0));
    if (looks) {
        CHECK(seen[0].kind == linn::misuse_kind::objects_alive);
        CHECK(seen[0].count == 2);
        CHECK(seen[0].address == where);
        CHECK(seen[0].type.find("sized") != std::string::npos);
    }
    if (std::is_same_v<Kind, local>) { // others take their memory with them
        CHECK(kept[0]->data[5] == 42);
    }
    {
        typename Kind::template pool<sized<24, 8>, 4, {.on_survivors = survivors::keep}> pool;
        kept[1] = pool.create();
    }
    {
        typename Kind::template pool<sized<24, 8>, 4, {.on_survivors = survivors::abort}> pool;
        pool.destroy(pool.create());
        static_cast<void>(pool.create());
        pool.release();
    }
    CHECK(recorder.take().empty());
}

TEST_CASE("survivors: a double free does not make up for one that is alive, whose memory is kept") {
    linn_test::misuse_recorder recorder;
    static int* alive = nullptr;
    {
        linn::local_pool<int> pool;
        std::vector<int*> all(40);
        pool.allocate_n(all);
        alive = all[7];
        CHECK(alive != nullptr);
        pool.deallocate(all[30]);
        for (std::size_t i = 0; i < 40; ++i) {
            if (i != 7) {
                pool.deallocate(
                    all[i]); // of the 30th a second time, which is noticed at the latest at the end
            }
        }
    }
    const auto seen = recorder.take();
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].kind == linn::misuse_kind::double_free);
    CHECK(seen[1].kind == linn::misuse_kind::objects_alive);
    CHECK(seen[1].count == 1);
}

// One friend declaration is enough for a class whose constructors and destructor are private: the pool itself constructs and
// destroys.
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

} // namespace every_pool_tests
