// SPDX-License-Identifier: Apache-2.0
// Promise: a buffer that is used again causes no page fault, however often it goes to and fro; with
// prefault not even the first use does; without, the first use causes them all, which shows that the
// counter works.
//
// Breaks when memory is given back and taken again, or its pages are dropped, at each reuse.
#include "process.hpp"

#include <linn/buffer_pool.hpp>

#include <sys/resource.h>

namespace {

constexpr std::size_t bytes = 8 * linn_test::mib;

long faults() {
    rusage usage{};
    CHECK(::getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_minflt;
}

/// One byte of each page, as a fill does but faster.
void touch(const linn::buffer& b, int value) {
    for (std::size_t at = 0; at < b.size(); at += 4096) {
        static_cast<volatile std::byte*>(b.data())[at] = static_cast<std::byte>(value);
    }
}

/// Faults of `cycles` times taking, touching and giving back.
long faults_of(linn::buffer_pool& pool, int cycles) {
    const long before = faults();
    for (int i = 0; i < cycles; ++i) {
        const linn::buffer b = pool.acquire();
        touch(b, i);
    }
    return faults() - before;
}

} // namespace

int main() {
    if (!linn_test::rss_is_ours() || linn::detail::checked_build) {
        return linn_test::skip("checkers fault on their own, and checked builds protect idle buffers");
    }
    constexpr long pages = bytes / 4096;
    faults(); // so that its own first call is over
    {
        linn::buffer_pool pool{bytes};
        CHECK(faults_of(pool, 1) >= pages);
        CHECK(faults_of(pool, 1000) == 0);
        CHECK(pool.statistics().mappings == 1);
        // Two at a time, shared too.
        {
            const linn::buffer a = pool.acquire();
            const linn::buffer b = pool.acquire();
            touch(a, 1);
            touch(b, 1);
            pool.acquire_shared().reset();
        }
        const long before = faults();
        for (int i = 0; i < 1000; ++i) {
            const auto a = pool.acquire_shared();
            linn::buffer b = pool.acquire();
            touch(b, i);
            a[i * 4096] = std::byte{1};
            const auto shared = std::move(b).share();
        }
        CHECK_AT_MOST(faults() - before, 4); // of the control blocks' pool, which is new
        pool.trim();
        CHECK(faults_of(pool, 1) >= pages);
    }
    {
        linn::buffer_pool pool{bytes, {.prefault = true}};
        pool.reserve(1);
        CHECK(faults_of(pool, 1000) == 0);
    }
}
