// SPDX-License-Identifier: Apache-2.0
// The memory of a destroyed object of a handle_pool is closed to AddressSanitizer and to Memcheck, so a pointer
// that was kept is noticed, and open again when another object lies there. Nothing else is closed.
#include "process.hpp"

#include <linn/handle_pool.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif

#if defined(TEST_ASAN)
extern "C" int __asan_address_is_poisoned(const volatile void* p);
#endif

#if defined(__x86_64__) && defined(__linux__) && !defined(TEST_ASAN) && __has_include(<valgrind/memcheck.h>)
#define TEST_MEMCHECK 1
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wconversion"
#include <valgrind/memcheck.h>
#endif

namespace {

/// Whether each of these bytes may be used, as far as a checker is there to say.
bool open(const void* p, std::size_t n) {
#if defined(TEST_ASAN)
    for (std::size_t i = 0; i != n; ++i) {
        if (__asan_address_is_poisoned(static_cast<const char*>(p) + i) != 0) {
            return false;
        }
    }
    return true;
#elif defined(TEST_MEMCHECK)
    unsigned char bits[256];
    return VALGRIND_GET_VBITS(p, bits, n) != 3; // 3: some of it is not addressable
#else
    static_cast<void>(p);
    static_cast<void>(n);
    return true;
#endif
}

bool checker_is_there() {
#if defined(TEST_ASAN)
    return true;
#elif defined(TEST_MEMCHECK)
    return RUNNING_ON_VALGRIND != 0 && !linn::detail::checked_build;
#else
    return false;
#endif
}

template <std::size_t Bytes>
void use() {
    struct item {
        unsigned char bytes[Bytes];
    };
    linn::handle_pool<item> pool;
    const auto neighbour = pool.create();
    const auto h = pool.create();
    const item* p = pool.get(h);
    CHECK(open(p, Bytes) && open(pool.get(neighbour), Bytes));
    pool.destroy(h);
    CHECK(open(p, 1) == !checker_is_there());
    CHECK(open(p->bytes + Bytes - 1, 1) == !checker_is_there());
    CHECK(open(pool.get(neighbour), Bytes));
    std::size_t seen = 0;
    for (const item& i : pool) { // which looks at neighbours of what is closed
        CHECK(open(&i, Bytes));
        ++seen;
    }
    CHECK(seen == 1);
    const auto again = pool.create();
    CHECK(pool.get(again) == p && open(p, Bytes));
    pool.clear();
    CHECK(pool.trim() != 0);
}

} // namespace

int main() {
    use<1>();
    use<24>();
    use<61>();
    use<200>();
}
