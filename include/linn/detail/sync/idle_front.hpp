// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_FRONT_HPP
#define LINN_DETAIL_SYNC_IDLE_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/sync/biased_lock.hpp>

#include <atomic>
#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// What one thread number caches of one `idle_store`: the last item that came back goes out first.
///
/// A front is open or closed. Its thread uses an open one without the store's mutex. A closed one is all zero, so empty and
/// full, and its `lock` is revoked, so that the thread comes to the mutex. Only the thread that has the number opens it; any
/// thread closes it, under the mutex.
///
/// All is touched by the thread that has the number, inside `lock` or while it holds the store's mutex, and by others while
/// they hold the mutex and have revoked `lock`. Any thread may ask for `shown_count` and `taken`.
template <class Policy, class Item>
struct alignas(64) idle_front : slot_cache {
    static constexpr std::size_t most = 32;

    explicit idle_front(bool asymmetric) noexcept : lock{asymmetric} { lock.revoke(); }

    [[__gnu__::__always_inline__]] bool pop(Item*& s) noexcept {
        void* p;
        if (!try_pop(p)) [[__unlikely__]] {
            return false;
        }
        s = static_cast<Item*>(p);
        return true;
    }
    /// The same, for an owner that wants to know how often that was.
    [[__gnu__::__always_inline__]] bool pop_counted(Item*& s) noexcept {
        if (!pop(s)) [[__unlikely__]] {
            return false;
        }
        taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return true;
    }
    [[__gnu__::__always_inline__]] bool push(Item* s) noexcept { return try_push(s); }

    [[nodiscard]] bool is_open() const noexcept { return has_places(); }

    /// @param n reserved of the store's capacity, `most` at most
    void open(std::size_t n) noexcept { use(places, 0, n); }
    void close() noexcept { top = bottom = limit = slot_place::none; }

    /// The first `n` places hold slots now. @pre it is open
    void hold(std::size_t n) noexcept { use(places, n, capacity()); }

    /// How many slots it has, from any thread: approximate while its own works.
    [[nodiscard]] std::size_t shown_count() const noexcept {
        return slot_cache::shown_count(entries(), most);
    }

    biased_lock<Policy> lock;
    typename Policy::template atomic<std::size_t> taken{0}; ///< by `pop_counted`, so far
    union {
        void* places[most];
        idle_front* next_spare; ///< while it belongs to no thread number
    };
};

} // namespace linn::inline LINN_ABI::detail

#endif
