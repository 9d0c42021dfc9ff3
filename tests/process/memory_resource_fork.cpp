// SPDX-License-Identifier: Apache-2.0
// Promise: the child of a process whose other threads are busy in a pool_resource may allocate from it,
// free what was allocated before the fork, make others, trim and release.
//
// Breaks when a lock is held by a thread that does not exist in the child (it hangs, and the alarm ends
// it), or when a cache that was copied in the middle of a change is used (a slot is handed out twice).
//
// With objects in slabs under AddressSanitizer too: its allocator cannot be used in such a child.
#define LINN_ASAN_POOLS 1
#include "busy_threads.hpp"

#include <linn/memory_resource.hpp>

namespace {

linn::pool_resource resource;
linn::pool_resource of_upstream{&resource};

/// Some are too large for the resource and come from operator new. Not under a sanitizer: its allocator's own lock for
/// large blocks may be held by a thread that the child does not have.
std::size_t size_of(std::size_t i) {
    return i % 50 == 0 && !linn_test::asan && !linn_test::tsan ? 140'000 : 8 + i % 700;
}

void hammer(linn_test::busy_threads& threads, std::size_t seed) {
    struct box {
        void* p = nullptr;
        std::size_t bytes = 0;
    };
    std::vector<box> held(300);
    {
        linn::pool_resource short_lived; // what it leaves is kept for the next one, under a lock of its own
        short_lived.deallocate(short_lived.allocate(100), 100);
    }
    for (std::uint64_t random = seed; threads.goes_on(); random = random * 25214903917U + 11) {
        const auto i = static_cast<std::size_t>(random >> 16);
        linn::pool_resource& r = i >> 24 & 1 ? resource : of_upstream;
        box& b = held[(i >> 4) % held.size() / 2 * 2 + (&r == &resource ? 0 : 1)];
        if (b.p != nullptr) {
            r.deallocate(b.p, b.bytes);
        }
        b.bytes = size_of(i >> 8);
        b.p = r.allocate(b.bytes);
        std::memset(b.p, 1, 8);
        if (i % 4096 == 0) {
            r.trim();
            linn::pool_resource short_lived;
            short_lived.deallocate(short_lived.allocate(100), 100);
        }
        threads.worked();
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (held[i].p != nullptr) {
            (i % 2 == 0 ? resource : of_upstream).deallocate(held[i].p, held[i].bytes);
        }
    }
}

void in_the_child(std::vector<void*>& before) {
    for (linn::pool_resource* r : {&resource, &of_upstream}) {
        std::set<void*> fresh;
        for (std::size_t i = 0; i < 1000; ++i) {
            void* p = r->allocate(size_of(i));
            std::memset(p, 9, size_of(i));
            CHECK(fresh.insert(p).second);
        }
        for (std::size_t i = 0; i < before.size(); ++i) {
            CHECK(*static_cast<std::size_t*>(before[i]) == i);
            CHECK(fresh.count(before[i]) == 0);
        }
    }
    for (void* p : before) {
        resource.deallocate(p, 64);
    }
    linn::pool_resource another;
    another.deallocate(another.allocate(100), 100);
    for (const auto& s : resource.statistics()) {
        CHECK_AT_MOST(s.threads, 1);
    }
    of_upstream.trim();
    resource.trim();
    of_upstream.release();
    resource.release();
    resource.deallocate(resource.allocate(64), 64);
}

/// What a thread that the child does not have had cached counts as lost there, not as live.
void what_is_lost_is_not_live() {
    linn::pool_resource r;
    const auto allocate_and_free = [&] {
        void* all[50];
        for (void*& p : all) {
            p = r.allocate(64);
        }
        for (void* p : all) {
            r.deallocate(p, 64);
        }
    };
    linn_test::check_forked_beside(allocate_and_free, [&] {
        for (const auto& s : r.statistics()) {
            CHECK(s.live == 0);
        }
    });
}

} // namespace

int main() {
    what_is_lost_is_not_live();
    std::vector<void*> before;
    for (std::size_t i = 0; i < 300; ++i) {
        before.push_back(resource.allocate(64));
        std::memcpy(before.back(), &i, sizeof i);
    }
    linn_test::busy_threads threads;
    for (const std::size_t seed : {1U, 2U, 3U}) {
        threads.start([&threads, seed] { hammer(threads, seed); });
    }
    threads.fork(150, 20, 100, [&] { in_the_child(before); });
    threads.join();
    for (void* p : before) {
        resource.deallocate(p, 64);
    }
    for (const auto& s : of_upstream.statistics()) {
        CHECK(s.live == 0);
    }
    of_upstream.release();
    for (const auto& s : resource.statistics()) {
        CHECK(s.live == 0);
    }
}
