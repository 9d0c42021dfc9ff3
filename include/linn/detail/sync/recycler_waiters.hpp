// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_WAITERS_HPP
#define LINN_DETAIL_SYNC_RECYCLER_WAITERS_HPP

#include <linn/config.hpp>
#include <linn/detail/sync/parking.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/recycler_slot.hpp>

#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// What a thread gets that asks a recycler for an object.
enum class recycler_offer : std::uint32_t {
    waits,   ///< no answer yet
    object,  ///< an idle one
    place,   ///< none, but it may make one
    nothing, ///< as many exist as may, and the time is over; or the recycler is
};

/// A thread that waits for an object. Lies in that thread's frame. All but the sleep is guarded by the
/// mutex of the core: a thread that answers a waiter holds it until that is woken; the waiter takes it before it leaves.
template <class Policy>
struct recycler_waiter {
    /// Atomic only for the thread to sleep on it.
    typename Policy::template atomic<std::uint32_t> answer{static_cast<std::uint32_t>(recycler_offer::waits)};
    recycled_slot<Policy>* given = nullptr;
    recycler_waiter* next = nullptr;
    recycler_waiter* previous = nullptr;

    [[nodiscard]] recycler_offer offer() const noexcept {
        return static_cast<recycler_offer>(answer.load(std::memory_order_relaxed));
    }

    /// Sleeps until there is an answer; may return early. No lock is held. @returns false when it is `until` already
    bool sleep(std::uint64_t until) noexcept {
        return Policy::parking::sleep(answer, static_cast<std::uint32_t>(recycler_offer::waits), until);
    }

    void wake(recycler_offer what) noexcept {
        set_flag(answer, static_cast<std::uint32_t>(what));
        Policy::parking::wake(answer);
    }
};

/// Threads that wait for an object, in the order in which they came.
template <class Policy>
class recycler_waiters {
public:
    using waiter = recycler_waiter<Policy>;

    [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }

    void append(waiter& w) noexcept {
        w.previous = last_;
        (last_ != nullptr ? last_->next : first_) = &w;
        last_ = &w;
    }

    void remove(waiter& w) noexcept {
        (w.previous != nullptr ? w.previous->next : first_) = w.next;
        (w.next != nullptr ? w.next->previous : last_) = w.previous;
    }

    /// Answers the one that has waited longest. @returns false when none waits
    bool answer(recycler_offer what, recycled_slot<Policy>* s = nullptr) noexcept {
        waiter* w = first_;
        if (w == nullptr) {
            return false;
        }
        remove(*w);
        w->given = s;
        w->wake(what);
        return true;
    }

    /// For the child of a fork: they are gone.
    void forget() noexcept { first_ = last_ = nullptr; }

private:
    waiter* first_ = nullptr;
    waiter* last_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
