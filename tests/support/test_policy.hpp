// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_TEST_POLICY_HPP
#define LINN_TESTS_SUPPORT_TEST_POLICY_HPP

#include "failing_pages.hpp"

#include <linn/detail/sync/depot.hpp>
#include <linn/detail/sync/registry.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace linn_test {

/// A clock that stands until it is told.
template <class Tag>
struct manual_clock {
    static inline std::atomic<std::uint64_t> time{1};
    static std::uint64_t now_ms() noexcept { return time; }
};

/// A lock after which another thread may come at once.
template <class Tag>
class interrupted_mutex {
public:
    static inline std::function<void()> after_unlock; ///< for tests of one thread

    template <class Owner> // which no fork asks
    constexpr explicit interrupted_mutex(Owner&&) noexcept {}

    bool try_lock() noexcept { return real_.try_lock(); }
    void lock() noexcept { real_.lock(); }
    void unlock() noexcept {
        real_.unlock();
        if (after_unlock) {
            after_unlock();
        }
    }
    void reset() noexcept { real_.reset(); }
    void lock_for_fork() noexcept { real_.lock_for_fork(); }
    void unlock_after_fork() noexcept { real_.unlock_after_fork(); }
    [[nodiscard]] bool held_for_fork() const noexcept { return real_.held_for_fork(); }

private:
    static inline constinit linn::detail::module_part no_module;
    linn::detail::mutex real_{no_module};
};

/// The seams of the engine, all in the test's hand. `Tag` keeps the counters of tests apart.
template <class Tag>
struct test_policy {
    using pages = failing_pages<Tag>;
    using clock = manual_clock<Tag>;
    using mutex = interrupted_mutex<Tag>;
    template <class T>
    using atomic = std::atomic<T>;
};

/// A depot with an arena of its own, used by fronts that the test makes: no thread is involved.
template <class Policy>
struct depot_fixture {
    using depot_type = linn::detail::depot<Policy>;
    using front_type = linn::detail::front<Policy>;

    explicit depot_fixture(const linn::detail::geometry& g, std::string_view name = "probe")
        : depot{{.sizes = g, .type = linn::detail::label_of(name)},
                name,
                linn::detail::service::cached,
                arena} {
        depot.registered_in = reinterpret_cast<std::uintptr_t>(this); // no fork concerns it
    }

    linn::detail::metadata_arena<Policy> arena;
    depot_type depot;
};

/// As `pool` does it: the magazine first, then the depot.
template <class Policy>
void* take(linn::detail::depot<Policy>& d, linn::detail::front<Policy>& f) {
    void* p = nullptr;
    return f.try_pop(p) ? p : d.take(f);
}
template <class Policy>
void put(linn::detail::depot<Policy>& d, linn::detail::front<Policy>& f, void* p) {
    if (!f.try_push(p)) {
        d.put(f, p);
    }
}

template <class Policy>
std::vector<void*> take_many(depot_fixture<Policy>& x, linn::detail::front<Policy>& f, std::size_t n) {
    std::vector<void*> all;
    while (all.size() < n) {
        all.push_back(take(x.depot, f));
        REQUIRE(all.back() != nullptr);
    }
    return all;
}
template <class Policy>
void put_many(depot_fixture<Policy>& x, linn::detail::front<Policy>& f, const std::vector<void*>& all) {
    for (void* p : all) {
        put(x.depot, f, p);
    }
}

/// Slots of 64 bytes, eight in a magazine.
inline linn::detail::geometry small_geometry(std::size_t retain = PTRDIFF_MAX) {
    auto g = linn::detail::make_geometry(64, 8, {.slab_bytes = 1 << 16, .magazine_slots = 8});
    g.retain_bytes = retain;
    return g;
}

} // namespace linn_test

#endif
