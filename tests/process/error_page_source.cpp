// SPDX-License-Identifier: Apache-2.0
// Promise: std::bad_alloc from every point at which a pool asks for memory, its own bookkeeping
// included, and the pool usable afterwards with nothing lost.
//
// Breaks when one of these points is forgotten: the first page of all, a depot, a magazine, a slab.
// The page source fails at the n-th request from now on, for n = 0, 1, 2, ... until an operation
// completes: so every request fails once. That an operation failed at least once and completed at
// last is checked, or the loop would prove nothing.
#include "process.hpp"

#include <linn/detail/sync/thread_cache.hpp>
#include <linn/options.hpp>

namespace {

namespace detail = linn::detail;

std::atomic<long> requests_left{0};
std::atomic<bool> limited{false};
std::atomic<long> refused{0};
std::atomic<bool> discard_fails{false};

bool refuse() {
    if (limited && requests_left.fetch_sub(1) <= 0) {
        ++refused;
        return true;
    }
    return false;
}

struct failing_pages {
    static constexpr bool zeroed = true;
    static void* map(std::size_t bytes, std::size_t align) noexcept {
        return refuse() ? nullptr : detail::system_pages::map(bytes, align);
    }
    static void unmap(void* p, std::size_t bytes, std::size_t align) noexcept {
        detail::system_pages::unmap(p, bytes, align);
    }
    static bool discard(void* p, std::size_t bytes) noexcept {
        return !discard_fails && detail::system_pages::discard(p, bytes);
    }
    static bool readable(const void* p) noexcept { return detail::system_pages::readable(p); }
    static void prefer_huge(void* p, std::size_t bytes) noexcept {
        detail::system_pages::prefer_huge(p, bytes);
    }
};

struct failing_platform : detail::platform {
    using pages = failing_pages;
};

/// A pool over the failing page source, as `linn::pool` is over the system's.
template <class T, linn::pool_options O = linn::pool_options{}>
struct failing_pool {
    static constexpr detail::pool_description description{
        .sizes = detail::geometry_for(sizeof(T), alignof(T), O),
        .object_bytes = sizeof(T),
        .object_align = alignof(T),
        .type = "failing",
    };
    static inline constinit detail::pool_root<failing_platform> root{nullptr, &description};
    static inline constinit thread_local detail::front<failing_platform> front{};

    static T* try_allocate() {
        void* p;
        if (!front.try_pop(p)) {
            p = detail::allocate_slow(front, root);
        }
        return static_cast<T*>(p);
    }
    static void deallocate(T* p) {
        if (!front.try_push(p)) {
            detail::deallocate_slow(front, root, static_cast<void*>(p));
        }
    }
};

/// Runs `op`, which returns whether it completed, with ever more requests granted.
template <class Op>
void until_it_completes(const char* what, Op&& op, bool must_fail = true) {
    bool failed = false;
    for (long n = 0; n < 10'000; ++n) {
        requests_left = n;
        refused = 0;
        limited = true;
        const bool completed = op();
        limited = false;
        if (completed) {
            if (must_fail && !failed) {
                std::fprintf(stderr, "%s: completed without a single failure\n", what);
                std::exit(1);
            }
            return;
        }
        CHECK(refused > 0);
        failed = true;
    }
    std::fprintf(stderr, "%s: never completed\n", what);
    std::exit(1);
}

template <class Pool>
auto* depot_of() {
    auto* depot = detail::depot_of(Pool::root);
    CHECK(depot != nullptr);
    return depot;
}

template <class Pool>
void check_state(std::size_t live) {
    auto* depot = depot_of<Pool>();
    CHECK(depot->consistent());
    CHECK(depot->statistics().live == live);
}

/// Many at once: all or nothing, of more than any cache holds and of less, and nothing is lost.
template <class T, linn::pool_options O>
void bulk(std::size_t count) {
    using pool = failing_pool<T, O>;
    auto* depot = depot_of<pool>();
    depot->trim(&pool::front);
    std::vector<T*> kept;
    // The last one is more than there is.
    const std::size_t most = depot->statistics().reserved_bytes / depot->sizes().slot_bytes + 10;
    for (const std::size_t n : {count / 7 + 1, std::size_t{1}, std::size_t{0}, count / 2 + 1, most}) {
        std::vector<T*> out(n, nullptr);
        until_it_completes(
            "bulk",
            [&] {
                const std::size_t live = depot->statistics().live;
                const bool done = detail::allocate_run(pool::front, pool::root, out.data(), n);
                CHECK(depot->statistics().live == live + (done ? n : 0));
                CHECK(depot->consistent());
                return done;
            },
            n == most);
        kept.insert(kept.end(), out.begin(), out.end());
    }
    CHECK(std::set<T*>(kept.begin(), kept.end()).size() == kept.size());
    requests_left = 0;
    limited = true;
    detail::deallocate_run(pool::front, pool::root, kept.data(), kept.size() / 3);
    detail::deallocate_run(pool::front, pool::root, kept.data() + kept.size() / 3,
                           kept.size() - kept.size() / 3);
    limited = false;
    check_state<pool>(0);
}

template <class T, linn::pool_options O>
void operations(std::size_t count) {
    using pool = failing_pool<T, O>;
    std::vector<T*> objects;
    objects.reserve(count);
    const auto free_all = [&] {
        for (T* object : objects) {
            pool::deallocate(object);
        }
        objects.clear();
    };

    // The first object of a thread and a pool: depot, magazine, slab. Kept objects accumulate, so
    // progress made before a failure must be real.
    until_it_completes("first object", [&] {
        T* p = pool::try_allocate();
        if (p == nullptr) {
            CHECK(pool::try_allocate() == nullptr);
            return false;
        }
        objects.push_back(p);
        return true;
    });
    check_state<pool>(1);

    until_it_completes("many objects", [&] {
        while (objects.size() < count) {
            T* p = pool::try_allocate();
            if (p == nullptr) {
                return false;
            }
            objects.push_back(p);
        }
        return true;
    });
    CHECK(std::set<T*>(objects.begin(), objects.end()).size() == count);
    check_state<pool>(count);

    // Freeing needs memory for magazines, and must do without when there is none.
    requests_left = 0;
    limited = true;
    free_all();
    limited = false;
    check_state<pool>(0);

    // In other threads, which have no magazine yet, and while nothing is to be had.
    for (long granted = 0; granted < 6; ++granted) {
        std::thread{[&] {
            requests_left = granted;
            limited = true;
            std::vector<T*> mine;
            for (std::size_t i = 0; i < 300; ++i) {
                if (T* p = pool::try_allocate()) {
                    mine.push_back(p);
                }
            }
            std::thread{[&] {
                for (T* p : mine) {
                    pool::deallocate(p);
                }
            }}.join();
        }}.join();
        limited = false;
        check_state<pool>(0);
    }

    bulk<T, O>(count);

    // More than there is at the moment, all or nothing.
    const std::size_t more =
        depot_of<pool>()->statistics().reserved_bytes / depot_of<pool>()->sizes().slot_bytes * 4 + 100;
    const std::size_t slabs = depot_of<pool>()->statistics().slabs;
    until_it_completes("reserve", [&] {
        const bool reserved = depot_of<pool>()->reserve(more);
        CHECK(reserved || depot_of<pool>()->statistics().slabs == slabs);
        return reserved;
    });
    check_state<pool>(0);
    requests_left = 0;
    limited = true;
    for (std::size_t i = 0; i < more / 2; ++i) { // what was reserved needs nobody
        T* p = pool::try_allocate();
        CHECK(p != nullptr);
        objects.push_back(p);
    }
    limited = false;
    free_all();

    // A system that does not take pages back.
    discard_fails = true;
    depot_of<pool>()->trim(&pool::front);
    discard_fails = false;
    check_state<pool>(0);
    for (std::size_t i = 0; i < count; ++i) {
        objects.push_back(pool::try_allocate());
        CHECK(objects.back() != nullptr);
    }
    free_all();
    depot_of<pool>()->trim(&pool::front);
    check_state<pool>(0);
}

template <std::size_t Bytes>
struct sized {
    char bytes[Bytes];
};

/// Two threads use up what there is while a third frees: exhaustion and recovery at the same time.
void contended() {
    using pool = failing_pool<sized<2000>>;
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> failures{0};
    std::atomic<std::size_t> successes{0};
    std::atomic<sized<2000>*> boxes[64] = {};
    const auto worker = [&](std::size_t seed) {
        for (std::uint64_t i = seed; !stop; i = i * 6364136223846793005U + 1442695040888963407U) {
            sized<2000>* p = pool::try_allocate();
            ++(p != nullptr ? successes : failures);
            if (auto* old = boxes[static_cast<std::size_t>(i >> 33) % 64].exchange(p)) {
                pool::deallocate(old);
            }
            if (p == nullptr) {
                std::this_thread::yield();
            }
        }
    };
    requests_left = 2;
    limited = true;
    // More objects than the slab that is granted has room for.
    std::vector<sized<2000>*> most;
    while (auto* p = pool::try_allocate()) {
        most.push_back(p);
    }
    for (std::size_t i = 0; i < 20 && !most.empty(); ++i) {
        pool::deallocate(most.back());
        most.pop_back();
    }
    depot_of<pool>()->trim(&pool::front); // so that this thread does not cache what the others need
    std::thread threads[3] = {std::thread{worker, 1}, std::thread{worker, 2}, std::thread{worker, 3}};
    linn_test::wait_until([&] { return successes >= 2000; });
    stop = true;
    linn_test::join_all(threads);
    limited = false;
    CHECK(failures > 0);
    for (auto& box : boxes) {
        if (auto* p = box.load()) {
            pool::deallocate(p);
        }
    }
    for (auto* p : most) {
        pool::deallocate(p);
    }
    check_state<pool>(0);
}

} // namespace

int main() {
    if (!linn_test::in_slabs()) {
        return linn_test::skip("objects do not come from the page source here");
    }
    // Not scaled: each must need several slabs.
    operations<sized<1>, {}>(linn::detail::checked_build ? 20'000 : 150'000);
    operations<sized<24>, {.slab_bytes = 65536}>(20'000);
    operations<sized<1500>, {}>(5000);
    operations<sized<100'000>, {.magazine_slots = 1}>(100);
    operations<sized<5 * linn_test::mib>, {}>(10);
    contended();
}
