// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_CORE_HPP
#define LINN_DETAIL_SYNC_IDLE_CORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointers.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/idle_front.hpp>
#include <linn/detail/sync/module.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// After a steal so many calls that take the lock share the depot before threads cache again: what a steal costs is paid
/// once in so many, however objects move between threads.
template <class Policy>
inline constexpr std::size_t shared_after_steal = 512;

/// The part of a recycler and of a buffer pool that does not depend on what they keep: where what is idle lies, and which thread gets
/// an idle item, makes one, or waits.
///
/// What is idle lies in the depot, a stack, and in the fronts of threads that are open.
/// `items in the depot <= capacity - reserved`, `reserved = sum of the limits of the open fronts`.
///
/// A thread that finds neither an item nor room closes the fronts of all others and looks again: so "none is idle" and
/// "`capacity` are idle" are true at one moment, when this class says it. Closed fronts open again one by one, when
/// their threads come by; not at once, or two threads could steal from each other at each call. While a thread waits no front is
/// open, so that what comes back comes by the mutex, and no item is idle: it goes to the thread that has waited longest. Where the
/// system has no `thread_barrier`, no thread has a front.
///
/// Where items are `few`, what one thread has ahead another one misses: fronts hold only what their threads gave back. Otherwise a
/// thread that finds its front empty fills half of it.
///
/// It outlives its owner until the last item is gone, so that each item that is still out finds its way home.
///
/// No item is created, destroyed or reset inside a lock: those are calls of the user's code, which may use the same recycler,
/// or system calls that may take long. The barrier that closes fronts is one.
///
/// @tparam Derived has `dispose(item*)`, which destroys what is left of an item and frees its memory, `note_disposed(n)`, the
///         number of these, and `few`, also for `forget`. Buffers may come back when the module that made their pool is
///         unloaded: no call of theirs is virtual
template <class Policy, class Derived>
class idle_core : public in_fork_registry<idle_core<Policy, Derived>, typename Policy::mutex> {
    template <class T>
    using atomic = typename Policy::template atomic<T>;
    using front = idle_front<Policy>;
    using mutex_type = typename Policy::mutex;

public:
    using item = idle_item;
    using registry = fork_registry<idle_core, mutex_type>;
    using offer = idle_offer;
    using waiter = idle_waiter<Policy>;

    /// @param capacity idle items at most
    /// @param limit items at most, idle or not; 0: no limit
    /// @param memory where the pool of a recycler's slots has its depot, for `idle_in`
    idle_core(std::size_t capacity, std::size_t limit, const depot_place<Policy>* memory = nullptr) noexcept
        : limit_{limit},
          memory_{memory},
          capacity_{capacity},
          lock_{*this} {}
    idle_core(const idle_core&) = delete;
    idle_core& operator=(const idle_core&) = delete;

    /// An item from the front of the calling thread, the one that came back last. False when it has none.
    /// @complexity no call, no locked instruction
    /// @threads any
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_take(item*& s) noexcept {
        front* f = fronts_.here();
        if (f == nullptr || !f->lock.try_enter()) {
            return false;
        }
        const bool found = f->pop(s);
        if (Derived::few && found) {
            f->taken.store(f->taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        f->lock.leave();
        return found;
    }

    /// An idle item from wherever there is one, or the place for a new one. When the limit is reached it waits
    /// until `until` for either. A place is for a new item, which keeps the core alive until `destroy`, or for `give_up_place`.
    /// @complexity a lock; a system call when neither the thread nor the depot has one and other threads cache
    [[LINN_DETAIL_NOINLINE]] offer take_slow(item*& s, std::uint64_t until) noexcept {
        front* const f = attach();
        waiter me;
        {
            const lock_guard<mutex_type> guard{lock_};
            note_visit(guard);
            if (find(f, s)) {
                note_acquired();
                return offer::item;
            }
            if (take_place()) {
                return offer::place;
            }
            if (until == at_once || closed() || lock_.held_for_fork()) { // in a fork no other thread goes on
                return offer::nothing;
            }
            close_fronts(nullptr);
            waiters_.push_back(&me);
            ++waiting_;
            references_.fetch_add(1, std::memory_order_relaxed);
        }
        return wait(me, s, until);
    }

    /// Takes an idle item back, or destroys it: when there is no room, or the owner is gone.
    /// @complexity as `try_take`; a lock when the thread's cache is full
    [[LINN_DETAIL_ALWAYS_INLINE]] void put(item* s) noexcept {
        front* f = fronts_.here();
        if (f != nullptr && f->lock.try_enter()) {
            const bool kept = f->try_push(s);
            f->lock.leave();
            if (kept) [[LINN_DETAIL_LIKELY]] {
                return;
            }
        }
        put_slow(s);
    }

    /// As `put`, but into the depot while that has room. @returns false if it was destroyed
    bool put_for_all(item* s) noexcept { return put_into(nullptr, s); }

    /// A place for a new item, as `take_slow` gives one, unless `n` are idle; as many are kept from now on.
    /// @complexity a lock; a system call while threads cache
    offer place_below(std::size_t n) noexcept {
        const lock_guard<mutex_type> guard{lock_};
        if (capacity() < n) {
            set_flag(capacity_, n);
        }
        close_fronts(nullptr);
        return depot_.count >= n ? offer::item : take_place() ? offer::place : offer::nothing;
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
            set_flag(closed_, true);
            all = take_idle();
            while (answer_waiter(offer::nothing)) {
            }
        }
        destroy_chain(all);
        drop_references(1);
    }

    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_.load(std::memory_order_relaxed); }
    /// Whether nothing is kept any more. A thread that needs to know takes the lock.
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    [[nodiscard]] idle_counts counts() const noexcept {
        const lock_guard<mutex_type> guard{lock_};
        idle_counts c{.idle = depot_.count,
                      .all = all(),
                      .created = created_,
                      .waiting = waiting_,
                      .steals = steals_,
                      .visits = visits_,
                      .contended = contended_,
                      .acquired = acquired_,
                      .peak = peak_};
        fronts_.for_each([&c](const front& f) {
            c.idle += f.shown_count(front::most);
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
            if (!c.has_memory_in(d)) {
                return false;
            }
            const lock_guard<mutex_type> guard{c.lock_};
            c.close_fronts(nullptr);
            item* s = c.depot_.top;
            while (s != nullptr && set.insert(s)) {
                s = s->next;
            }
            return s != nullptr; // ends the search
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
        const std::size_t out = all() - depot_.count;
        peak_ = peak_ < out ? out : peak_;
    }

private:
    friend registry;

    /// The front of the calling thread, which is made if it has none; null for threads without a number, for a closed core, and
    /// where the capacity is too small to share. The lock is not held.
    front* attach() noexcept {
        if (!may_cache_ || race_checked() || closed()) {
            return nullptr;
        }
        auto* const place = fronts_.place();
        front* f = place != nullptr ? place->load(std::memory_order_relaxed) : nullptr;
        if (f != nullptr) { // maybe inherited
            f->vacant.store(false, std::memory_order_relaxed);
        } else if (place != nullptr && capacity() >= 4) {
            f = ::new (std::nothrow) front;
            const lock_guard<mutex_type> guard{lock_};
            place->store(f, std::memory_order_relaxed);
        }
        return f;
    }

    [[LINN_DETAIL_NOINLINE]] void put_slow(item* s) noexcept { put_into(attach(), s); }

    /// Keeps an item in the front of the calling thread, which may be null, or in the depot, or destroys it. The lock is not held.
    bool put_into(front* own, item* s) noexcept {
        bool kept = false;
        {
            const lock_guard<mutex_type> guard{lock_};
            note_visit(guard);
            kept =
                !closed() && (answer_waiter(offer::item, s) || keep(own, s) || (steal(own) && keep(own, s)));
        }
        if (!kept) {
            destroy(s);
        }
        return kept;
    }

    // -- what is idle; the lock is held ------------------------------------------------------------

    /// Counts a call that found no other way than the lock.
    void note_visit(const lock_guard<mutex_type>& guard) noexcept {
        ++visits_;
        shared_calls_ -= shared_calls_ != 0 ? 1U : 0U;
        contended_ += guard.waited() ? 1U : 0U;
    }

    /// An idle item from the front of the calling thread, which may be null, the depot or other fronts.
    /// @returns false when none is idle
    bool find(front* own, item*& s) noexcept {
        if (own != nullptr &&
            own->pop(s)) { // it was inherited a moment ago, or stolen from and is open again
            return true;
        }
        if (depot_.count == 0) {
            steal(own);
        }
        if (depot_.count == 0) {
            return false;
        }
        if (!Derived::few && own != nullptr && shared_calls_ == 0 && (own->is_open() || open(*own))) {
            if (own->count() == 0) {
                const std::size_t half = (own->capacity() + 1) / 2;
                own->take(depot_, depot_.count < half ? depot_.count : half);
            }
            return own->pop(s);
        }
        s = depot_.pop();
        return true;
    }

    /// Keeps an item in the front of the calling thread, which may be null, or in the depot. @returns false when neither has room
    bool keep(front* own, item* s) noexcept {
        if (own != nullptr && (own->is_open() || open(*own))) {
            if (own->try_push(s)) {
                return true;
            }
            const std::size_t half = (own->capacity() + 1) / 2;
            own->give(depot_, room() < half ? room() : half);
            return own->try_push(s);
        }
        if (room() == 0) {
            return false;
        }
        depot_.push(s);
        return true;
    }

    /// Closes all fronts but `own`: all that they held, items and room, is in the depot then.
    /// @returns false when they are closed already
    /// @complexity a system call and O(threads), when one is open
    bool close_fronts(const front* own) noexcept {
        if (open_fronts_ == (own != nullptr && own->is_open() ? 1U : 0U)) {
            return false;
        }
        fronts_.for_each([own](front& f) {
            if (&f != own && f.is_open()) {
                f.lock.revoke();
            }
        });
        thread_barrier();
        fronts_.for_each([this, own](front& f) {
            if (&f != own && f.is_open()) {
                f.lock.await();
                f.give(depot_, f.count());
                reserved_ -= f.capacity();
                f.top = f.bottom = f.limit = slot_place::none;
                --open_fronts_;
            }
        });
        return true;
    }

    bool steal(const front* own) noexcept {
        if (!close_fronts(own)) {
            return false;
        }
        shared_calls_ = shared_after_steal<Policy>;
        ++steals_;
        return true;
    }

    /// Opens the closed front of the calling thread if there is capacity left for it, and others need not share
    /// what it would hold. At most a quarter of the rest, so that many threads cannot leave the depot with nothing.
    bool open(front& own) noexcept {
        const std::size_t quarter = (capacity() - reserved_) / 4;
        const std::size_t most = quarter < front::most ? quarter : front::most;
        const std::size_t limit =
            Derived::few && most > room() ? room() : most; // what the depot has of few stays there
        if (limit == 0 || shared_calls_ != 0 || waiting_ != 0) {
            return false;
        }
        own.use(own.places, 0, limit);
        reserved_ += limit;
        ++open_fronts_;
        const std::size_t rest = capacity() - reserved_;
        if (depot_.count > rest) {
            own.take(depot_, depot_.count - rest); // `limit` at most
        }
        own.lock.restore();
        return true;
    }

    /// Items that the depot may still take.
    [[nodiscard]] std::size_t room() const noexcept { return capacity() - reserved_ - depot_.count; }

    // -- places and waiting; the lock is held, except where another thing is said -------------------

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

    /// Answers the thread that has waited longest. @returns false when none waits
    bool answer_waiter(offer what, item* s = nullptr) noexcept {
        waiter* w = waiters_.pop_front();
        if (w == nullptr) {
            return false;
        }
        w->given = s;
        w->wake(what);
        return true;
    }

    /// Waits for what the waiter is given, if anything. The lock is not held.
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
            ended = closed();
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

    // -- the end of items --------------------------------------------------------------------------

    /// Items will be destroyed. Where they are few they are gone at once, also from the numbers, and their places are free: a fork
    /// may come before they are destroyed, and a thread that looks for one must not find neither. An object of a recycler has its
    /// place until it is destroyed, since the limit is one of objects that exist. @pre the lock is held
    void forget(std::size_t n) noexcept {
        if constexpr (Derived::few) {
            gone_ += n;
            places_taken_ -= limit_ != 0 ? n : 0;
        }
    }

    /// All that is idle, as a chain, to destroy it. @pre the lock is held
    item* take_idle() noexcept {
        close_fronts(nullptr);
        forget(depot_.count);
        item* const all = depot_.top;
        depot_ = {};
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

    // -- numbers -----------------------------------------------------------------------------------

    /// @pre the lock is held
    [[nodiscard]] std::size_t all() const noexcept {
        if constexpr (Derived::few) {
            return created_ - gone_;
        }
        const std::size_t others = waiting_ + (closed() ? 0 : 1);
        const std::size_t references = references_.load(std::memory_order_relaxed);
        return references > others ? references - others : 0;
    }

    [[nodiscard]] bool has_memory_in(const depot<Policy>& d) const noexcept {
        // relaxed: only compared
        return memory_ != nullptr &&
               memory_->load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(&d);
    }

    // -- fork --------------------------------------------------------------------------------------

    /// Also closes the fronts of the other threads: no thread is inside one, so the child has all that is idle.
    void lock_for_fork() noexcept {
        lock_.lock_for_fork();
        close_fronts(fronts_.here());
    }
    void unlock_in_parent() noexcept { lock_.unlock_after_fork(); }
    /// What the other threads had out stays out. Their fronts stay, closed, for threads that get their numbers.
    void unlock_in_child() noexcept {
        references_.fetch_sub(waiting_, std::memory_order_relaxed);
        waiting_ = 0;
        waiters_ = {};
        fronts_.for_each([own = fronts_.here()](front& f) {
            if (&f != own) {
                f.lock.forget_owner();
                f.vacant.store(true, std::memory_order_relaxed);
            }
        });
        lock_.reset();
    }

    idle_fronts<Policy> fronts_; // first: the hot path begins there
    const std::size_t limit_;
    const depot_place<Policy>* const memory_;
    const bool may_cache_ = enable_thread_barrier();
    atomic<bool> closed_{false};
    atomic<std::size_t> capacity_; ///< never less than it was
    /// Items, places for one, threads that wait or were answered, and the owner while it exists.
    atomic<std::size_t> references_{1};

protected:
    /// Guards what follows, what the derived class says, and all fronts that are closed.
    mutable mutex_type lock_;
    std::size_t acquired_ = 0; ///< without what fronts have counted

private:
    idle_stack depot_;
    std::size_t reserved_ = 0;
    std::uint32_t open_fronts_ = 0;
    std::size_t shared_calls_ = 0; ///< so many calls that take the lock use the depot, because of a steal
    /// In the order in which they came.
    linked_list<waiter, &waiter::next, &waiter::previous> waiters_;
    std::size_t waiting_ = 0;      ///< threads that wait for an item: until they have one, no front opens
    std::size_t places_taken_ = 0; ///< items that exist or are being made; 0 when there is no limit
    std::size_t created_ = 0;
    std::size_t gone_ = 0; ///< of these, where items are few
    std::size_t peak_ = 0;
    std::size_t steals_ = 0;    ///< times that a thread closed the fronts of others, for an item or for room
    std::size_t visits_ = 0;    ///< calls that took the lock
    std::size_t contended_ = 0; ///< of these, the ones that found it taken
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
