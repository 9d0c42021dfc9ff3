// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_RECYCLER_CORE_HPP
#define LINN_DETAIL_SYNC_RECYCLER_CORE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/pointer_stack.hpp>
#include <linn/detail/os/thread_barrier.hpp>
#include <linn/detail/sync/biased_lock.hpp>
#include <linn/detail/sync/fork_registry.hpp>
#include <linn/detail/sync/policy.hpp>
#include <linn/detail/sync/thread_index.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

namespace linn::inline LINN_ABI::detail {

template <class Policy>
class recycler_core;

/// Where an object of a recycler is in its life. The upper bits mark memory of a recycler, so that a
/// pointer from elsewhere is noticed.
enum class recycled_state : std::uint32_t {
    mark = 0x6c696e00,
    freed = mark | 1,  ///< no object: the memory is back in its pool
    kept = mark | 2,   ///< idle, or owned by shared_ptrs: not to be released by a plain pointer
    out = mark | 3,    ///< the user has it, in a handle or as a plain pointer
    hollow = mark | 4, ///< the object is destroyed, but a weak_ptr still uses the control block
};

/// What stands before each object. With the control block it fills a cache line.
template <class Policy>
struct recycled_slot {
    /// Room for the control block of a shared_ptr with a stateless deleter and an allocator of one
    /// pointer: 32 bytes in libstdc++, 40 in libc++.
    static constexpr std::size_t block_bytes = 48;

    recycled_slot(recycler_core<Policy>* core, recycled_state s) noexcept : home{core}, state_{s} {}

    /// Relaxed, because only misuse lets two threads come here at once; then one of them shall notice.
    [[nodiscard]] recycled_state state() const noexcept { return state_.load(std::memory_order_relaxed); }
    void become(recycled_state s) noexcept { state_.store(s, std::memory_order_relaxed); }

    recycler_core<Policy>* const home;
    typename Policy::template atomic<recycled_state> state_;
    union {
        recycled_slot* next; ///< on its way to be destroyed
        alignas(16) std::byte block[block_bytes];
    };
};

/// What one thread number of one recycler caches: the last object that came back goes out first.
///
/// Everything but `count` is touched by the thread that has the number, inside `lock` or while it
/// holds the core's mutex, and by others while they hold the mutex and have revoked `lock`. Of `count` any
/// thread may read a recent value.
template <class Policy>
struct alignas(64) recycler_front {
    static constexpr std::uint32_t most = 32;

    recycler_front(bool asymmetric, std::uint32_t slots_at_most) noexcept
        : lock{asymmetric},
          limit{slots_at_most} {}

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

    biased_lock<Policy> lock;
    const std::uint32_t limit; ///< reserved of the core's capacity
    typename Policy::template atomic<std::uint32_t> count{0};
    recycled_slot<Policy>* slots[most];
};

/// The part of a recycler that knows nothing of its type: who holds which idle slot.
///
/// It outlives its recycler until the last slot is gone, so that whatever is still out finds its way
/// home. Never more than `capacity` slots are idle: each front reserves its share when it is made,
/// and the depot has the rest.
///
/// `idle in the depot <= capacity - reserved`, `reserved = sum of the limits of all fronts`.
///
/// No object is created, destroyed or reset inside a lock: those are calls of the user's code, which may
/// use the same recycler.
template <class Policy>
class recycler_core : private in_fork_registry<recycler_core<Policy>> {
public:
    using slot = recycled_slot<Policy>;
    using front = recycler_front<Policy>;
    using table = thread_index_table<Policy>;
    using registry = fork_registry<recycler_core, typename Policy::mutex>;

    /// @param asymmetric whether `enable_thread_barrier` returned true
    recycler_core(std::size_t capacity, bool asymmetric) noexcept
        : home_table_{&table::process()},
          capacity_{capacity},
          asymmetric_{asymmetric} {
        registry::process().enter(*this);
    }
    recycler_core(const recycler_core&) = delete;
    recycler_core& operator=(const recycler_core&) = delete;

    /// An idle slot, the one that came back last. @returns false when the thread's cache has none; then
    /// `take_slow` may have one
    /// @complexity no call, no locked instruction
    [[gnu::always_inline]] bool try_take(slot*& s) noexcept {
        front* f = front_here();
        return f != nullptr && f->lock.try_enter() && take_inside(*f, s);
    }

    /// An idle slot from wherever this thread finds one; null when it finds none. @complexity a lock
    [[gnu::noinline]] slot* take_slow() noexcept {
        front* f = attach();
        slot* s = nullptr;
        if (f != nullptr && f->lock.try_enter_symmetric() && take_inside(*f, s)) {
            return s;
        }
        const lock_guard<typename Policy::mutex> guard{lock_};
        if (f == nullptr) {
            return depot_.size() != 0 ? pop() : nullptr;
        }
        if (f->count.load(std::memory_order_relaxed) == 0) {
            const std::size_t half = (f->limit + 1) / 2;
            fill(*f, static_cast<std::uint32_t>(depot_.size() < half ? depot_.size() : half));
        }
        return f->pop(s) ? s : nullptr;
    }

    /// Takes an idle slot back, or destroys it: when there is no room, or the recycler is gone.
    /// @complexity as `try_take`; a lock when the thread's cache is full
    [[gnu::always_inline]] void put(slot* s) noexcept {
        front* f = front_here();
        if (f == nullptr || !f->lock.try_enter() || !put_inside(*f, s)) [[unlikely]] {
            put_slow(s);
        }
    }

    /// As `put`, but where every thread finds it, while there is room. @returns false if it was destroyed
    bool put_for_all(slot* s) noexcept {
        {
            const lock_guard<typename Policy::mutex> guard{lock_};
            if (capacity_ - reserved() != depot_.size() && push(s)) {
                return true;
            }
        }
        const bool kept = keep(s);
        if (!kept) {
            destroy(s);
        }
        return kept;
    }

    /// Counts a new slot. Until `destroy` it keeps the core alive.
    void count_new() noexcept {
        references_.fetch_add(1, std::memory_order_relaxed);
        created_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Destroys a slot that is not idle; perhaps the core with it.
    void destroy(slot* s) noexcept {
        dispose(s);
        drop_reference();
    }

    /// Destroys all idle slots, whichever thread caches them. @returns how many
    std::size_t trim() noexcept {
        slot* all = nullptr;
        {
            const lock_guard<typename Policy::mutex> guard{lock_};
            all = collect();
            for (auto& place : fronts_) {
                if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                    f->lock.restore();
                }
            }
        }
        return destroy_chain(all);
    }

    /// The end of the recycler: destroys all idle slots, and from now on every one that comes back.
    /// The core goes with the last slot.
    void close() noexcept {
        slot* all = nullptr;
        {
            const lock_guard<typename Policy::mutex> guard{lock_};
            closed_.store(true, std::memory_order_relaxed);
            all = collect(); // and leaves all fronts revoked
        }
        destroy_chain(all);
        drop_reference();
    }

    [[nodiscard]] bool closed() const noexcept { return closed_.load(std::memory_order_relaxed); }
    [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }

    /// Slots that are idle: exact while no other thread uses the recycler.
    [[nodiscard]] std::size_t idle() const noexcept {
        const lock_guard<typename Policy::mutex> guard{lock_};
        std::size_t sum = depot_.size();
        for (const auto& place : fronts_) {
            if (const front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                sum += f->count.load(std::memory_order_relaxed);
            }
        }
        return sum;
    }

    /// Slots that exist, idle or not.
    [[nodiscard]] std::size_t slots() const noexcept {
        const std::size_t own = closed() ? 0 : 1;
        const std::size_t n = references_.load(std::memory_order_relaxed);
        return n > own ? n - own : 0;
    }

    /// Objects made so far.
    [[nodiscard]] std::size_t created() const noexcept { return created_.load(std::memory_order_relaxed); }

    /// Thread numbers that have a cache here.
    [[nodiscard]] std::size_t threads() const noexcept {
        const lock_guard<typename Policy::mutex> guard{lock_};
        std::size_t n = 0;
        for (const auto& place : fronts_) {
            n += place.load(std::memory_order_relaxed) != nullptr ? 1U : 0U;
        }
        return n;
    }

protected:
    virtual ~recycler_core() {
        registry::leave(*this);
        for (auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                free_front(f);
            }
        }
    }

    /// Destroys the object, unless the slot is hollow, and frees the slot's memory.
    virtual void dispose(slot* s) noexcept = 0;

private:
    friend registry;

    /// The front of the calling thread, if it has one here. A thread of another module has a number of
    /// another table, which means nothing here.
    [[gnu::always_inline]] front* front_here() noexcept {
        if (home_table_ != &table::process()) [[unlikely]] {
            return nullptr;
        }
        // relaxed: only the thread that has the number writes this place, and the table orders it
        // after the threads that had the number before
        return fronts_[this_thread_index<Policy>].load(std::memory_order_relaxed);
    }

    [[gnu::noinline]] void put_slow(slot* s) noexcept {
        if (!keep(s)) {
            destroy(s);
        }
    }

    /// @returns false if there is no room, or the recycler is gone
    bool keep(slot* s) noexcept {
        front* f = attach();
        if (f != nullptr && f->lock.try_enter_symmetric() && put_inside(*f, s)) {
            return true;
        }
        const lock_guard<typename Policy::mutex> guard{lock_};
        if (closed()) {
            return false;
        }
        const std::size_t room = capacity_ - reserved() - depot_.size();
        if (f == nullptr) {
            return room != 0 && push(s);
        }
        if (f->count.load(std::memory_order_relaxed) == f->limit) {
            const std::size_t half = (f->limit + 1) / 2;
            spill(*f, static_cast<std::uint32_t>(room < half ? room : half));
        }
        return f->push(s);
    }

    /// What is done inside a front's lock, and the way out of it.
    [[gnu::always_inline]] static bool take_inside(front& f, slot*& s) noexcept {
        const bool found = f.pop(s);
        f.lock.leave();
        return found;
    }
    [[gnu::always_inline]] static bool put_inside(front& f, slot* s) noexcept {
        const bool kept = f.push(s);
        f.lock.leave();
        return kept;
    }

    /// The front of the calling thread, made if there is capacity left for it. A quarter of what is
    /// left at most, so that many threads cannot leave the depot with nothing.
    front* attach() noexcept {
        const std::uint32_t index = thread_index<Policy>(); // first: there may be a front to inherit
        if (front* f = front_here(); f != nullptr) {
            return f;
        }
        if (home_table_ != &table::process() || index == table::most || share() == 0) {
            return nullptr;
        }
        void* memory = ::operator new(sizeof(front), std::align_val_t{alignof(front)}, std::nothrow);
        if (memory == nullptr) {
            return nullptr;
        }
        const lock_guard<typename Policy::mutex> guard{lock_};
        const std::uint32_t limit = closed() ? 0 : share();
        auto* f = ::new (memory) front{asymmetric_, limit};
        if (limit == 0) {
            free_front(f);
            return nullptr;
        }
        reserved_.store(reserved() + limit, std::memory_order_relaxed);
        const std::size_t room = capacity_ - reserved();
        if (depot_.size() > room) {
            fill(*f, static_cast<std::uint32_t>(depot_.size() - room)); // `limit` at most
        }
        fronts_[this_thread_index<Policy>].store(f, std::memory_order_relaxed);
        return f;
    }

    [[nodiscard]] std::uint32_t share() const noexcept {
        const std::size_t quarter = (capacity_ - reserved()) / 4;
        return closed() ? 0 : quarter < front::most ? static_cast<std::uint32_t>(quarter) : front::most;
    }

    [[nodiscard]] std::size_t reserved() const noexcept { return reserved_.load(std::memory_order_relaxed); }

    static void free_front(front* f) noexcept {
        ::operator delete(static_cast<void*>(f), std::align_val_t{alignof(front)});
    }

    /// @returns false when there is no memory to note it in
    bool push(slot* s) noexcept { return depot_.push(&s, 1) == 1; }

    slot* pop() noexcept {
        slot* s = nullptr;
        depot_.pop(&s, 1);
        return s;
    }

    /// Moves `n` slots from the depot into an empty front, the latest on top.
    void fill(front& f, std::uint32_t n) noexcept {
        depot_.pop(f.slots, n);
        f.count.store(n, std::memory_order_relaxed);
    }

    /// Moves the `n` slots of a full front that came back longest ago to the depot, or fewer when there
    /// is no memory to note them in.
    void spill(front& f, std::uint32_t n) noexcept {
        const auto moved = static_cast<std::uint32_t>(depot_.push(f.slots, n));
        const std::uint32_t rest = f.limit - moved;
        std::memmove(f.slots, f.slots + moved, rest * sizeof(slot*));
        f.count.store(rest, std::memory_order_relaxed);
    }

    /// All idle slots as a chain. Leaves the fronts empty and revoked. @pre the mutex is held
    slot* collect() noexcept {
        slot* all = nullptr;
        for (auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                f->lock.revoke();
            }
        }
        biased_lock<Policy>::barrier(asymmetric_);
        for (auto& place : fronts_) {
            if (front* f = place.load(std::memory_order_relaxed); f != nullptr) {
                f->lock.await();
                for (slot* s = nullptr; f->pop(s);) {
                    s->next = all;
                    all = s;
                }
            }
        }
        while (depot_.size() != 0) {
            slot* s = pop();
            s->next = all;
            all = s;
        }
        return all;
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

    void drop_reference() noexcept {
        // acq_rel: pairs with itself in the other threads: whoever is last sees all that they did
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete this;
        }
    }

    void lock_for_fork() noexcept { detail::lock_for_fork(lock_); }
    void unlock_in_parent() noexcept { unlock_after_fork(lock_); }
    void unlock_in_child() noexcept {
        forget_fronts_but(home_table_ == &table::process() ? this_thread_index<Policy> : 0); // 0: nobody's
        lock_.reset();
    }

    /// For the child of a fork. The other threads are gone, and one of them may have been inside its front: what they
    /// cached is lost, and threads that get their numbers find nothing.
    void forget_fronts_but(std::uint32_t survivor) noexcept {
        for (std::uint32_t i = 0; i != table::most + 2; ++i) {
            front* f = fronts_[i].load(std::memory_order_relaxed);
            if (f == nullptr || i == survivor) {
                continue;
            }
            fronts_[i].store(nullptr, std::memory_order_relaxed);
            reserved_.store(reserved() - f->limit, std::memory_order_relaxed);
            // Nobody will ever destroy those slots, nor may they keep the core alive.
            references_.fetch_sub(f->count.load(std::memory_order_relaxed), std::memory_order_relaxed);
        }
    }

    template <class T>
    using atomic = typename Policy::template atomic<T>;

    const table* const home_table_;
    const std::size_t capacity_;
    const bool asymmetric_;
    atomic<bool> closed_{false};
    /// By `this_thread_index`: the first place is that of threads that have not asked for a number yet,
    /// the last that of threads that get none. Both stay null.
    atomic<front*> fronts_[table::most + 2] = {};

    mutable typename Policy::mutex lock_; ///< guards what follows, and all fronts that are revoked
    pointer_stack<slot> depot_;
    atomic<std::size_t> reserved_{0};   ///< written under the lock
    atomic<std::size_t> references_{1}; ///< slots that exist, and one for the recycler while it does
    atomic<std::size_t> created_{0};
};

} // namespace linn::inline LINN_ABI::detail

#endif
