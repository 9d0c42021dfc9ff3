// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_STORE_HPP
#define LINN_DETAIL_SYNC_IDLE_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/sync/biased_lock.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/thread_index.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// A stack of items, as a list through their member `next`.
template <class Item>
class linked_stack {
public:
    constexpr linked_stack() = default;
    linked_stack(const linked_stack&) = delete;
    linked_stack& operator=(const linked_stack&) = delete;

    [[nodiscard]] std::size_t size() const noexcept { return size_; }

    /// Puts `n` items on top, the last one topmost.
    void push(void* const* from, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            auto* const item = static_cast<Item*>(from[i]);
            item->next = top_;
            top_ = item;
        }
        size_ += n;
    }

    /// Takes the `n` topmost into `to`, in the order in which they were put. @pre `n <= size()`
    void pop(void** to, std::size_t n) noexcept {
        size_ -= n;
        while (n != 0) {
            to[--n] = top_;
            top_ = top_->next;
        }
    }

    /// Takes all, as a chain.
    Item* take_all() noexcept {
        Item* const all = top_;
        top_ = nullptr;
        size_ = 0;
        return all;
    }

    template <class Visit>
    void for_each(Visit&& visit) const {
        for (Item* item = top_; item != nullptr; item = item->next) {
            visit(item);
        }
    }

private:
    Item* top_ = nullptr;
    std::size_t size_ = 0;
};

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

    [[LINN_DETAIL_ALWAYS_INLINE]] bool pop(Item*& s) noexcept {
        void* p;
        if (!try_pop(p)) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        s = static_cast<Item*>(p);
        return true;
    }
    /// The same, for an owner that wants to know how often that was.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool pop_counted(Item*& s) noexcept {
        if (!pop(s)) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        taken.store(taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        return true;
    }
    [[LINN_DETAIL_ALWAYS_INLINE]] bool push(Item* s) noexcept { return try_push(s); }

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

/// After a steal so many calls share the depot before threads cache again: what a steal costs is paid
/// once in so many calls that take the lock, however objects move between threads.
struct sharing_span {
    std::size_t first; ///< when the last steal is long ago
    std::size_t most;  ///< when one follows another
};
template <class Policy>
inline constexpr sharing_span shared_after_steal{64, 512};

/// Where what is idle lies, the slots of a recycler or the buffers of a pool: in the depot, a stack, and in the fronts of
/// threads that are open.
///
/// `slots in the depot <= capacity - reserved`, `reserved = sum of the limits of the open fronts`; after `put` there may be more.
///
/// A thread that finds neither a slot nor room closes the fronts of all others and looks again: so "none is idle" and
/// "`capacity` are idle" are true at one moment, when this class says it. Closed fronts open again one by one, when
/// their threads come by; not at once, or two threads could steal from each other at each call.
///
/// The caller holds `lock()`, which also guards what the owner of the store has, except where another thing is said.
///
/// @tparam Item has a member `next`, used while it is in no front
/// @tparam Few where items are few, what one thread has ahead another one misses: fronts hold only what their threads gave back, so
///         a thread has no more in the end than it once used at the same time; and it is counted how often one goes out again.
///         Otherwise a thread that finds its front empty fills half of it
template <class Policy, class Item, class Mutex = typename Policy::mutex, bool Few = false>
class idle_store {
public:
    using slot = Item;
    using front = idle_front<Policy, Item>;
    using table = thread_index_table<Policy>;

    /// @param asymmetric whether `enable_thread_barrier` returned true
    /// @param owner takes part in forks, and calls the functions for them
    idle_store(std::size_t capacity, bool asymmetric, fork_stopper& owner) noexcept
        : home_table_{&table::process()},
          capacity_{capacity},
          asymmetric_{asymmetric},
          lock_{owner} {}
    idle_store(const idle_store&) = delete;
    idle_store& operator=(const idle_store&) = delete;
    ~idle_store() {
        for_each_front([](front& f) { free_front(&f); });
        while (front* f = spare_fronts_) {
            spare_fronts_ = f->next_spare;
            free_front(f);
        }
    }

    Mutex& lock() const noexcept { return lock_; }

    // -- without the lock --------------------------------------------------------------------------

    /// An item from the front of the calling thread, the one that came back last. False when it has none.
    /// @complexity no call, no locked instruction
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_take(slot*& s) noexcept {
        front* f = here();
        return f != nullptr && f->lock.try_enter() && take_inside(*f, s);
    }
    /// Puts an item into the front of the calling thread. False when it has no room.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_put(slot* s) noexcept {
        front* f = here();
        return f != nullptr && f->lock.try_enter() && put_inside(*f, s);
    }
    /// As `try_take`, when that found nothing: for a lock that is symmetric. Leaves in `f` the front, which is made if the thread
    /// has none; null for threads without a number, for a closed store, and where the capacity is too small to share.
    bool take_attached(front*& f, slot*& s) noexcept {
        f = attach();
        return f != nullptr && f->lock.try_enter_symmetric() && take_inside(*f, s);
    }
    /// The same to put one.
    bool put_attached(front*& f, slot* s) noexcept {
        f = attach();
        return f != nullptr && f->lock.try_enter_symmetric() && put_inside(*f, s);
    }

    /// The front of the calling thread, if it has one here. A thread of another module has a number of
    /// another table, which means nothing here.
    [[LINN_DETAIL_ALWAYS_INLINE]] front* here() noexcept {
        if (home_table_ != &table::process()) [[LINN_DETAIL_UNLIKELY]] {
            return nullptr;
        }
        // relaxed: only the thread that has the number writes this place, and the table orders it
        // after the threads that had the number before
        return fronts_[shown_thread_index<Policy>()].load(std::memory_order_relaxed);
    }

    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_.load(std::memory_order_relaxed); }
    /// Whether nothing is kept any more. A thread that needs to know takes the lock.
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

    // -- with it -----------------------------------------------------------------------------------

    /// An idle slot from the front of the calling thread, which may be null, the depot or other fronts.
    /// @returns false when none is idle
    bool find(front* own, slot*& s) noexcept {
        if (own != nullptr &&
            own->pop(s)) { // it was inherited a moment ago, or stolen from and is open again
            return true;
        }
        note_call();
        if (depot_.size() == 0) {
            steal(own);
        }
        if (depot_.size() == 0) {
            return false;
        }
        if (!Few && own != nullptr && !shares() && (own->is_open() || open(*own))) {
            if (own->count() == 0) {
                const std::size_t half = (own->capacity() + 1) / 2;
                fill(*own, depot_.size() < half ? depot_.size() : half);
            }
            return own->pop(s);
        }
        s = pop();
        return true;
    }

    /// Keeps a slot in the front of the calling thread, which may be null, or in the depot.
    /// @returns false when `capacity` are idle
    bool keep(front* own, slot* s) noexcept {
        note_call();
        return keep_here(own, s) || (steal(own) && keep_here(own, s));
    }

    /// Keeps a slot in the depot rather than in the front. @returns as `keep`
    bool keep_for_all(front* own, slot* s) noexcept {
        return push(s) || (steal(own) && push(s)) || (own != nullptr && own->push(s));
    }

    /// Keeps a slot in the depot, also beyond the capacity.
    void put(void* s) noexcept { depot_.push(&s, 1); }

    /// Closes all fronts but `own`: all that they held, slots and room, is in the depot then.
    /// @returns false when they are closed already
    /// @complexity a system call and O(threads), when one is open
    bool close_fronts(const front* own) noexcept {
        if (open_fronts_ == (own != nullptr && own->is_open() ? 1U : 0U)) {
            return false;
        }
        for_each_front([own](front& f) {
            if (&f != own && f.is_open()) {
                f.lock.revoke();
            }
        });
        biased_lock<Policy>::barrier(asymmetric_);
        for_each_front([this, own](front& f) {
            if (&f != own && f.is_open()) {
                f.lock.await();
                depot_.push(f.places, f.count());
                reserved_ -= f.capacity();
                f.close();
                --open_fronts_;
            }
        });
        return true;
    }

    /// Closes all fronts until `unbar` is called as often.
    void bar() noexcept {
        close_fronts(nullptr);
        ++barred_;
    }
    /// In the child of a fork also for a `bar` that `forget_threads_but` has undone.
    void unbar() noexcept { barred_ -= barred_ != 0 ? 1U : 0U; }

    /// Takes all idle slots, as a chain. All fronts are closed then.
    slot* take_all() noexcept {
        close_fronts(nullptr);
        return depot_.take_all();
    }

    /// The same for the last time: no front opens again, and nothing is kept any more.
    slot* close() noexcept {
        set_flag(closed_, true);
        return take_all();
    }

    template <class Visit>
    void for_each_in_depot(Visit&& visit) const {
        depot_.for_each(visit);
    }

    /// Keeps at least `n` from now on.
    void raise_capacity(std::size_t n) noexcept {
        if (capacity() < n) {
            set_flag(capacity_, n);
        }
    }

    [[nodiscard]] std::size_t in_depot() const noexcept { return depot_.size(); }

    /// Exact while no other thread uses the store.
    [[nodiscard]] std::size_t idle() const noexcept {
        std::size_t sum = depot_.size();
        for_each_front([&sum](const front& f) { sum += f.shown_count(); });
        return sum;
    }

    /// How often something was taken out of a front by `pop_counted`. Exact as `idle`.
    [[nodiscard]] std::size_t taken() const noexcept {
        std::size_t sum = 0;
        const auto add = [&sum](const front& f) { sum += f.taken.load(std::memory_order_relaxed); };
        for_each_front(add);
        for (const front* f = spare_fronts_; f != nullptr; f = f->next_spare) {
            add(*f);
        }
        return sum;
    }

    /// Thread numbers that have a front.
    [[nodiscard]] std::size_t threads() const noexcept {
        std::size_t n = 0;
        for_each_front([&n](const front&) { ++n; });
        return n;
    }

    /// How often a thread closed the fronts of others, to find a slot or room for one.
    [[nodiscard]] std::size_t steals() const noexcept { return steals_; }

    // -- fork --------------------------------------------------------------------------------------

    /// Also closes the fronts of the other threads: no thread is inside one, so the child has all that is idle.
    void lock_for_fork() noexcept {
        lock_.lock_for_fork();
        close_fronts(here());
    }
    void unlock_in_parent() noexcept { lock_.unlock_after_fork(); }
    /// The owner calls it last.
    void unlock_in_child() noexcept {
        forget_threads_but(here());
        lock_.reset();
    }

private:
    [[LINN_DETAIL_ALWAYS_INLINE]] static bool take_inside(front& f, slot*& s) noexcept {
        const bool found = Few ? f.pop_counted(s) : f.pop(s);
        f.lock.leave();
        return found;
    }
    [[LINN_DETAIL_ALWAYS_INLINE]] static bool put_inside(front& f, slot* s) noexcept {
        const bool kept = f.push(s);
        f.lock.leave();
        return kept;
    }

    front* attach() noexcept {
        if (race_checked() || closed()) {
            return nullptr;
        }
        const std::uint32_t index = thread_index<Policy>(); // first: there may be a front to inherit
        if (front* f = here(); f != nullptr) {
            return f;
        }
        if (home_table_ != &table::process() || index == table::most || capacity() < 4) {
            return nullptr;
        }
        front* f = spare_front();
        if (f == nullptr) {
            void* memory = ::operator new(sizeof(front), std::align_val_t{alignof(front)}, std::nothrow);
            if (memory == nullptr) {
                return nullptr;
            }
            f = ::new (memory) front{asymmetric_};
        }
        const lock_guard<Mutex> guard{lock_};
        fronts_[shown_thread_index<Policy>()].store(f, std::memory_order_relaxed);
        return f;
    }

    /// For the child of a fork, when only `own` was left open: the threads of all other fronts are gone.
    void forget_threads_but(const front* own) noexcept {
        barred_ = 0; // they do not call `unbar` any more
        for (auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr && f != own) {
                place.store(nullptr, std::memory_order_relaxed);
                f->lock.forget_owner();
                f->next_spare = spare_fronts_;
                spare_fronts_ = f;
            }
        }
    }

    bool steal(const front* own) noexcept {
        if (!close_fronts(own)) {
            return false;
        }
        constexpr sharing_span span = shared_after_steal<Policy>;
        const bool soon = calls_ < 2 * shared_span_;
        shared_span_ = !soon ? span.first : 2 * shared_span_ < span.most ? 2 * shared_span_ : span.most;
        calls_ = 0;
        ++steals_;
        return true;
    }

    void note_call() noexcept { ++calls_; }

    /// Whether threads use the depot rather than their fronts, because of a steal.
    [[nodiscard]] bool shares() const noexcept { return calls_ < shared_span_; }

    bool keep_here(front* own, slot* s) noexcept {
        if (own == nullptr || !(own->is_open() || open(*own))) {
            return push(s);
        }
        if (own->push(s)) {
            return true;
        }
        const std::size_t half = (own->capacity() + 1) / 2;
        spill(*own, room() < half ? room() : half);
        return own->push(s);
    }

    /// Opens the closed front of the calling thread if there is capacity left for it, and others need not share
    /// what it would hold. At most a quarter of the rest, so that many threads cannot leave the depot with nothing.
    bool open(front& own) noexcept {
        const std::size_t quarter = (capacity() - reserved_) / 4;
        std::size_t limit = quarter < front::most ? quarter : front::most;
        if (Few && limit > room()) {
            limit = room(); // what the depot has stays there
        }
        if (limit == 0 || shares() || barred_ != 0) {
            return false;
        }
        own.open(limit);
        reserved_ += limit;
        ++open_fronts_;
        const std::size_t rest = capacity() - reserved_;
        if (depot_.size() > rest) {
            fill(own, depot_.size() - rest); // `limit` at most
        }
        own.lock.restore();
        return true;
    }

    /// Slots that the depot may still take; none while `put` has made them more than may be.
    [[nodiscard]] std::size_t room() const noexcept {
        const std::size_t most = capacity() - reserved_;
        return depot_.size() < most ? most - depot_.size() : 0;
    }

    /// @returns false when there is no room for it
    bool push(void* s) noexcept {
        if (room() == 0) {
            return false;
        }
        put(s);
        return true;
    }

    /// The latest slot of the depot. @pre there is one
    slot* pop() noexcept {
        void* s;
        depot_.pop(&s, 1);
        return static_cast<slot*>(s);
    }

    /// Moves `n` slots from the depot into an empty front, the latest on top.
    void fill(front& own, std::size_t n) noexcept {
        depot_.pop(own.places, n);
        own.hold(n);
    }

    /// Moves the `n` slots of a full front that came back longest ago to the depot.
    void spill(front& own, std::size_t n) noexcept {
        depot_.push(own.places, n);
        const std::size_t rest = own.capacity() - n;
        std::memmove(own.places, own.places + n, rest * sizeof(void*));
        own.hold(rest);
    }

    template <class Visit>
    void for_each_front(Visit&& visit) const noexcept {
        for (const auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                visit(*f);
            }
        }
    }

    front* spare_front() noexcept {
        const lock_guard<Mutex> guard{lock_};
        front* f = spare_fronts_;
        if (f != nullptr) {
            spare_fronts_ = f->next_spare;
        }
        return f;
    }

    static void free_front(front* f) noexcept {
        ::operator delete(static_cast<void*>(f), std::align_val_t{alignof(front)});
    }

    const table* const home_table_;
    typename Policy::template atomic<std::size_t> capacity_;
    typename Policy::template atomic<bool> closed_{false};
    const bool asymmetric_;
    /// By `shown_thread_index`: the first place is that of threads that have not asked for a number yet,
    /// the last that of threads that get none. Both stay null.
    typename Policy::template atomic<front*> fronts_[table::most + 2] = {};

    mutable Mutex lock_; ///< guards what follows, and all fronts that are closed
    linked_stack<slot> depot_;
    front* spare_fronts_ = nullptr; ///< closed, of threads that a fork left behind
    std::size_t reserved_ = 0;
    std::size_t steals_ = 0;
    std::size_t barred_ = 0; ///< how many want all fronts closed
    std::uint32_t open_fronts_ = 0;
    std::size_t calls_ = 0;       ///< that came to the mutex since the last steal
    std::size_t shared_span_ = 0; ///< of these, how many share the depot
};

} // namespace linn::inline LINN_ABI::detail

#endif
