// SPDX-License-Identifier: Apache-2.0
// Promise: a wish for huge pages without permission, or without such pages, is no error: the buffer lies
// on other pages, works, and says so.
//
// Breaks when success of madvise is taken for a grant (it succeeds where huge pages are switched off),
// or when MAP_HUGETLB's refusal is an error. The refusals are the kernel's: a child switches huge pages
// off for itself; reserved ones are asked for beyond what there is.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

namespace {

constexpr std::size_t bytes = 8 * linn_test::mib;

std::size_t free_reserved_pages() {
    std::FILE* file = std::fopen("/proc/meminfo", "r");
    CHECK(file != nullptr);
    std::size_t found = 0;
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr) {
        std::sscanf(line, "HugePages_Free: %zu", &found);
    }
    std::fclose(file);
    return found;
}

void use(linn::buffer& b) {
    std::memset(b.data(), 0x3c, b.capacity());
    CHECK(b.span()[bytes / 2] == std::byte{0x3c});
}

void switched_off() {
#if defined(PR_SET_THP_DISABLE)
    if (::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) {
        linn_test::say("cannot\n");
        return;
    }
    linn::buffer_pool pool{bytes, {.huge_pages = linn::huge_page_use::transparent}};
    linn::buffer b = pool.acquire();
    CHECK(b.huge_pages() == linn::huge_page_use::off);
    use(b);
    CHECK(b.huge_page_bytes() == 0);
    CHECK(pool.statistics().huge_refused == 1);
    CHECK(pool.statistics().huge_transparent == 0);
    // Asked for reserved ones: it does not get transparent ones either.
    linn::buffer_pool other{bytes, {.huge_pages = linn::huge_page_use::reserved}};
    linn::buffer c = other.acquire();
    CHECK(c.huge_pages() != linn::huge_page_use::transparent);
    use(c);
#endif
}

void beyond_what_is_reserved() {
    const std::size_t there = free_reserved_pages();
    if (there > 1000) {
        linn_test::say("cannot\n");
        return;
    }
    linn::buffer_pool pool{bytes, {.huge_pages = linn::huge_page_use::reserved}};
    std::vector<linn::buffer> all;
    for (std::size_t i = 0; i < there * linn::detail::huge_page_bytes / bytes + 2; ++i) {
        all.push_back(pool.acquire());
    }
    CHECK(all.back().huge_pages() != linn::huge_page_use::reserved);
    use(all.back());
    const auto s = pool.statistics();
    CHECK(s.huge_refused >= 1);
    CHECK(s.huge_refused + s.huge_reserved == all.size());
}

/// Where the kernel says that it tries, a written buffer that is on huge pages says so, and one that
/// nobody asked for is on none.
void told_apart() {
    linn::buffer_pool asked{bytes, {.huge_pages = linn::huge_page_use::transparent}};
    linn::buffer_pool plain{bytes};
    linn::buffer a = asked.acquire();
    linn::buffer untouched = asked.acquire();
    linn::buffer b = plain.acquire();
    CHECK(a.huge_page_bytes() == 0); // nothing is in memory yet
    use(a);
    use(b);
    CHECK_AT_MOST(a.huge_page_bytes(), bytes);
    CHECK(untouched.huge_page_bytes() == 0);
}

} // namespace

int main() {
#if !defined(__linux__)
    return linn_test::skip("huge pages are asked for on Linux only");
#else
    linn_test::run_child(&switched_off).expect_success("switched off");
    linn_test::run_child(&beyond_what_is_reserved).expect_success("beyond what is reserved");
    linn_test::run_child(&told_apart).expect_success("told apart");
#endif
}
