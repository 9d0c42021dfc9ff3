// SPDX-License-Identifier: Apache-2.0
// Promise: after everything is freed, in any order, a pool that is used lightly, or next to one that is, returns its memory within two
// seconds, and trim() returns it at once. A pool holds at most the live peak of the last second plus a constant a thread.
//
// Breaks when free objects wait in the order of their frees, so that a few of them keep every slab in use, when only slabs that
// are wholly empty go back, or when only the thread that freed them returns them. Frees come in random order here: in order,
// slabs become empty one after the other, and every allocator passes.
#include "process.hpp"
#include "random.hpp"

#include <linn/linn.hpp>

namespace {

using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr std::size_t most_kept = 8 * linn_test::mib;

std::size_t some(std::size_t count) {
    return linn_test::scaled(count);
}

/// A pool from which everything was freed, what a program goes on to do with it, and how much memory it has.
struct freed {
    std::function<void()> use;
    std::function<std::size_t()> kept;
};

/// Uses all pools again and again until they keep little. Ten seconds, because other processes may use the processors.
void expect_returned(const std::vector<freed>& pools) {
    if (!linn_test::in_slabs()) {
        return;
    }
    const auto end = steady::now() + 10s * linn_test::slowdown;
    bool more = true;
    while (more && steady::now() < end) {
        more = false;
        for (const freed& f : pools) {
            f.use();
            more = f.kept() > most_kept || more;
        }
        std::this_thread::sleep_for(2ms);
    }
    for (const freed& f : pools) {
        CHECK_AT_MOST(f.kept(), most_kept);
    }
}

template <class Pool>
void use_lightly(std::size_t objects) {
    std::vector<typename Pool::value_type*> few(objects);
    for (auto*& p : few) {
        p = Pool::create();
    }
    for (auto* p : few) {
        Pool::destroy(p);
    }
}

template <std::size_t Bytes, int Case>
struct item {
    unsigned char bytes[Bytes];
};

/// @param light objects of the light use @param where they are freed: in this thread, or in one that then ends
template <std::size_t Bytes, int Case>
freed freed_at_random(std::size_t count, std::size_t light, bool elsewhere = false) {
    using type = item<Bytes, Case>;
    using pool = linn::pool<type>;
    std::vector<type*> all(count);
    for (type*& p : all) {
        p = pool::create();
        p->bytes[0] = p->bytes[Bytes - 1] = 1;
    }
    linn_test::shuffle(all);
    const auto free_all = [&] {
        for (type* p : all) {
            CHECK(p->bytes[0] == 1 && p->bytes[Bytes - 1] == 1);
            pool::destroy(p);
        }
    };
    elsewhere ? std::thread{free_all}.join() : free_all();
    CHECK(pool::statistics().live == 0);
    return {[light] { use_lightly<pool>(light); }, [] { return pool::statistics().resident_bytes; }};
}

/// Four threads fill the slabs, four others free the objects, and all of them are gone.
freed threads_that_are_gone() {
    using type = item<64, 3>;
    using pool = linn::pool<type>;
    std::vector<type*> all(some(1'000'000));
    const auto by_four = [&](const auto& act) {
        linn_test::in_threads(std::size_t{4}, [&](std::size_t t) {
            for (std::size_t i = t; i < all.size(); i += 4) {
                act(all[i]);
            }
        });
    };
    by_four([](type*& p) { p = pool::create(); });
    linn_test::shuffle(all);
    by_four([](type* p) { pool::destroy(p); });
    return {[] { use_lightly<pool>(1500); }, [] { return pool::statistics().resident_bytes; }};
}

/// A trim returns all of it at once, also with survivors: what stays is their pages, and a page a slab.
void trimmed() {
    using type = item<48, 4>;
    using pool = linn::pool<type>;
    std::vector<type*> all(some(1'000'000));
    for (type*& p : all) {
        p = pool::create();
        std::memset(p->bytes, static_cast<int>(reinterpret_cast<std::uintptr_t>(p) / sizeof(type) % 251),
                    sizeof p->bytes);
    }
    linn_test::shuffle(all);
    const std::size_t survivors = all.size() / 5000;
    const std::size_t full = linn_test::rss_bytes();
    for (std::size_t i = survivors; i != all.size(); ++i) {
        pool::destroy(all[i]);
    }
    pool::trim();
    auto s = pool::statistics();
    CHECK(s.live == survivors);
    if (linn_test::in_slabs()) {
        CHECK_AT_MOST(s.resident_bytes, (2 * survivors + 3 * s.slabs) * 4096 + 64 * linn_test::kib);
    }
    for (std::size_t i = 0; i != survivors; ++i) {
        for (const unsigned char byte : all[i]->bytes) {
            CHECK(byte == reinterpret_cast<std::uintptr_t>(all[i]) / sizeof(type) % 251);
        }
        pool::destroy(all[i]);
    }
    pool::trim();
    s = pool::statistics();
    CHECK(s.live == 0 && s.cached == 0);
    if (linn_test::in_slabs()) {
        CHECK_AT_MOST(s.resident_bytes, s.slabs * 4096);
    }
    if (linn_test::rss_is_ours()) {
        CHECK(linn_test::grown(full, linn_test::rss_bytes()) >= all.size() * sizeof(type) / 100 * 95);
    }
}

/// The nodes of a tree are freed in the order of their keys, which is no order of addresses.
freed destroyed_map() {
    using map = linn::map<std::uint64_t, std::uint64_t>;
    const std::size_t count = some(2'000'000);
    const std::size_t before = linn_test::rss_bytes();
    auto large = std::make_unique<map>();
    linn_test::random_source random{2};
    for (std::size_t i = 0; i != count; ++i) {
        large->emplace(random(), i);
    }
    large.reset();
    const auto use = [random]() mutable {
        map small;
        for (std::uint64_t i = 0; i != 500; ++i) {
            small.emplace(random(), i);
        }
    };
    return {use, [before] {
                return linn_test::rss_is_ours() ? linn_test::grown(linn_test::rss_bytes(), before) : 0;
            }};
}

/// Blocks of several sizes, all freed in one random order.
freed resource_at_random() {
    static linn::pool_resource resource;
    struct block {
        void* p;
        std::size_t bytes;
    };
    static constexpr std::size_t sizes[] = {24, 64, 200, 1000};
    std::vector<block> all(some(800'000));
    for (std::size_t i = 0; i != all.size(); ++i) {
        const std::size_t bytes = sizes[i % 4];
        all[i] = {resource.allocate(bytes), bytes};
        std::memset(all[i].p, 1, bytes);
    }
    linn_test::shuffle(all);
    for (const block& b : all) {
        resource.deallocate(b.p, b.bytes);
    }
    // One size, and by far not the one with most of the memory: the others go back all the same.
    const auto use = [] {
        void* few[2000];
        for (void*& p : few) {
            p = resource.allocate(sizes[0]);
        }
        for (void* p : few) {
            resource.deallocate(p, sizes[0]);
        }
    };
    return {use, [] {
                std::size_t resident = 0;
                for (const auto& s : resource.statistics()) {
                    resident += s.resident_bytes;
                }
                return resident;
            }};
}

} // namespace

int main() {
    expect_returned({destroyed_map()}); // alone, as the memory of the process is measured
    expect_returned({
        freed_at_random<64, 1>(some(4'000'000), 1500),
        freed_at_random<64, 2>(some(1'000'000), 20'000),
        freed_at_random<40, 1>(some(1'000'000),
                               0), // no thread uses it any more: the others return its memory
        freed_at_random<600, 1>(some(100'000), 1500, true),
        freed_at_random<24, 1>(some(2'000'000), 1500, true),
        threads_that_are_gone(),
        resource_at_random(),
    });
    trimmed();
}
