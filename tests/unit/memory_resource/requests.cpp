// SPDX-License-Identifier: Apache-2.0
// pool_resource: alignments of every kind, threads that come and go, and the requests that std leaves undefined. Against a model:
// tests/fuzz; contents that no other thread may change, handed over between threads: tests/stress.

#include "unit.hpp"

#include <linn/memory_resource.hpp>

namespace memory_resource_requests_tests {

using linn::pool_resource;
using linn_test::is_aligned;
using linn_test::sizes;

static_assert(std::is_base_of_v<std::pmr::memory_resource, pool_resource>);
static_assert(!std::is_copy_constructible_v<pool_resource> && !std::is_copy_assignable_v<pool_resource>);
static_assert(!std::is_convertible_v<std::pmr::memory_resource*, pool_resource>);
static_assert(std::is_nothrow_default_constructible_v<pool_resource>);
static_assert(sizeof(pool_resource) <= 5120);

std::size_t live_in(const pool_resource& r) {
    std::size_t n = 0;
    for (const auto& s : r.statistics()) {
        n += s.live;
    }
    return n;
}

TEST_CASE("pool_resource: threads come and go") {
    pool_resource r;
    std::vector<void*> left;
    for (int round = 0; round < 300; ++round) {
        std::thread{[&] {
            for (void* p : left) {
                r.deallocate(p, 48, 8);
            }
            for (void*& p : left) {
                p = r.allocate(48, 8);
            }
            if (left.empty()) {
                left.resize(200);
                for (void*& p : left) {
                    p = r.allocate(48, 8);
                }
            }
        }}.join();
    }
    CHECK(live_in(r) == left.size());
    for (const auto& s : r.statistics()) {
        // Each of the threads inherited from the one before.
        CHECK(s.peak <= 2 * left.size());
        CHECK(s.threads <= 1);
    }
}

TEST_CASE("pool_resource: every alignment for every size") {
    pool_resource r;
    for (const std::size_t bytes : sizes{0, 1, 7, 8, 9, 24, 33, 100, 129, 1000, 5000, 131'072, 131'073}) {
        for (std::size_t align = 1; align <= 262'144; align *= 2) {
            std::vector<void*> several;
            for (int i = 0; i < 5; ++i) {
                several.push_back(r.allocate(bytes, align));
                REQUIRE(is_aligned(several.back(), align));
                std::memset(several.back(), 1, bytes);
            }
            for (void* p : several) {
                r.deallocate(p, bytes, align);
            }
        }
    }
    CHECK(live_in(r) == 0);
}

/// std::pmr::memory_resource::allocate promises the compiler a power of two, so not through it.
struct open_resource : pool_resource {
    using pool_resource::do_allocate;
    using pool_resource::do_deallocate;
    using pool_resource::pool_resource;
};

TEST_CASE("pool_resource: what cannot be had is bad_alloc, and changes nothing") {
    open_resource r;
    for (const std::size_t align : sizes{0, 3, 6, 24, 48, 100, 4097, SIZE_MAX}) {
        for (const std::size_t bytes : sizes{0, 1, 24, 200'000}) {
            CHECK_THROWS_AS(static_cast<void>(r.do_allocate(bytes, align)), std::bad_alloc);
        }
    }
    for (const std::size_t bytes :
         {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 63, SIZE_MAX - 4096, static_cast<std::size_t>(PTRDIFF_MAX),
          static_cast<std::size_t>(PTRDIFF_MAX) + 1}) {
        for (const std::size_t align : sizes{1, 16, 64, 4096}) {
            CHECK_THROWS_AS(static_cast<void>(r.do_allocate(bytes, align)), std::bad_alloc);
        }
    }
    CHECK(r.statistics().empty());
    void* p = r.allocate(10);
    r.deallocate(p, 10);
}

TEST_CASE("pool_resource: options") {
    pool_resource r{{.largest_pooled_bytes = 1000, .slab_bytes = 4096}};
    CHECK(r.options().largest_pooled_bytes == 1000);
    void* small = r.allocate(1000);
    void* large = r.allocate(1001);
    const auto all = r.statistics();
    CHECK(all.back().object_bytes == 0);
    if (all.size() == 2) { // not under a memory checker
        CHECK(all[0].object_bytes == 1024);
        CHECK(all[0].live == 1);
        CHECK(all[0].slabs == 1);
        CHECK(all[0].reserved_bytes <= 16384);
        CHECK(all[1].live == 1);
        CHECK(all[0].type == "linn::pool_resource");
    }
    r.deallocate(small, 1000);
    r.deallocate(large, 1001);
    CHECK(pool_resource{}.options().largest_pooled_bytes == 131'072);
    CHECK(pool_resource{&r}.options().largest_pooled_bytes == 32'768);
    CHECK(pool_resource{}.options().slab_bytes == 1'048'576);
    CHECK(pool_resource{&r}.options().slab_bytes == 65'536);
    CHECK(pool_resource{{.largest_pooled_bytes = SIZE_MAX}, &r}.options().largest_pooled_bytes == 131'072);
    // The smallest of everything still serves.
    pool_resource tiny{{.largest_pooled_bytes = 1, .slab_bytes = 1, .retain_bytes = 0},
                       std::pmr::new_delete_resource()};
    for (const std::size_t n : sizes{0, 1, 8, 9, 40'000}) {
        tiny.deallocate(tiny.allocate(n, 1), n, 1);
    }
}

TEST_CASE("pool_resource: upstream is what was given, and never the default resource") {
    pool_resource r;
    CHECK(r.upstream_resource() == std::pmr::new_delete_resource());
    CHECK(pool_resource{nullptr}.upstream_resource() == std::pmr::new_delete_resource());
    CHECK(pool_resource{&r}.upstream_resource() == &r);
    CHECK(r != *linn::default_pool_resource());

    // As the default resource itself: had it asked the default one, it would ask itself for ever.
    std::pmr::set_default_resource(&r);
    {
        pool_resource inner;
        CHECK(inner.upstream_resource() == std::pmr::new_delete_resource());
        inner.deallocate(inner.allocate(1'000'000), 1'000'000);
        std::pmr::vector<int> v(100'000);
        CHECK(v.get_allocator().resource() == &r);
    }
    std::pmr::set_default_resource(nullptr);

    std::pmr::set_default_resource(std::pmr::null_memory_resource());
    r.deallocate(r.allocate(100), 100);
    r.deallocate(r.allocate(100'000), 100'000);
    std::pmr::set_default_resource(nullptr);
}

linn::pool_statistics class_of_48(const pool_resource& r) {
    for (const auto& s : r.statistics()) {
        if (s.object_bytes == 48) {
            return s;
        }
    }
    return {};
}

TEST_CASE("pool_resource: a thread caches no more than 16 KiB of small blocks") {
    if (!linn_test::caching()) {
        return; // nothing is cached there
    }
    pool_resource r;
    const auto turn = [&](std::size_t count) {
        std::vector<void*> all(count);
        for (void*& p : all) {
            p = r.allocate(48, 16);
        }
        for (void* p : all) {
            r.deallocate(p, 48, 16);
        }
    };
    for (int i = 0; i != 10; ++i) {
        turn(150);
    }
    const std::size_t visits = class_of_48(r).depot_visits;
    turn(150);
    CHECK(class_of_48(r).depot_visits == visits);
    for (int i = 0; i != 20; ++i) {
        turn(5000);
        CHECK(class_of_48(r).live == 0);
        CHECK(class_of_48(r).cached <= 342);
    }
    CHECK(r.trim() != 0);
    CHECK(class_of_48(r).cached == 0);
}

// Where slabs lie: the classes spread over the sets of the TLB, and what a resource leaves for the next one serves those that want it.
constexpr std::size_t kib = 1024;
constexpr std::size_t page = linn::detail::page_bytes;

std::uintptr_t address(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p);
}

TEST_CASE("the first slabs of the classes lie at different pages of the TLB's sets") {
    if (!linn_test::pooling() || linn::detail::checked_build ||
        linn::detail::system_pages::offset_step() != page) {
        return;
    }
    constexpr std::size_t sets = 128; // of 12 or 16 entries, on Intel's and AMD's processors
    pool_resource r;
    std::vector<std::size_t> in_set(sets);
    std::size_t most = 0;
    for (unsigned c = 0; linn::detail::class_bytes(c) <= 4 * kib; ++c) {
        const void* p = r.allocate(linn::detail::class_bytes(c));
        most = std::max(most, ++in_set[address(p) / page % sets]);
    }
    CHECK(most <= 2);
}

TEST_CASE("a chunk that a resource left serves every request of its size and its place") {
    static constinit linn::detail::spare_chunks chunks{linn::detail::this_module};
    auto* const memory = reinterpret_cast<std::byte*>(std::uintptr_t{16} << 20);
    const linn::detail::spare_chunks::chunk one{memory + 5 * page, 64 * kib, 1024 * kib};
    CHECK(chunks.keep(one).memory == nullptr);
    CHECK(chunks.take(64 * kib, 1024 * kib, 0) == nullptr);
    CHECK(chunks.take(64 * kib, 512 * kib, 5 * page) == nullptr);
    CHECK(chunks.take(32 * kib, 1024 * kib, 5 * page) == nullptr);
    CHECK(chunks.take(64 * kib, 1024 * kib, 5 * page) == one.memory);
    CHECK(chunks.take(64 * kib, 1024 * kib, 5 * page) == nullptr);
}

TEST_CASE("chunks that no request wants do not keep others out") {
    static constinit linn::detail::spare_chunks chunks{linn::detail::this_module};
    auto* const memory = reinterpret_cast<std::byte*>(std::uintptr_t{16} << 20);
    const auto chunk_of = [&](std::size_t place) {
        return linn::detail::spare_chunks::chunk{memory + place * page, 64 * kib, 1024 * kib};
    };
    std::size_t kept = 0;
    while (chunks.keep(chunk_of(kept)).memory == nullptr) {
        ++kept;
    }
    std::set<void*> gone;
    for (std::size_t i = 0; i < kept; ++i) {
        const std::size_t place = 100 + i;
        gone.insert(chunks.keep(chunk_of(place)).memory);
        CHECK(chunks.take(64 * kib, 1024 * kib, place * page) == chunk_of(place).memory);
        CHECK(chunks.keep(chunk_of(place)).memory == nullptr);
    }
    CHECK(gone.size() == kept); // each of the older ones went, none twice
    const linn::detail::spare_chunks::chunk large{memory, 128 * kib, 1024 * kib};
    CHECK(chunks.keep(large).memory == large.memory);
    std::size_t left = 0;
    chunks.drop([&](void*, std::size_t, std::size_t) { ++left; });
    CHECK(left == kept);
}

} // namespace memory_resource_requests_tests
