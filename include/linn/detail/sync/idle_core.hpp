// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_CORE_HPP
#define LINN_DETAIL_SYNC_IDLE_CORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/idle_store.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

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
    idle_item<Policy>* given = nullptr;
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
    std::size_t acquired = 0; ///< items that went out so far, where `try_take` counts
    std::size_t peak = 0;     ///< most that were out at once, at most what threads cache too high

    /// Others may use the core between two of its numbers.
    [[nodiscard]] std::size_t live() const noexcept { return all > idle ? all - idle : 0; }
};

/// The part of a recycler and of a buffer pool that does not depend on what they keep: which thread gets an idle item, makes
/// one, or waits.
///
/// It outlives its owner until the last item is gone, so that each item that is still out finds its way home.
///
/// While a thread waits no front is open, so that what comes back comes by the mutex, and no item is idle:
/// it goes to the thread that has waited longest.
///
/// No item is created, destroyed or reset inside a lock: those are calls of the user's code, which may use the same recycler,
/// or system calls that may take long. The barrier that closes fronts is one.
///
/// @tparam Derived has `dispose(item*)`, which destroys what is left of an item and frees its memory, `note_disposed(n)`, the
///         number of these, and `few`: see `forget` and idle_store. Buffers may come back when the module that made their pool is
///         unloaded: no call of theirs is virtual
template <class Policy, class Derived>
class idle_core : private in_fork_registry<idle_core<Policy, Derived>, typename Policy::mutex>,
                  public idle_store<Policy> {
    using store = idle_store<Policy>;
    using typename store::front;
    using typename store::mutex_type;

public:
    using typename store::item;
    using registry = fork_registry<idle_core, mutex_type>;
    using offer = idle_offer;
    using waiter = idle_waiter<Policy>;

    /// @param capacity idle items at most
    /// @param limit items at most, idle or not; 0: no limit
    /// @param memory where the pool of a recycler's slots has its depot, for `idle_in`
    idle_core(std::size_t capacity, std::size_t limit, const depot_place<Policy>* memory = nullptr) noexcept
        : store{capacity, Derived::few, *this},
          limit_{limit},
          memory_{memory} {}
    idle_core(const idle_core&) = delete;
    idle_core& operator=(const idle_core&) = delete;

    /// An idle item from wherever there is one, or the place for a new one. When the limit is reached it waits
    /// until `until` for either. A place is for a new item, which keeps the core alive until `destroy`, or for `give_up_place`.
    /// @complexity a lock; a system call when neither the thread nor the depot has one and other threads cache
    [[LINN_DETAIL_NOINLINE]] offer take_slow(item*& s, std::uint64_t until) noexcept {
        front* const f = this->attach();
        waiter me;
        {
            const lock_guard<mutex_type> guard{lock_};
            this->note_visit(guard);
            if (this->find(f, s)) {
                note_acquired();
                return offer::item;
            }
            if (take_place()) {
                return offer::place;
            }
            if (until == at_once || this->closed() ||
                lock_.held_for_fork()) { // in a fork no other thread goes on
                return offer::nothing;
            }
            this->close_fronts(nullptr);
            waiters_.push_back(&me);
            ++waiting_;
            references_.fetch_add(1, std::memory_order_relaxed);
        }
        return wait(me, s, until);
    }

    /// Takes an idle item back, or destroys it: when there is no room, or the owner is gone.
    /// @complexity as `try_take`; a lock when the thread's cache is full
    [[LINN_DETAIL_ALWAYS_INLINE]] void put(item* s) noexcept {
        if (!this->try_put(s)) [[LINN_DETAIL_UNLIKELY]] {
            put_slow(s);
        }
    }

    /// As `put`, but into the depot while that has room. @returns false if it was destroyed
    bool put_for_all(item* s) noexcept {
        bool kept = false;
        {
            const lock_guard<mutex_type> guard{lock_};
            kept = !this->closed() && (answer_waiter(offer::item, s) || this->keep_for_all(s));
        }
        if (!kept) {
            destroy(s);
        }
        return kept;
    }

    /// A place for a new item, as `take_slow` gives one, unless `n` are idle; as many are kept from now on.
    /// @complexity a lock; a system call while threads cache
    offer place_below(std::size_t n) noexcept {
        const lock_guard<mutex_type> guard{lock_};
        if (this->capacity() < n) {
            set_flag(this->capacity_, n);
        }
        this->close_fronts(nullptr);
        return this->in_depot_ >= n ? offer::item : take_place() ? offer::place : offer::nothing;
    }

    /// No item came into the place; perhaps this ends the core.
    void give_up_place() noexcept {
        {
            const lock_guard<mutex_type> guard{lock_};
            --created_;
        }
        pass_place_on();
        drop_references(1);
    }

    /// An item is gone: another one may be made in its place.
    void pass_place_on() noexcept {
        if (limit_ == 0) {
            return;
        }
        const lock_guard<mutex_type> guard{lock_};
        if (!answer_waiter(offer::place)) {
            --places_taken_;
        }
    }

    /// Destroys an item that is not idle; perhaps the core with it.
    void destroy(item* s) noexcept {
        if constexpr (Derived::few) {
            const lock_guard<mutex_type> guard{lock_};
            forget(1);
        }
        s->next = nullptr;
        destroy_chain(s);
    }

    /// Destroys all idle items, whichever thread caches them. @returns how many
    std::size_t trim() noexcept {
        item* all = nullptr;
        {
            const lock_guard<mutex_type> guard{lock_};
            all = take_idle();
        }
        return destroy_chain(all);
    }

    /// The end of the owner: destroys all idle items, and from now on every one that comes back. Threads that
    /// wait get nothing. The core goes with the last item.
    void close() noexcept {
        item* all = nullptr;
        {
            const lock_guard<mutex_type> guard{lock_};
            set_flag(this->closed_, true);
            all = take_idle();
            while (answer_waiter(offer::nothing)) {
            }
        }
        destroy_chain(all);
        drop_references(1);
    }

    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

    [[nodiscard]] idle_counts counts() const noexcept {
        const lock_guard<mutex_type> guard{lock_};
        idle_counts c{.idle = this->sum_idle(),
                      .all = all(),
                      .created = created_,
                      .waiting = waiting_,
                      .steals = this->steals_,
                      .visits = this->visits_,
                      .contended = this->contended_,
                      .acquired = acquired_,
                      .peak = peak_};
        this->for_each_front([&c](const front& f) {
            c.threads += f.vacant.load(std::memory_order_relaxed) ? 0U : 1U;
            c.acquired += f.taken.load(std::memory_order_relaxed);
        });
        return c;
    }

    /// Slots of the pool of `d` that are idle, in whichever recycler: the pool counts them as live.
    [[nodiscard]] static std::size_t idle_in(const depot<Policy>& d) noexcept {
        std::size_t sum = 0;
        registry::process().any([&](const idle_core& c) {
            sum += c.has_memory_in(d) ? c.counts().idle : 0;
            return false;
        });
        return sum;
    }

    /// Adds those slots. False when there is no memory for them.
    static bool append_idle_in(const depot<Policy>& d, pointer_set<typename Policy::pages>& set) noexcept {
        return !registry::process().any([&](idle_core& c) {
            return c.has_memory_in(d) && !c.append_idle(set); // ends the search
        });
    }

protected:
    ~idle_core() = default;

    /// Of items, places for one, waiters, and the owner.
    void drop_references(std::size_t n) noexcept {
        note_release(&references_);
        // acq_rel: pairs with itself in the other threads: the last one sees all that they did
        if (references_.fetch_sub(n, std::memory_order_acq_rel) == n) {
            note_acquire(&references_);
            registry::leave(*this); // before the derived class goes: others may ask for its numbers
            delete static_cast<Derived*>(this);
        }
    }

    /// An item goes out that is not from a front. What fronts hold counts in the peak as if it were live. Where items are few a thread
    /// comes here with an empty front, or none, so that is what others hold. @pre the mutex is held
    void note_acquired() noexcept {
        ++acquired_;
        const std::size_t out = all() - this->in_depot_;
        peak_ = peak_ < out ? out : peak_;
    }

    using store::lock_;
    std::size_t acquired_ = 0; ///< guarded by the lock

private:
    friend registry;
    using store::waiting_;

    [[LINN_DETAIL_NOINLINE]] void put_slow(item* s) noexcept {
        front* const f = this->attach();
        bool kept = false;
        {
            const lock_guard<mutex_type> guard{lock_};
            this->note_visit(guard);
            kept = !this->closed() && (answer_waiter(offer::item, s) || this->keep(f, s));
        }
        if (!kept) {
            destroy(s);
        }
    }

    /// @pre the mutex is held
    bool take_place() noexcept {
        if (limit_ != 0) {
            if (places_taken_ == limit_) {
                return false;
            }
            ++places_taken_;
        }
        ++created_;
        references_.fetch_add(1, std::memory_order_relaxed);
        return true;
    }

    /// Answers the thread that has waited longest. @pre the mutex is held @returns false when none waits
    bool answer_waiter(offer what, item* s = nullptr) noexcept {
        waiter* w = waiters_.pop_front();
        if (w == nullptr) {
            return false;
        }
        w->given = s;
        w->wake(what);
        return true;
    }

    /// Waits for what the waiter is given, if anything.
    offer wait(waiter& me, item*& s, std::uint64_t until) noexcept {
        offer what = offer::waits;
        bool ended = false;
        for (bool in_time = true; what == offer::waits;) {
            in_time = in_time && me.sleep(until);
            const lock_guard<mutex_type> guard{lock_};
            what = me.offer();
            if (what == offer::waits) {
                if (in_time) {
                    continue;
                }
                waiters_.remove(&me);
                what = offer::nothing;
            }
            --waiting_;
            ended = this->closed();
            if (what == offer::place && !ended) {
                ++created_;
                return what; // with the reference of the waiter
            }
        }
        s = me.given;
        drop_references(1);
        // A place is for nothing now: what makes items may be gone with the owner.
        return what == offer::place ? offer::nothing : what;
    }

    /// Items will be destroyed. Where they are few they are gone at once, also from the numbers, and their places are free: a fork
    /// may come before they are destroyed, and a thread that looks for one must not find neither. An object of a recycler has its
    /// place until it is destroyed, since the limit is one of objects that exist. @pre the mutex is held
    void forget(std::size_t n) noexcept {
        if constexpr (Derived::few) {
            gone_ += n;
            places_taken_ -= limit_ != 0 ? n : 0;
        }
    }

    /// All that is idle, as a chain, to destroy it. @pre the mutex is held
    item* take_idle() noexcept {
        this->close_fronts(nullptr);
        forget(this->in_depot_);
        item* const all = this->top_;
        this->top_ = nullptr;
        this->in_depot_ = 0;
        return all;
    }

    /// Destroys items that are not idle, and forgotten; perhaps the core with them. @returns how many
    std::size_t destroy_chain(item* s) noexcept {
        std::size_t n = 0;
        for (item* next = nullptr; s != nullptr; s = next) {
            next = s->next;
            static_cast<Derived*>(this)->dispose(s);
            if constexpr (!Derived::few) {
                pass_place_on();
            }
            ++n;
        }
        if (n != 0) {
            static_cast<Derived*>(this)->note_disposed(n);
            drop_references(n);
        }
        return n;
    }

    /// @pre the mutex is held
    [[nodiscard]] std::size_t all() const noexcept {
        if constexpr (Derived::few) {
            return created_ - gone_;
        }
        const std::size_t others = waiting_ + (this->closed() ? 0 : 1);
        const std::size_t references = references_.load(std::memory_order_relaxed);
        return references > others ? references - others : 0;
    }

    [[nodiscard]] bool has_memory_in(const depot<Policy>& d) const noexcept {
        // relaxed: only compared
        return memory_ != nullptr &&
               memory_->load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(&d);
    }

    bool append_idle(pointer_set<typename Policy::pages>& set) noexcept {
        const lock_guard<mutex_type> guard{lock_};
        this->close_fronts(nullptr);
        bool complete = true;
        for (item* s = this->top_; s != nullptr && complete; s = s->next) {
            complete = set.insert(s);
        }
        return complete;
    }

    using store::lock_for_fork;
    using store::unlock_in_parent;

    /// What the other threads had out stays out.
    void unlock_in_child() noexcept {
        references_.fetch_sub(waiting_, std::memory_order_relaxed);
        waiters_ = {};
        store::unlock_in_child();
    }

    const std::size_t limit_;
    const depot_place<Policy>* const memory_;

    // Guarded by the lock.
    /// In the order in which they came.
    linked_list<waiter, &waiter::next, &waiter::previous> waiters_;
    std::size_t places_taken_ = 0; ///< items that exist or are being made; 0 when there is no limit
    std::size_t created_ = 0;
    std::size_t gone_ = 0; ///< of these, where items are few
    std::size_t peak_ = 0;

    /// Items, places for one, threads that wait or were answered, and the owner while it exists.
    typename store::template atomic<std::size_t> references_{1};
};

/// The part of a recycler that does not depend on its type. Objects are destroyed by code of the module that knows the type.
template <class Policy>
class recycler_core : public idle_core<Policy, recycler_core<Policy>> {
public:
    using core = idle_core<Policy, recycler_core>;
    using core::core;

    static constexpr bool few = false;

    virtual void dispose(typename core::item* s) noexcept = 0;
    void note_disposed(std::size_t) noexcept {}
    virtual ~recycler_core() = default;
};

} // namespace linn::inline LINN_ABI::detail

#endif
