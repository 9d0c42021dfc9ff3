// SPDX-License-Identifier: Apache-2.0
// Promise: under AddressSanitizer too, a wrong deallocation in a checked build goes to the misuse handler, and
// when that returns the pool has ignored the call: nothing that the program may use is poisoned.
//
// Breaks when memory is poisoned before it is known to be an object: the checks then stumble over what
// they poisoned, or the program does. Both pools that lie in slabs under ASan are tried.
#undef LINN_CHECKED
#define LINN_CHECKED 1
#undef LINN_ASAN_POOLS
#define LINN_ASAN_POOLS 1
#include "process.hpp"

#include <linn/local_pool.hpp>
#include <linn/misuse.hpp>
#include <linn/pool.hpp>

namespace {

struct item {
    long words[8];
};

int reports = 0;

void count(const linn::misuse&) noexcept {
    ++reports;
}

item* inside(item* p, std::size_t offset) {
    return reinterpret_cast<item*>(reinterpret_cast<std::uintptr_t>(p) + offset);
}

/// Every byte may be used.
void use(item* p) {
    std::memset(static_cast<void*>(p), 1, sizeof(item));
}

template <class Pool>
void misuse(Pool&& pool) {
    item* const one = pool.allocate();
    item* const two = pool.allocate();
    item on_stack{};
    for (const std::size_t offset : {std::size_t{1}, std::size_t{8}, sizeof(item) - 1}) {
        pool.deallocate(inside(one, offset));
        CHECK(reports == 1);
        reports = 0;
    }
    pool.deallocate(&on_stack);
    CHECK(reports == 1);
    use(&on_stack);
    use(one);
    use(two);
    pool.deallocate(one);
    pool.deallocate(one);
    CHECK(reports == 2);
    pool.deallocate(two);
    CHECK(reports == 2);
    CHECK(pool.check() == 0);
    reports = 0;
}

struct items {
    item* allocate() { return linn::pool<item>::allocate(); }
    void deallocate(item* p) { linn::pool<item>::deallocate(p); }
    std::size_t check() { return linn::pool<item>::check(); }
};

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    linn::set_misuse_handler(&count);
    misuse(linn::local_pool<item>{});
    misuse(items{});
}
