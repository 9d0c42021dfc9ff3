// SPDX-License-Identifier: Apache-2.0
// Promise: memory that the program locks (`mlock`, `mlockall`) counts as resident, and `trim` says 0 of what the system did
// not take back. Once it is unlocked, the next `trim` returns it.
//
// Breaks when a refused discard counts as done, or when pages count only once they are touched: with MCL_FUTURE, all that is
// mapped is in memory at once. Objects are freed in random order.
#include "process.hpp"
#include "random.hpp"

#include <linn/linn.hpp>

#include <sys/mman.h>
#include <sys/resource.h>

namespace {

using linn_test::kib;
using linn_test::mib;
using linn_test::rss_bytes;

struct item {
    char bytes[256];
};
constexpr std::size_t count = 100'000;
constexpr std::size_t tolerance = 3 * mib;

using pool = linn::pool<item>;

/// Where there is no more room than this between what a pool says and what the system says, nothing large is wrong.
void check_near(std::size_t said, std::size_t real) {
    CHECK_AT_MOST(said, real + tolerance);
    CHECK_AT_MOST(real, said + tolerance);
}

std::vector<item*> filled() {
    std::vector<item*> all(count);
    for (auto*& p : all) {
        p = pool::create();
        std::memset(static_cast<void*>(p->bytes), 1, sizeof p->bytes);
    }
    std::shuffle(all.begin(), all.end(), linn_test::random_source{1});
    return all;
}

void free_all(const std::vector<item*>& all) {
    errno = 17;
    for (item* p : all) {
        pool::destroy(p);
    }
    CHECK(errno == 17);
}

/// A whole pool is locked by `flags`.
void locked_pool(int flags) {
    { // what the test itself needs
        std::vector<void*> warm(count);
        std::fill(warm.begin(), warm.end(), &warm);
    }
    CHECK(::mlockall(flags) == 0);
    const std::size_t before = rss_bytes();
    const auto all = filled();
    free_all(all);
    CHECK_AT_MOST(pool::trim(), 256 * kib);
    check_near(pool::statistics().resident_bytes, linn_test::grown(rss_bytes(), before));
    CHECK(pool::statistics().resident_bytes > count * sizeof(item));
    free_all(filled()); // it serves
    pool::trim();

    CHECK(::munlockall() == 0);
    CHECK(pool::trim() > count * sizeof(item) * 9 / 10);
    check_near(pool::statistics().resident_bytes, linn_test::grown(rss_bytes(), before));
    CHECK_AT_MOST(pool::statistics().resident_bytes, mib);
}

/// A lock brings memory back that the pool has returned.
void locked_after_trim() {
    CHECK(::mlockall(MCL_CURRENT) == 0 && ::munlockall() == 0); // brings in what is not the pool's
    const std::size_t before = rss_bytes();
    free_all(filled());
    CHECK(pool::trim() > count * sizeof(item) / 2);
    CHECK(::mlockall(MCL_CURRENT) == 0);
    CHECK(pool::statistics().resident_bytes > count * sizeof(item) / 2);
    CHECK(::munlockall() == 0);
    CHECK(pool::trim() > count * sizeof(item) / 2);
    check_near(pool::statistics().resident_bytes, linn_test::grown(rss_bytes(), before));
}

/// One object in a thousand is locked, and stays alive.
void locked_objects() {
    const std::size_t before = rss_bytes();
    auto all = filled();
    std::vector<item*> kept;
    for (std::size_t i = 0; i < all.size(); i += 1000) {
        CHECK(::mlock(all[i], sizeof(item)) == 0);
        kept.push_back(all[i]);
        all[i] = nullptr;
    }
    free_all(all);
    const std::size_t returned = pool::trim();
    CHECK(returned > count * sizeof(item) / 2);
    check_near(pool::statistics().resident_bytes, linn_test::grown(rss_bytes(), before));
    free_all(kept);
    pool::trim();
    check_near(pool::statistics().resident_bytes, linn_test::grown(rss_bytes(), before));
}

} // namespace

int main() {
    if (!linn_test::rss_is_ours() || !linn_test::in_slabs()) {
        return linn_test::skip("resident memory is not the program's own here");
    }
    if (::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        return linn_test::skip("this user may not lock memory");
    }
    CHECK(::munlockall() == 0);
    ::rlimit most{};
    if (::geteuid() != 0 && ::getrlimit(RLIMIT_MEMLOCK, &most) == 0 && most.rlim_cur < 200 * mib) {
        return linn_test::skip("this user may not lock so much memory");
    }
    linn_test::run_child([] { locked_pool(MCL_CURRENT | MCL_FUTURE); }).expect_success("all, and later");
#if defined(MCL_ONFAULT)
    linn_test::run_child([] {
        locked_pool(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT);
    }).expect_success("on fault");
#endif
    linn_test::run_child(&locked_after_trim).expect_success("after a trim");
    linn_test::run_child(&locked_objects).expect_success("some objects");
}
