// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_CORE_HPP
#define LINN_DETAIL_SYNC_RECYCLER_CORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/linked_list.hpp>
#include <linn/detail/core/pointer_set.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/fork_registry.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/idle_store.hpp>
#include <linn/detail/sync/parking.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/recycler_slot.hpp>
#include <linn/detail/sync/thread_index.hpp>

#include <atomic>
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

/// What a core is made with.
template <class Policy>
struct recycler_plan {
    std::size_t capacity = 0; ///< idle slots at most
    std::size_t limit = 0;    ///< objects at most, idle or not; 0: no limit
    bool asymmetric = false;  ///< whether `enable_thread_barrier` returned true
    /// Where the pool of the slots has its depot, for `idle_in`.
    const depot_place<Policy>* memory = nullptr;
};

/// The numbers of one core.
struct recycler_counts {
    std::size_t idle = 0;       ///< idle slots: exact while no other thread uses the recycler
    std::size_t slot_count = 0; ///< that exist or are being made, idle or not
    std::size_t created = 0;    ///< objects made so far
    std::size_t threads = 0;    ///< thread numbers that have a front
    std::size_t waiting = 0;    ///< threads that wait
    std::size_t steals = 0;     ///< how often a thread emptied the fronts of others
};

/// The part of a recycler that does not depend on its type: which thread gets an idle slot, makes one, or waits.
///
/// It outlives its recycler until the last slot is gone, so that each object that is still out finds its way
/// home.
///
/// While a thread waits no front is open, so that what comes back comes by the mutex, and no slot is idle:
/// it goes to the thread that has waited longest.
///
/// No object is created, destroyed or reset inside a lock: those are calls of the user's code, which may
/// use the same recycler.
template <class Policy>
class recycler_core : private in_fork_registry<recycler_core<Policy>, typename Policy::mutex> {
public:
    using slot = recycled_slot<Policy>;
    using front = idle_front<Policy, slot>;
    using registry = fork_registry<recycler_core, typename Policy::mutex>;
    using offer = recycler_offer;
    using waiter = recycler_waiter<Policy>;
    using plan = recycler_plan<Policy>;

    explicit recycler_core(const plan& p) noexcept
        : limit_{p.limit},
          memory_{p.memory},
          store_{p.capacity, p.asymmetric, *this} {
        registry::process().enter(*this);
    }
    recycler_core(const recycler_core&) = delete;
    recycler_core& operator=(const recycler_core&) = delete;

    /// An idle slot, the one that came back last. @returns false when the thread's cache has none; then
    /// `take_slow` may have one
    /// @complexity no call, no locked instruction
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_take(slot*& s) noexcept { return store_.try_take(s); }

    /// An idle slot from wherever there is one, or the place for a new one. When the limit is reached it waits
    /// until `until` for either. A place is for `count_new` or `give_up_place`.
    /// @complexity a lock; a system call when neither the thread nor the depot has one and other threads cache
    [[LINN_DETAIL_NOINLINE]] offer take_slow(slot*& s, std::uint64_t until) noexcept {
        front* f = nullptr;
        if (store_.take_attached(f, s)) {
            return offer::object;
        }
        waiter me;
        {
            const lock_guard<typename Policy::mutex> guard{store_.lock()};
            if (store_.find(f, s)) {
                return offer::object;
            }
            if (take_place()) {
                return offer::place;
            }
            if (until == at_once || closed() ||
                store_.lock().held_for_fork()) { // in a fork no other thread goes on
                return offer::nothing;
            }
            store_.bar();
            waiters_.push_back(&me);
            ++waiting_;
            add_reference();
        }
        return wait(me, s, until);
    }

    /// Takes an idle slot back, or destroys it: when there is no room, or the recycler is gone.
    /// @complexity as `try_take`; a lock when the thread's cache is full
    [[LINN_DETAIL_ALWAYS_INLINE]] void put(slot* s) noexcept {
        if (!store_.try_put(s)) [[LINN_DETAIL_UNLIKELY]] {
            put_slow(s);
        }
    }

    /// As `put`, but into the depot while that has room. @returns false if it was destroyed
    bool put_for_all(slot* s) noexcept {
        bool kept = false;
        {
            const lock_guard<typename Policy::mutex> guard{store_.lock()};
            kept = !closed() && (answer_waiter(offer::object, s) || store_.keep_for_all(store_.here(), s));
        }
        if (!kept) {
            destroy(s);
        }
        return kept;
    }

    /// A place for a new slot, as `take_slow` gives one. @returns false when the limit is reached
    bool try_take_place() noexcept {
        const lock_guard<typename Policy::mutex> guard{store_.lock()};
        return take_place();
    }

    /// A new slot is in its place. Until `destroy` it keeps the core alive.
    void count_new() noexcept { created_.fetch_add(1, std::memory_order_relaxed); }

    /// No slot came into the place; perhaps this ends the core.
    void give_up_place() noexcept {
        pass_place_on();
        drop_reference();
    }

    /// An object is gone: another one may be made in its place.
    void pass_place_on() noexcept {
        if (limit_ == 0) {
            return;
        }
        const lock_guard<typename Policy::mutex> guard{store_.lock()};
        if (!answer_waiter(offer::place)) {
            --objects_;
        }
    }

    /// Destroys a slot that is not idle; perhaps the core with it.
    void destroy(slot* s) noexcept {
        const bool has_object = s->state() != recycled_state::hollow;
        dispose(s);
        if (has_object) {
            pass_place_on();
        }
        drop_reference();
    }

    /// Destroys all idle slots, whichever thread caches them. @returns how many
    std::size_t trim() noexcept {
        slot* all = nullptr;
        {
            const lock_guard<typename Policy::mutex> guard{store_.lock()};
            all = store_.take_all();
        }
        return destroy_chain(all);
    }

    /// The end of the recycler: destroys all idle slots, and from now on every one that comes back. Threads that
    /// wait get nothing. The core goes with the last slot.
    void close() noexcept {
        slot* all = nullptr;
        {
            const lock_guard<typename Policy::mutex> guard{store_.lock()};
            all = store_.close();
            while (answer_waiter(offer::nothing)) {
            }
        }
        destroy_chain(all);
        drop_reference();
    }

    [[nodiscard]] bool closed() const noexcept { return store_.closed(); }
    [[nodiscard]] std::size_t capacity() const noexcept { return store_.capacity(); }
    [[nodiscard]] std::size_t limit() const noexcept { return limit_; }

    [[nodiscard]] recycler_counts counts() const noexcept {
        const lock_guard<typename Policy::mutex> guard{store_.lock()};
        const std::size_t others = waiting_ + (closed() ? 0 : 1);
        const std::size_t references = references_.load(std::memory_order_relaxed);
        return {.idle = store_.idle(),
                .slot_count = references > others ? references - others : 0,
                .created = created_.load(std::memory_order_relaxed),
                .threads = store_.threads(),
                .waiting = waiting_,
                .steals = store_.steals()};
    }
    [[nodiscard]] std::size_t idle() const noexcept { return counts().idle; }
    [[nodiscard]] std::size_t slot_count() const noexcept { return counts().slot_count; }
    [[nodiscard]] std::size_t created() const noexcept { return counts().created; }
    [[nodiscard]] std::size_t threads() const noexcept { return counts().threads; }

    /// Slots of the pool of `d` that are idle, in whichever recycler: the pool counts them as live.
    [[nodiscard]] static std::size_t idle_in(const depot<Policy>& d) noexcept {
        std::size_t sum = 0;
        registry::process().any([&](const recycler_core& c) {
            sum += c.has_memory_in(d) ? c.idle() : 0;
            return false;
        });
        return sum;
    }

    /// Adds those slots. False when there is no memory for them.
    static bool append_idle_in(const depot<Policy>& d, pointer_set<typename Policy::pages>& set) noexcept {
        return !registry::process().any([&](recycler_core& c) {
            return c.has_memory_in(d) && !c.append_idle(set); // ends the search
        });
    }

protected:
    virtual ~recycler_core() { registry::leave(*this); }

    /// Destroys the object, unless the slot is hollow, and frees the slot's memory.
    virtual void dispose(slot* s) noexcept = 0;

private:
    friend registry;

    [[LINN_DETAIL_NOINLINE]] void put_slow(slot* s) noexcept {
        if (!keep(s)) {
            destroy(s);
        }
    }

    /// @returns false if there is no room, or the recycler is gone
    bool keep(slot* s) noexcept {
        front* f = nullptr;
        if (store_.put_attached(f, s)) {
            return true;
        }
        const lock_guard<typename Policy::mutex> guard{store_.lock()};
        return !closed() && (answer_waiter(offer::object, s) || store_.keep(f, s));
    }

    /// @pre the mutex is held
    bool take_place() noexcept {
        if (limit_ != 0) {
            if (objects_ == limit_) {
                return false;
            }
            ++objects_;
        }
        add_reference();
        return true;
    }

    /// Answers the thread that has waited longest. @pre the mutex is held @returns false when none waits
    bool answer_waiter(offer what, slot* s = nullptr) noexcept {
        waiter* w = waiters_.pop_front();
        if (w == nullptr) {
            return false;
        }
        w->given = s;
        w->wake(what);
        return true;
    }

    /// Waits for what the waiter is given, if anything.
    offer wait(waiter& me, slot*& s, std::uint64_t until) noexcept {
        offer what = offer::waits;
        bool ended = false;
        for (bool in_time = true; what == offer::waits;) {
            in_time = in_time && me.sleep(until);
            const lock_guard<typename Policy::mutex> guard{store_.lock()};
            what = me.offer();
            if (what == offer::waits) {
                if (in_time) {
                    continue;
                }
                waiters_.remove(&me);
                what = offer::nothing;
            }
            store_.unbar();
            --waiting_;
            ended = closed();
        }
        s = me.given;
        if (what == offer::place) {
            if (!ended) {
                return what; // with the reference of the waiter
            }
            what = offer::nothing; // what makes objects may be gone with the recycler
        }
        drop_reference();
        return what;
    }

    std::size_t destroy_chain(slot* s) noexcept {
        std::size_t n = 0;
        while (s != nullptr) {
            slot* next = s->next;
            destroy(s);
            s = next;
            ++n;
        }
        return n;
    }

    void add_reference() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }

    void drop_reference() noexcept {
        note_release(&references_);
        // acq_rel: pairs with itself in the other threads: the last one sees all that they did
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            note_acquire(&references_);
            delete this;
        }
    }

    [[nodiscard]] bool has_memory_in(const depot<Policy>& d) const noexcept {
        // relaxed: only compared
        return memory_ != nullptr &&
               memory_->load(std::memory_order_relaxed) == reinterpret_cast<std::uintptr_t>(&d);
    }

    bool append_idle(pointer_set<typename Policy::pages>& set) noexcept {
        const lock_guard<typename Policy::mutex> guard{store_.lock()};
        store_.close_fronts(nullptr);
        bool complete = true;
        store_.for_each_in_depot([&](slot* s) { complete = complete && set.insert(s); });
        return complete;
    }

    void lock_for_fork() noexcept { store_.lock_for_fork(); }
    void unlock_in_parent() noexcept { store_.unlock_in_parent(); }

    /// What the other threads had out stays out.
    void unlock_in_child() noexcept {
        references_.fetch_sub(waiting_, std::memory_order_relaxed);
        waiting_ = 0;
        waiters_ = {};
        store_.unlock_in_child();
    }

    template <class T>
    using atomic = typename Policy::template atomic<T>;

    const std::size_t limit_;
    const depot_place<Policy>* const memory_;

    idle_store<Policy, slot> store_; ///< its lock guards the next four, too
    /// In the order in which they came.
    linked_list<waiter, &waiter::next, &waiter::previous> waiters_;
    std::size_t waiting_ = 0; ///< threads that are in `waiters_` or were answered; each has a reference
    std::size_t objects_ = 0; ///< that exist or are being made; 0 when there is no limit

    atomic<std::size_t> references_{1}; ///< slots, places for one, waiters, and the recycler while it exists
    atomic<std::size_t> created_{0};
};

} // namespace linn::inline LINN_ABI::detail

#endif
