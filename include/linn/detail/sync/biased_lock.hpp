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
/// Where the system has no such barrier the lock is made symmetric, and the owner pays for an exchange.
///
/// Owners may follow one another when something else orders them. Revokers exclude one another by
/// a mutex of their own, under which the owner may also do what it could not do while revoked.
/// The owner does not enter twice; it calls nothing unknown between entering and leaving.
///
/// @source Dice, Huang, Yang: Asymmetric Dekker Synchronization, 2001; Linux, membarrier(2)
template <class Policy>
class biased_lock {
public:
    /// @pre `asymmetric` only where `enable_thread_barrier` returned true
    explicit biased_lock(bool asymmetric) noexcept : mode_{asymmetric ? biased : symmetric} {}

    /// @returns false when the lock is revoked, or symmetric @threads the owner
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_enter() noexcept {
        busy_.store(true, std::memory_order_relaxed);
        // For the compiler only; for the processor it is done by the other side.
        // seq_cst: pairs with the thread_barrier between the store and the load of the revoker
        std::atomic_signal_fence(std::memory_order_seq_cst);
        // acquire: pairs with the release in restore, to see what the revoker did meanwhile
        if (mode_.load(std::memory_order_acquire) != biased) [[LINN_DETAIL_UNLIKELY]] {
            leave();
            return false;
        }
        return true;
    }

    /// For a symmetric lock, when `try_enter` has returned false; for others it returns false again.
    bool try_enter_symmetric() noexcept {
        if ((mode_.load(std::memory_order_relaxed) & symmetric) == 0) {
            return false;
        }
        // seq_cst: pairs with the store in revoke: in their single order either it comes later, and await
        // sees "busy", or the load below sees "revoked"
        busy_.exchange(true, std::memory_order_seq_cst);
        // seq_cst: pairs with the store in revoke, as said; as an acquire with the release in restore
        if ((mode_.load(std::memory_order_seq_cst) & revoked) != 0) {
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
    /// `revoke` each, `barrier` once, `await` each. @threads any, one at a time
    void revoke() noexcept {
        const mode now = mode_.load(std::memory_order_relaxed);
        // seq_cst: pairs with the exchange and the load in try_enter_symmetric
        mode_.store(static_cast<mode>(now | revoked), std::memory_order_seq_cst);
    }

    static void barrier(bool asymmetric) noexcept {
        if (asymmetric) {
            thread_barrier();
        }
    }

    /// Waits until the owner is out. It is inside for some instructions only, but it may have been
    /// stopped there, even by the one who waits: therefore the sleep.
    void await() const noexcept {
        // seq_cst: pairs with the exchange in try_enter_symmetric; as an acquire with the release in leave
        for (int i = 0; busy_.load(std::memory_order_seq_cst); ++i) {
            if (i < spins) {
                LINN_DETAIL_SPIN_PAUSE();
            } else {
                sleep_briefly();
            }
        }
    }

    /// Lets the owner in again.
    void restore() noexcept {
        const mode now = mode_.load(std::memory_order_relaxed);
        // release: pairs with the loads in try_enter and try_enter_symmetric, publishes what the revoker did
        mode_.store(static_cast<mode>(now & ~revoked), std::memory_order_release);
    }

    /// For the child of a fork, where the owner is gone: it may have been looking in. @pre the lock is revoked
    void forget_owner() noexcept { busy_.store(false, std::memory_order_relaxed); }

private:
    enum mode : unsigned char { biased = 0, symmetric = 1, revoked = 2 };
    static constexpr int spins = 200;

    typename Policy::template atomic<bool> busy_{false};
    typename Policy::template atomic<mode> mode_;
};

} // namespace linn::inline LINN_ABI::detail

#endif
