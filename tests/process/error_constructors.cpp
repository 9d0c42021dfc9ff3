// SPDX-License-Identifier: Apache-2.0
// Promise: a constructor that throws gives its slot back, in every form in which an object can be
// made: pool::create, local_pool::create, containers, and each operator new of a `pooled` class.
//
// Breaks when the storage is forgotten on the way out: many throws would then need many slots. The
// constructor throws sometimes only, and both outcomes are counted.
#include "process.hpp"

#include <linn/linn.hpp>

#include <exception>

namespace {

int constructed = 0;
int thrown = 0;

struct refusal : std::exception {};

void sometimes() {
    if ((constructed + thrown) % 3 == 1) {
        ++thrown;
        throw refusal{};
    }
    ++constructed;
}

struct fussy {
    explicit fussy(int n) : number{n} { sometimes(); }
    int number;
    char more[60];
};

struct fussy_pooled : linn::pooled<fussy_pooled> {
    fussy_pooled() { sometimes(); }
    char bytes[72];
};

struct alignas(128) fussy_aligned : linn::pooled<fussy_aligned> {
    fussy_aligned() { sometimes(); }
    char bytes[72];
};

struct fussy_base : linn::pooled<fussy_base> {
    fussy_base() = default;
    fussy_base(const fussy_base&) = delete;
    fussy_base& operator=(const fussy_base&) = delete;
    virtual ~fussy_base() = default;
    char bytes[40];
};
struct fussy_derived final : fussy_base { // another size: not pooled
    fussy_derived() { sometimes(); }
    char more[500];
};

constexpr int attempts = 3000;

/// Runs `make` many times; it returns what undoes it.
template <class Make>
void attempt(Make&& make) {
    constructed = thrown = 0;
    for (int i = 0; i < attempts; ++i) {
        try {
            make();
        } catch (const refusal&) {
        }
    }
    CHECK(thrown >= attempts / 4);
    CHECK(constructed >= attempts / 4);
}

template <class T>
void check_pool_is_clean() {
    const auto s = linn::pool<T>::statistics();
    CHECK_AT_MOST(s.live, 0);
    CHECK_AT_MOST(s.peak, 1000);
}

void with_create() {
    attempt([] { linn::pool<fussy>::destroy(linn::pool<fussy>::create(1)); });
    check_pool_is_clean<fussy>();
    linn::local_pool<fussy> local;
    attempt([&] { local.destroy(local.create(1)); });
    CHECK(local.live() == 0);
    CHECK_AT_MOST(local.statistics().peak, 1000);
}

void with_new() {
    attempt([] { delete new fussy_pooled; });
    check_pool_is_clean<fussy_pooled>();
    attempt([] { delete new fussy_derived; });
    check_pool_is_clean<fussy_base>();
    attempt([] { delete new (std::nothrow) fussy_derived; });
    check_pool_is_clean<fussy_base>();
    attempt([] { auto p = std::make_unique<fussy_pooled>(); });
    check_pool_is_clean<fussy_pooled>();

    // Of an over-aligned class this needs an operator delete that is only there for it.
    attempt([] { delete new fussy_aligned; });
    attempt([] { delete new (std::nothrow) fussy_pooled; });
    attempt([] { delete new (std::nothrow) fussy_aligned; });
    if (linn_test::in_slabs()) { // elsewhere the language does not tell where the storage came from
        check_pool_is_clean<fussy_pooled>();
        check_pool_is_clean<fussy_aligned>();
    }

    // Arrays and placement take nothing from the pool, and give nothing to it.
    const auto before = linn::pool<fussy_pooled>::statistics().live;
    attempt([] { delete[] new fussy_pooled[2]; });
    alignas(fussy_pooled) char place[sizeof(fussy_pooled)];
    attempt([&] { (::new (static_cast<void*>(place)) fussy_pooled)->~fussy_pooled(); });
    attempt([&] { (new (static_cast<void*>(place)) fussy_pooled)->~fussy_pooled(); });
    CHECK(linn::pool<fussy_pooled>::statistics().live == before);
}

void with_containers() {
    linn::list<fussy> list;
    attempt([&] {
        list.emplace_back(1);
        list.pop_front();
    });
    CHECK(list.empty());
    linn::map<int, fussy> map;
    int key = 0;
    attempt([&] {
        map.erase(++key % 50);
        map.try_emplace(key % 50, 1);
    });
    map.clear();
    attempt([] { auto p = std::allocate_shared<fussy>(linn::allocator<fussy>{}, 1); });
}

} // namespace

int main() {
    with_create();
    with_new();
    with_containers();
    if (linn_test::in_slabs()) {
        CHECK(linn::leak_report().empty());
    }
}
