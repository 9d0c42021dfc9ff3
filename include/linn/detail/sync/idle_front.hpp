// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_FRONT_HPP
#define LINN_DETAIL_SYNC_IDLE_FRONT_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

// What an `idle_core` keeps, caches and counts, and who waits for it.

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

/// What is idle from time to time: the head of a recycler's slot, or the descriptor of a buffer.
struct idle_item {
    void* home;                ///< the `recycler_body` or the `buffer_store` that it is of
    idle_item* next = nullptr; ///< in the depot, or on its way to be destroyed
};

/// Items that no front has, the last one that came topmost.
struct idle_stack {
    idle_item* top = nullptr;
    std::size_t count = 0;

    void push(void* item) noexcept {
        auto* const s = static_cast<idle_item*>(item);
        s->next = top;
        top = s;
        ++count;
    }
    /// @pre there is one
    idle_item* pop() noexcept {
        idle_item* const s = top;
        top = s->next;
        --count;
        return s;
    }
};

/// What one thread number caches: the last item that came back goes out first.
///
/// A front is open or closed. Its thread uses an open one without the core's mutex. A closed one is all zero, so empty and
/// full, and its `lock` is revoked, so that the thread comes to the mutex. Only the thread that has the number opens it; any
/// thread closes it, under the mutex.
///
/// All is touched by the thread that has the number, inside `lock` or while it holds the core's mutex, and by others while
/// they hold the mutex and have revoked `lock`. Any thread may ask for `shown_count` and `taken`.
template <class Policy>
struct alignas(64) idle_front : slot_cache {
    static constexpr std::size_t most = 32;

    idle_front() noexcept { lock.revoke(); }

    [[LINN_DETAIL_ALWAYS_INLINE]] bool pop(idle_item*& s) noexcept {
        void* p;
        if (!this->try_pop(p)) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        s = static_cast<idle_item*>(p);
        return true;
    }

    [[nodiscard]] bool is_open() const noexcept { return this->has_places(); }

    /// Moves the `n` items that came first to the depot, the last one topmost.
    void give(idle_stack& depot, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            depot.push(places[i]);
        }
        this->drop_oldest(n);
    }
    /// Moves the `n` topmost of the depot here, where nothing is, in their order.
    void take(idle_stack& depot, std::size_t n) noexcept {
        for (std::size_t i = n; i-- != 0;) {
            places[i] = depot.pop();
        }
        this->use(places, n, this->capacity());
    }

    biased_lock<Policy> lock;
    typename Policy::template atomic<bool> vacant{false}; ///< its thread is not in this child of a fork
    /// How often something went out without the mutex, where items are few.
    typename Policy::template atomic<std::size_t> taken{0};
    void* places[most];
};

/// The fronts of one core, by thread number. A thread of another module has a number of another table, which means nothing here.
template <class Policy>
class idle_fronts {
    using front = idle_front<Policy>;
    using table = thread_index_table<Policy>;
    using place_type = typename Policy::template atomic<front*>;

public:
    idle_fronts() noexcept = default;
    idle_fronts(const idle_fronts&) = delete;
    idle_fronts& operator=(const idle_fronts&) = delete;
    ~idle_fronts() {
        for_each([](front& f) { delete &f; });
    }

    /// That of the calling thread; null where it has none.
    [[LINN_DETAIL_ALWAYS_INLINE]] front* here() noexcept {
        if (home_table_ != &table::process()) [[LINN_DETAIL_UNLIKELY]] {
            return nullptr;
        }
        // relaxed: only the thread that has the number writes this place, and the table orders it
        // after the threads that had the number before
        return by_number_[shown_thread_index<Policy>()].load(std::memory_order_relaxed);
    }

    /// Where that is, or belongs; null for a thread that can have none. No lock is held.
    place_type* place() noexcept {
        const std::uint32_t index = thread_index<Policy>();
        return home_table_ == &table::process() && index != table::most ? &by_number_[index + 1] : nullptr;
    }

    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        for (const auto& place : by_number_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                visit(*f);
            }
        }
    }

private:
    const table* const home_table_ = &table::process();
    /// By `shown_thread_index`: the first place is that of threads that have not asked for a number yet,
    /// the last that of threads that get none. Both stay null.
    place_type by_number_[table::most + 2] = {};
};

/// What a thread gets that asks a core for an item.
enum class idle_offer : std::uint32_t {
    waits,   ///< no answer yet
    item,    ///< an idle one
    place,   ///< none, but it may make one
    nothing, ///< as many exist as may, and the time is over; or the recycler is
};

/// A thread that waits for an item. Lies in that thread's frame. All but the sleep is guarded by the
/// mutex of the core: a thread that answers a waiter holds it until that is woken; the waiter takes it before it leaves.
template <class Policy>
struct idle_waiter {
    /// Atomic only for the thread to sleep on it.
    typename Policy::template atomic<std::uint32_t> answer{static_cast<std::uint32_t>(idle_offer::waits)};
    idle_item* given = nullptr;
    idle_waiter* next = nullptr;
    idle_waiter* previous = nullptr;

    [[nodiscard]] idle_offer offer() const noexcept {
        return static_cast<idle_offer>(answer.load(std::memory_order_relaxed));
    }

    /// Sleeps until there is an answer; may return early. No lock is held. @returns false when it is `until` already
    bool sleep(std::uint64_t until) noexcept {
        return Policy::parking::sleep(answer, static_cast<std::uint32_t>(idle_offer::waits), until);
    }

    void wake(idle_offer what) noexcept {
        set_flag(answer, static_cast<std::uint32_t>(what));
        Policy::parking::wake(answer);
    }
};

/// The numbers of one core: exact while no other thread uses it.
struct idle_counts {
    std::size_t idle = 0;
    std::size_t all = 0;     ///< items that exist or are being made, idle or not
    std::size_t created = 0; ///< so far, those that are being made included
    std::size_t threads = 0; ///< thread numbers that have a front
    std::size_t waiting = 0; ///< threads that wait
    std::size_t steals = 0;  ///< how often a thread emptied the fronts of others
    std::size_t visits = 0;  ///< calls that took the lock
    std::size_t contended = 0;
    std::size_t acquired = 0; ///< items that went out so far, where they are few
    std::size_t peak = 0;     ///< most that were out at once, at most what threads cache too high

    /// Others may use the core between two of its numbers.
    [[nodiscard]] std::size_t live() const noexcept { return all > idle ? all - idle : 0; }
};

} // namespace linn::inline LINN_ABI::detail

#endif
