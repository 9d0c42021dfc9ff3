// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_FRONT_HPP
#define LINN_DETAIL_SYNC_RECYCLER_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/biased_lock.hpp>
#include <linn/detail/sync/recycler_slot.hpp>

#include <atomic>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// What one thread number of one recycler caches: the last object that came back goes out first.
///
/// A front is open or closed. Its thread uses an open one without the core's mutex. A closed one is empty and its
/// `lock` is revoked, so that the thread comes to the mutex. Only the thread that has the number opens it; any thread
/// closes it, under the mutex.
///
/// Everything but `count` is touched by the thread that has the number, inside `lock` or while it
/// holds the core's mutex, and by others while they hold the mutex and have revoked `lock`. Of `count` any
/// thread may read a recent value.
template <class Policy>
struct alignas(64) recycler_front {
    static constexpr std::uint32_t most = 32;

    explicit recycler_front(bool asymmetric) noexcept : lock{asymmetric} { lock.revoke(); }

    [[gnu::always_inline]] bool pop(recycled_slot<Policy>*& s) noexcept {
        const std::uint32_t n = count.load(std::memory_order_relaxed);
        if (n == 0) [[unlikely]] {
            return false;
        }
        s = slots[n - 1];
        count.store(n - 1, std::memory_order_relaxed);
        return true;
    }

    [[gnu::always_inline]] bool push(recycled_slot<Policy>* s) noexcept {
        const std::uint32_t n = count.load(std::memory_order_relaxed);
        if (n == limit) [[unlikely]] {
            return false;
        }
        slots[n] = s;
        count.store(n + 1, std::memory_order_relaxed);
        return true;
    }

    [[nodiscard]] bool is_open() const noexcept { return limit != 0; }

    biased_lock<Policy> lock;
    std::uint32_t limit = 0; ///< reserved of the core's capacity; 0 while it is closed
    typename Policy::template atomic<std::uint32_t> count{0};
    union {
        recycled_slot<Policy>* slots[most];
        recycler_front* next_spare; ///< while it belongs to no thread number
    };
};

} // namespace linn::inline LINN_ABI::detail

#endif
