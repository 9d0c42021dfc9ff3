// SPDX-License-Identifier: Apache-2.0
// Promise: when the system has no memory for another buffer, acquire() throws std::bad_alloc and
// try_acquire() is empty; buffers that are out stay intact, and one that comes back serves again.
//
// Breaks when a refusal is ignored or leaves the pool half changed. A child lowers the limit of its own
// address space, so the refusal is the kernel's; that it came is checked.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <sys/resource.h>

#include <cerrno>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t bytes = 4 * linn_test::mib;

/// Leaves `more` bytes beyond what is mapped now.
void limit_address_space(std::size_t more) {
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    CHECK(file != nullptr);
    std::size_t pages = 0;
    CHECK(std::fscanf(file, "%zu", &pages) == 1);
    std::fclose(file);
    const rlimit limit{pages * 4096 + more, pages * 4096 + more};
    CHECK(::setrlimit(RLIMIT_AS, &limit) == 0);
}

bool throws_bad_alloc(linn::buffer_pool& pool) {
#if defined(__cpp_exceptions)
    try {
        pool.acquire().reset();
        return false;
    } catch (const std::bad_alloc&) {
        return true;
    }
#else
    return !pool.try_acquire();
#endif
}

void exhaust(linn::huge_page_use huge, bool prefault) {
    linn::buffer_pool pool{bytes, {.huge_pages = huge, .prefault = prefault, .retain_bytes = 1 << 30}};
    std::vector<linn::buffer> all;
    all.reserve(64);
    pool.acquire().reset();
    limit_address_space(10 * bytes);
    for (int round = 0; round < 5; ++round) {
        errno = 77;
        while (linn::buffer b = pool.try_acquire()) {
            b.span().front() = b.span().back() = static_cast<std::byte>(all.size());
            all.push_back(std::move(b));
            CHECK(all.size() < 64);
        }
        CHECK(errno == 77);
        CHECK(all.size() > 5);
        CHECK(!pool.try_acquire());
        CHECK(throws_bad_alloc(pool));
        CHECK(pool.statistics().live == all.size());
        CHECK(pool.statistics().slabs == all.size());
        // One that comes back is enough for one more.
        all.back().reset();
        all.back() = pool.acquire();
        all.back().span().front() = all.back().span().back() = static_cast<std::byte>(all.size() - 1);
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(all[i].span().front() == static_cast<std::byte>(i));
            CHECK(all[i].span().back() == static_cast<std::byte>(i));
        }
        all.clear();
        CHECK(pool.statistics().live == 0);
        if (round % 2 == 1) {
            CHECK(pool.trim() > 5 * bytes);
        }
    }
    linn_test::say("exhausted\n");
}

} // namespace

int main() {
    if (linn_test::asan || linn_test::tsan || linn_test::on_memcheck()) {
        return linn_test::skip("the tool's own shadow memory needs the address space");
    }
    for (const auto huge :
         {linn::huge_page_use::off, linn::huge_page_use::transparent, linn::huge_page_use::reserved}) {
        for (const bool prefault : {false, true}) {
            const auto child = linn_test::run_child([=] { exhaust(huge, prefault); });
            child.expect(child.exited_with(0) && child.says("exhausted"), "exhaustion");
        }
    }
}
