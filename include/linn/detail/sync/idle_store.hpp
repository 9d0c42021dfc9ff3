// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_IDLE_STORE_HPP
#define LINN_DETAIL_SYNC_IDLE_STORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/slot_cache.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/biased_lock.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/detail/sync/thread_exit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
class idle_store;

/// What is idle from time to time: the head of a recycler's slot, or the descriptor of a buffer.
template <class Policy>
struct idle_item {
    idle_store<Policy>* home;  ///< the object that it is of
    idle_item* next = nullptr; ///< in the depot, or on its way to be destroyed
};

/// After a steal so many calls that take the lock share the depot before threads cache again: what a steal costs is paid
/// once in so many, however objects move between threads.
template <class Policy>
inline constexpr std::size_t shared_after_steal = 512;

/// Where what is idle lies, the slots of a recycler or the buffers of a pool: in the depot, a stack, and in the fronts of
/// threads that are open.
///
/// `items in the depot <= capacity - reserved`, `reserved = sum of the limits of the open fronts`.
///
/// A thread that finds neither an item nor room closes the fronts of all others and looks again: so "none is idle" and
/// "`capacity` are idle" are true at one moment, when this class says it. Closed fronts open again one by one, when
/// their threads come by; not at once, or two threads could steal from each other at each call.
///
/// Where items are `few`, what one thread has ahead another one misses: fronts hold only what their threads gave back. Otherwise a
/// thread that finds its front empty fills half of it.
///
/// Where the system has no `thread_barrier`, no thread has a front.
///
/// The caller holds `lock_`, except where another thing is said.
template <class Policy>
class idle_store {
public:
    using item = idle_item<Policy>;

    /// An item from the front of the calling thread, the one that came back last. False when it has none.
    /// @param counts whether `front::taken` does
    /// @complexity no call, no locked instruction
    /// @threads any, without the lock
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_take(item*& s, bool counts = false) noexcept {
        front* f = here();
        if (f == nullptr || !f->lock.try_enter()) {
            return false;
        }
        const bool found = f->pop(s);
        if (counts && found) {
            f->taken.store(f->taken.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        f->lock.leave();
        return found;
    }

    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_.load(std::memory_order_relaxed); }
    /// Whether nothing is kept any more. A thread that needs to know takes the lock.
    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

protected:
    using table = thread_index_table<Policy>;
    using mutex_type = typename Policy::mutex;
    template <class T>
    using atomic = typename Policy::template atomic<T>;

    /// What one thread number caches: the last item that came back goes out first.
    ///
    /// A front is open or closed. Its thread uses an open one without the store's mutex. A closed one is all zero, so empty and
    /// full, and its `lock` is revoked, so that the thread comes to the mutex. Only the thread that has the number opens it; any
    /// thread closes it, under the mutex.
    ///
    /// All is touched by the thread that has the number, inside `lock` or while it holds the store's mutex, and by others while
    /// they hold the mutex and have revoked `lock`. Any thread may ask for `shown_count` and `taken`.
    struct alignas(64) front : slot_cache {
        static constexpr std::size_t most = 32;

        front() noexcept { lock.revoke(); }

        [[LINN_DETAIL_ALWAYS_INLINE]] bool pop(item*& s) noexcept {
            void* p;
            if (!this->try_pop(p)) [[LINN_DETAIL_UNLIKELY]] {
                return false;
            }
            s = static_cast<item*>(p);
            return true;
        }

        [[nodiscard]] bool is_open() const noexcept { return this->has_places(); }

        biased_lock<Policy> lock;
        atomic<bool> vacant{false};   ///< its thread is not in this child of a fork
        atomic<std::size_t> taken{0}; ///< how often something went out without the mutex, where that counts
        void* places[most];
    };

    /// @param owner takes part in forks, and calls the functions for them
    idle_store(std::size_t capacity, bool few, fork_stopper& owner) noexcept
        : home_table_{&table::process()},
          few_{few},
          capacity_{capacity},
          lock_{owner} {}
    idle_store(const idle_store&) = delete;
    idle_store& operator=(const idle_store&) = delete;
    ~idle_store() {
        for_each_front([](front& f) { delete &f; });
    }

    // -- without the lock --------------------------------------------------------------------------

    /// Puts an item into the front of the calling thread. False when it has no room.
    [[LINN_DETAIL_ALWAYS_INLINE]] bool try_put(item* s) noexcept {
        front* f = here();
        if (f == nullptr || !f->lock.try_enter()) {
            return false;
        }
        const bool kept = f->try_push(s);
        f->lock.leave();
        return kept;
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

    /// The front of the calling thread, which is made if it has none; null for threads without a number, for a closed store, and
    /// where the capacity is too small to share.
    front* attach() noexcept {
        if (!may_cache_ || race_checked() || closed()) {
            return nullptr;
        }
        const std::uint32_t index = thread_index<Policy>(); // first: there may be a front to inherit
        if (front* f = here(); f != nullptr) {
            f->vacant.store(false, std::memory_order_relaxed);
            return f;
        }
        if (home_table_ != &table::process() || index == table::most || capacity() < 4) {
            return nullptr;
        }
        auto* f = ::new (std::nothrow) front;
        if (f != nullptr) {
            const lock_guard<mutex_type> guard{lock_};
            fronts_[shown_thread_index<Policy>()].store(f, std::memory_order_relaxed);
        }
        return f;
    }

    // -- with it -----------------------------------------------------------------------------------

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
        if (in_depot_ == 0) {
            steal(own);
        }
        if (in_depot_ == 0) {
            return false;
        }
        if (!few_ && own != nullptr && !shares() && (own->is_open() || open(*own))) {
            if (own->count() == 0) {
                const std::size_t half = (own->capacity() + 1) / 2;
                fill(*own, in_depot_ < half ? in_depot_ : half);
            }
            return own->pop(s);
        }
        void* latest;
        pop(&latest, 1);
        s = static_cast<item*>(latest);
        return true;
    }

    /// Keeps an item in the front of the calling thread, which may be null, or in the depot.
    /// @returns false when `capacity` are idle
    bool keep(front* own, item* s) noexcept { return keep_here(own, s) || (steal(own) && keep_here(own, s)); }

    /// Keeps an item in the depot rather than in a front. @returns as `keep`
    bool keep_for_all(item* s) noexcept { return try_push(s) || (steal(nullptr) && try_push(s)); }

    /// Closes all fronts but `own`: all that they held, items and room, is in the depot then.
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
        thread_barrier();
        for_each_front([this, own](front& f) {
            if (&f != own && f.is_open()) {
                f.lock.await();
                push(f.places, f.count());
                reserved_ -= f.capacity();
                f.top = f.bottom = f.limit = slot_place::none;
                --open_fronts_;
            }
        });
        return true;
    }

    /// Exact while no other thread uses the store.
    [[nodiscard]] std::size_t sum_idle() const noexcept {
        std::size_t sum = in_depot_;
        for_each_front([&sum](const front& f) { sum += f.shown_count(front::most); });
        return sum;
    }

    template <class Visit>
    void for_each_front(Visit&& visit) const noexcept {
        for (const auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                visit(*f);
            }
        }
    }

    // -- fork --------------------------------------------------------------------------------------

    /// Also closes the fronts of the other threads: no thread is inside one, so the child has all that is idle.
    void lock_for_fork() noexcept {
        lock_.lock_for_fork();
        close_fronts(here());
    }
    void unlock_in_parent() noexcept { lock_.unlock_after_fork(); }
    /// The fronts of the threads that are gone stay, closed, for threads that get their numbers.
    void unlock_in_child() noexcept {
        waiting_ = 0;
        for_each_front([own = here()](front& f) {
            if (&f != own) {
                f.lock.forget_owner();
                f.vacant.store(true, std::memory_order_relaxed);
            }
        });
        lock_.reset();
    }

private:
    bool steal(const front* own) noexcept {
        if (!close_fronts(own)) {
            return false;
        }
        shared_calls_ = shared_after_steal<Policy>;
        ++steals_;
        return true;
    }

    /// Whether threads use the depot rather than their fronts, because of a steal.
    [[nodiscard]] bool shares() const noexcept { return shared_calls_ != 0; }

    bool keep_here(front* own, item* s) noexcept {
        if (own == nullptr || !(own->is_open() || open(*own))) {
            return try_push(s);
        }
        if (own->try_push(s)) {
            return true;
        }
        const std::size_t half = (own->capacity() + 1) / 2;
        const std::size_t n = room() < half ? room() : half;
        push(own->places, n);
        own->drop_oldest(n);
        return own->try_push(s);
    }

    /// Opens the closed front of the calling thread if there is capacity left for it, and others need not share
    /// what it would hold. At most a quarter of the rest, so that many threads cannot leave the depot with nothing.
    bool open(front& own) noexcept {
        const std::size_t quarter = (capacity() - reserved_) / 4;
        const std::size_t most = quarter < front::most ? quarter : front::most;
        const std::size_t limit =
            few_ && most > room() ? room() : most; // what the depot has of few stays there
        if (limit == 0 || shares() || waiting_ != 0) {
            return false;
        }
        own.use(own.places, 0, limit);
        reserved_ += limit;
        ++open_fronts_;
        const std::size_t rest = capacity() - reserved_;
        if (in_depot_ > rest) {
            fill(own, in_depot_ - rest); // `limit` at most
        }
        own.lock.restore();
        return true;
    }

    /// Items that the depot may still take.
    [[nodiscard]] std::size_t room() const noexcept { return capacity() - reserved_ - in_depot_; }

    /// @returns false when there is no room for it
    bool try_push(void* s) noexcept {
        if (room() == 0) {
            return false;
        }
        push(&s, 1);
        return true;
    }

    /// Puts `n` items into the depot, the last one topmost.
    void push(void* const* from, std::size_t n) noexcept {
        for (std::size_t i = 0; i != n; ++i) {
            auto* const s = static_cast<item*>(from[i]);
            s->next = top_;
            top_ = s;
        }
        in_depot_ += n;
    }

    /// Takes the `n` topmost of the depot into `to`, in the order in which they were put. @pre there are as many
    void pop(void** to, std::size_t n) noexcept {
        in_depot_ -= n;
        while (n != 0) {
            to[--n] = top_;
            top_ = top_->next;
        }
    }

    /// Moves `n` items from the depot into an empty front, the latest on top.
    void fill(front& own, std::size_t n) noexcept {
        pop(own.places, n);
        own.use(own.places, n, own.capacity());
    }

    const table* const home_table_;
    const bool few_;

protected:
    atomic<std::size_t> capacity_; ///< never less than it was
    atomic<bool> closed_{false};

private:
    const bool may_cache_ = enable_thread_barrier();
    /// By `shown_thread_index`: the first place is that of threads that have not asked for a number yet,
    /// the last that of threads that get none. Both stay null.
    atomic<front*> fronts_[table::most + 2] = {};

protected:
    /// Guards what follows, what the derived class says, and all fronts that are closed.
    mutable mutex_type lock_;
    item* top_ = nullptr; ///< of the depot
    std::size_t in_depot_ = 0;
    std::size_t waiting_ = 0;   ///< threads that wait for an item: until they have one, no front opens
    std::size_t steals_ = 0;    ///< times that a thread closed the fronts of others, for an item or for room
    std::size_t visits_ = 0;    ///< calls that took the lock
    std::size_t contended_ = 0; ///< of these, the ones that found it taken

private:
    std::size_t reserved_ = 0;
    std::uint32_t open_fronts_ = 0;
    std::size_t shared_calls_ = 0; ///< so many calls that take the lock use the depot, because of a steal
};

} // namespace linn::inline LINN_ABI::detail

#endif
