// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_BIASED_LOCK_HPP
#define LINN_DETAIL_SYNC_BIASED_LOCK_HPP

#include <linn/config.hpp>
#include <linn/detail/os/system.hpp>

#include <atomic>

namespace linn::inline LINN_ABI::detail {

/// A lock that one thread, its owner, enters and leaves without a locked instruction, and that others
/// can take away from it, at the cost of a system call.
///
/// Owner: says "busy", then looks whether it is revoked. Revoker: says "revoked", then looks whether the
/// owner is busy. Each writes before it reads, so at least one of them sees the other, *if* neither
/// read overtakes the write before it. A processor does let it, and forbidding that is what makes
/// locks slow. Here the revoker forbids it for both: `thread_barrier` runs a full barrier in the
/// owner's processor, between its own write and read.
///
/// - The owner's write came before that barrier: the revoker sees "busy" and waits.
/// - It came after: so does the owner's read, which then sees "revoked", and the owner backs out.
///
/// Owners may follow one another when something else orders them. Revokers exclude one another by
/// a mutex of their own, under which the owner may also do what it could not do while revoked.
/// The owner does not enter twice; it calls nothing unknown between entering and leaving.
///
/// @source Dice, Huang, Yang: Asymmetric Dekker Synchronization, 2001; Linux, membarrier(2)
template <class Policy>
class biased_lock {
public:
    /// @returns false when the lock is revoked @threads the owner
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_enter() noexcept {
        busy_.store(true, std::memory_order_relaxed);
        // For the compiler only; for the processor it is done by the other side.
        // seq_cst: pairs with the thread_barrier between the store and the load of the revoker
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // acquire: pairs with the release in restore, to see what the revoker did meanwhile
        if (revoked_.load(std::memory_order_acquire)) [[LINN_DETAIL_UNLIKELY]] {
            leave();
            return false;
        }
        return true;
    }

    /// @threads the owner, after an entry that returned true
    [[LINN_DETAIL_ALWAYS_INLINE]] void leave() noexcept {
        // release: pairs with the acquire in await, publishes what the owner did
        busy_.store(false, std::memory_order_release);
    }

    /// Takes the lock away in three steps, so that many locks need one barrier:
    /// `revoke` each, `thread_barrier` once, `await` each. @threads any, one at a time
    void revoke() noexcept { revoked_.store(true, std::memory_order_relaxed); }

    /// Waits until the owner is out. It is inside for some instructions only, but it may have been
    /// stopped there, even by the one who waits: therefore the sleep.
    void await() const noexcept {
        // acquire: pairs with the release in leave
        for (int i = 0; busy_.load(std::memory_order_acquire); ++i) {
            if (i < spins) {
                LINN_DETAIL_SPIN_PAUSE();
            } else {
                sleep_briefly();
            }
        }
    }

    /// Lets the owner in again.
    void restore() noexcept {
        // release: pairs with the acquire in try_enter, publishes what the revoker did
        revoked_.store(false, std::memory_order_release);
    }

    /// For the child of a fork, where the owner is gone: it may have been looking in. @pre the lock is revoked
    void forget_owner() noexcept { busy_.store(false, std::memory_order_relaxed); }

private:
    static constexpr int spins = 200;

    typename Policy::template atomic<bool> busy_{false};
    typename Policy::template atomic<bool> revoked_{false};
};

} // namespace linn::inline LINN_ABI::detail

#endif
