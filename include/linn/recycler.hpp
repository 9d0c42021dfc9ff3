// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_RECYCLER_HPP
#define LINN_RECYCLER_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/construct.hpp>
#include <linn/detail/core/nanoseconds.hpp>
#include <linn/detail/core/recycled_object.hpp>
#include <linn/detail/core/type_name.hpp>
#include <linn/detail/sync/misuse.hpp>
#include <linn/detail/sync/parking.hpp>
#include <linn/detail/sync/recycler_core.hpp>
#include <linn/detail/sync/recycler_slot.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// Objects that stay constructed between uses, so that what they own stays too: the buffers of a
/// vector, an open file, a parsed table. A pool keeps memory, a recycler keeps objects.

namespace linn::inline LINN_ABI {

/// What a `recycler` is made with.
template <class T>
struct recycler_options {
    /// Idle objects kept at most, those in the caches of all threads included. 0: none is kept.
    std::size_t capacity = 1024;
    /// Objects at most, idle ones and those that are out together. 0: no limit.
    std::size_t limit = 0;
    /// Objects made at once.
    std::size_t prefill = 0;
    /// Makes an object. Without it objects are default-initialised, as by `new T`: nothing is filled with
    /// zeros. Called by any thread that acquires, by several at once.
    std::function<typename detail::made_type<T>::type()> create{};
    /// Called for an object that comes back, on the thread that released it, by several threads at once.
    /// An object for which it throws is destroyed and not kept.
    std::function<void(T&)> reset{};
};

/// The numbers of one recycler.
struct recycler_statistics {
    std::string_view type;        ///< of the objects
    std::size_t object_bytes = 0; ///< sizeof(T)
    std::size_t slot_bytes = 0;   ///< what an object occupies, its control block included
    std::size_t capacity = 0;     ///< idle objects kept at most
    std::size_t limit = 0;        ///< objects at most; 0: no limit
    std::size_t idle = 0;         ///< objects that wait for their next use
    std::size_t live = 0;         ///< objects that are out, or that a weak_ptr holds back
    std::size_t created =
        0; ///< objects made so far; those of them that are neither live nor idle were destroyed
    std::size_t threads = 0; ///< thread caches
    std::size_t waiting = 0; ///< threads that wait for an object
    std::size_t steals = 0;  ///< times that a thread emptied the caches of all others, by a system call
};

template <class T>
class recycler;

/// The deleter of `recycler<T>::handle`: stateless, gives the object back to the recycler it came from.
/// @complexity that of `recycler<T>::recycle`
/// @threads any thread
template <class T>
struct recycle_delete {
    void operator()(T* object) const noexcept { recycler<T>::recycle(object); }
};

namespace detail {

template <class T>
inline constexpr std::string_view pool_name<recycler_slot<T>>{recycler_name_of<T>.text,
                                                              recycler_name_of<T>.size};

/// What a recycler owns and what its objects find their way back to.
template <class T>
class recycler_body final : public recycler_core<platform> {
public:
    using slot_type = recycler_slot<T>;
    using element = typename slot_type::element;
    using memory = pool<slot_type>;

    explicit recycler_body(recycler_options<T>&& o)
        : recycler_core{{.capacity = o.capacity,
                         .limit = o.limit,
                         .asymmetric = enable_thread_barrier(),
                         .memory = &memory::state::handle.depot}},
          create_{std::move(o.create)},
          reset_{std::move(o.reset)} {}

    /// An object that the calling thread caches. @returns false when it has none
    [[gnu::always_inline]] bool try_cached(slot_type*& s) noexcept {
        recycled_slot<platform>* head;
        if (!this->try_take(head)) [[unlikely]] {
            return false;
        }
        s = reused(head);
        return true;
    }

    /// An object from elsewhere, or a new one. Waits at the limit, until `until`; null when there is no object then,
    /// or no recycler any more.
    slot_type* acquire(std::uint64_t until) {
        recycled_slot<platform>* s = nullptr;
        switch (this->take_slow(s, until)) {
        case recycler_offer::object:
            return reused(s);
        case recycler_offer::place:
            return make();
        default:
            return nullptr;
        }
    }

    /// As `acquire(at_once)`, but null also when no object can be made.
    slot_type* try_acquire() noexcept {
#if defined(__cpp_exceptions)
        try {
            return acquire(at_once);
        } catch (...) {
            return nullptr;
        }
#else
        recycled_slot<platform>* s = nullptr;
        const recycler_offer what = this->take_slow(s, at_once);
        return what == recycler_offer::object  ? reused(s)
               : what == recycler_offer::place ? try_make()
                                               : nullptr;
#endif
    }

    /// Makes an idle object. @returns false if there is no room for it
    bool add() {
        if (!this->try_take_place()) {
            return false;
        }
        slot_type* s = make();
        s->hide();
        return this->put_for_all(&s->head);
    }

    /// The end of a use through a handle.
    static void release(T* object) noexcept {
        slot_type* s = slot_type::of(object);
        if (!slot_type::may_start_at(s) || s->head.state() != recycled_state::out) [[unlikely]] {
            refuse(s, object);
            return;
        }
        auto* home = static_cast<recycler_body*>(s->head.home);
        if (home->clean(object)) [[likely]] {
            s->head.become(recycled_state::kept);
            s->hide();
            home->put(&s->head);
        } else {
            home->destroy(&s->head);
        }
    }

    /// A shared_ptr that owns the object, its control block in the slot.
    static std::shared_ptr<T> share(slot_type* s);

    /// The last shared_ptr is gone; a weak_ptr may still use the control block.
    static void release_object(T* object) noexcept {
        slot_type* s = slot_type::of(object);
        if (static_cast<recycler_body*>(s->head.home)->clean(object)) [[likely]] {
            s->hide();
        } else {
            hollow_out(s);
        }
    }

    /// The last weak_ptr is gone too, and with it the control block.
    static void release_block(slot_type* s) noexcept {
        auto* home = s->head.home;
        if (s->head.state() != recycled_state::hollow) [[likely]] {
            home->put(&s->head);
        } else {
            home->destroy(&s->head);
        }
    }

private:
    [[gnu::returns_nonnull]] static slot_type* reused(recycled_slot<platform>* head) noexcept {
        slot_type* s = slot_type::of(head);
        s->show();
        return s;
    }

    /// Destroys an object whose slot somebody still looks at.
    [[gnu::noinline]] static void hollow_out(slot_type* s) noexcept {
        s->head.become(recycled_state::hollow);
        s->destroy();
        s->head.home->pass_place_on();
    }

    /// A new object in the place that the caller has. @throws what making one throws; the place is given up then
    slot_type* make() {
        slot_type* s = try_make();
        if (s == nullptr) {
            throw_bad_alloc();
        }
        return s;
    }

    /// As `make`, but null when there is no memory for the object itself.
    slot_type* try_make() {
        slot_type* s = memory::try_allocate();
        if (s == nullptr) {
            this->give_up_place();
            return nullptr;
        }
        ::new (static_cast<void*>(&s->head)) recycled_slot<platform>{this, recycled_state::kept};
#if defined(__cpp_exceptions)
        try {
            construct_object(s->object);
        } catch (...) {
            s->head.become(recycled_state::freed);
            memory::deallocate(s);
            this->give_up_place();
            throw;
        }
#else
        construct_object(s->object);
#endif
        s->show();
        this->count_new();
        return s;
    }

    void construct_object(void* place) {
        if constexpr (default_initialisable<element>) {
            if (!create_) {
                ::new (place) element;
                return;
            }
        }
        ::new (place) element(create_()); // no copy: what create_ returns is constructed in place
    }

    /// Makes an object fit for its next use. @returns false if it is to be destroyed instead
    bool clean(T* object) const noexcept {
        if (reset_) {
            if (this->closed()) {
                return false; // what the function refers to may be gone with the recycler
            }
#if defined(__cpp_exceptions)
            try {
                reset_(*object);
            } catch (...) {
                return false;
            }
#else
            reset_(*object);
#endif
        }
        detail::forget_control_block(object);
        return true;
    }

    void dispose(recycled_slot<platform>* head) noexcept override {
        slot_type* s = slot_type::of(head);
        s->show();
        if (s->head.state() != recycled_state::hollow) {
            s->destroy();
        }
        s->head.become(recycled_state::freed);
        memory::deallocate(s);
    }

    [[gnu::noinline, gnu::cold]] static void refuse(slot_type* s, const void* object) noexcept {
        constexpr auto mark = static_cast<std::uint32_t>(recycled_state::mark);
        const bool ours =
            slot_type::may_start_at(s) && (static_cast<std::uint32_t>(s->head.state()) & 0xffffff00U) == mark;
        report(misuse{ours ? misuse_kind::double_free : misuse_kind::foreign_pointer, pool_name<slot_type>,
                      object, 1});
    }

    const std::function<element()> create_;
    const std::function<void(T&)> reset_;
};

/// The deleter of a shared_ptr to a recycled object.
template <class T>
struct recycled_object_release {
    void operator()(T* object) const noexcept { recycler_body<T>::release_object(object); }
};

/// Gives the standard library room for the control block, in the object's slot where it fits.
template <class Block, class T>
struct control_block_allocator {
    using value_type = Block;
    static constexpr bool fits = sizeof(Block) <= recycled_slot<platform>::block_bytes &&
                                 alignof(Block) <= alignof(recycled_slot<platform>);

    recycler_slot<T>* slot;

    explicit control_block_allocator(recycler_slot<T>* s) noexcept : slot{s} {}
    template <class Other>
    control_block_allocator(const control_block_allocator<Other, T>& other) noexcept : slot{other.slot} {}

    [[nodiscard]] Block* allocate([[maybe_unused]] std::size_t n) {
        if constexpr (fits) {
            return reinterpret_cast<Block*>(slot->head.block);
        } else {
            void* p = ::operator new(n * sizeof(Block), std::align_val_t{alignof(Block)}, std::nothrow);
            if (p == nullptr) {
                throw_bad_alloc();
            }
            return static_cast<Block*>(p);
        }
    }

    void deallocate([[maybe_unused]] Block* p, std::size_t) noexcept {
        if constexpr (!fits) {
            ::operator delete(static_cast<void*>(p), std::align_val_t{alignof(Block)});
        }
        recycler_body<T>::release_block(slot);
    }

    template <class Other>
    friend bool operator==(const control_block_allocator& a,
                           const control_block_allocator<Other, T>& b) noexcept {
        return a.slot == b.slot;
    }
};

template <class T>
std::shared_ptr<T> recycler_body<T>::share(slot_type* s) {
    const auto make = [s] {
        return std::shared_ptr<T>{s->get(), recycled_object_release<T>{}, control_block_allocator<T, T>{s}};
    };
#if defined(__cpp_exceptions)
    try {
        return make();
    } catch (...) {
        release_block(s); // it did not fit and there was no memory; the object is released already
        throw;
    }
#else
    return make();
#endif
}

} // namespace detail

/// Keeps objects of T that are not in use, constructed, for their next use. Acquiring one runs no
/// constructor and releasing it no destructor, so that buffers inside T keep their capacity.
///
/// - Any thread acquires, any thread releases, in any order.
/// - An object is made only when none is idle, in the cache of whichever thread. So at no time are there more
///   objects than were out at once, plus one for each thread that was inside a call then; `prefill` apart.
/// - Never more than `capacity()` objects are idle, and one that comes back is destroyed only when so many are.
/// - With a limit there are never more objects than that: a thread waits until one comes back.
/// - The destructor destroys every idle object, also those that other threads cache. Objects that are
///   out stay valid; each is destroyed when it is released.
/// - The memory comes from `linn::pool`, and shows in `linn::statistics()` as `recycler<T>`.
///
/// An object is in the state in which it was released, or in which `reset` left it. T's destructor must
/// not throw.
///
/// @complexity constant where nothing else is said; what `create`, `reset` and T itself do comes on top
/// @threads every function: any thread, at the same time; the destructor may run while other threads
///          release, but not while they call members
/// @source the control block inside the slot: docs/design/recycler.md
/// @snippet examples/23_recycler.cpp
template <class T>
class recycler {
public:
    using value_type = T;
    using options = recycler_options<T>;
    /// Gives its object back when it is destroyed. As large as a pointer; converts to `std::shared_ptr<T>`.
    using handle = std::unique_ptr<T, recycle_delete<T>>;

    /// Keeps 1024 idle objects at most. @throws std::bad_alloc
    template <class U = T> // so that T may be incomplete where the recycler is named
        requires detail::default_initialisable<detail::made<U>>
    recycler() : recycler{options{}} {}

    /// @throws std::bad_alloc
    template <class U = T>
        requires detail::default_initialisable<detail::made<U>>
    explicit recycler(std::size_t capacity) : recycler{options{.capacity = capacity}} {}

    /// @throws std::bad_alloc, and what `create` throws when there is something to prefill;
    ///         std::bad_function_call when there is no `create` and T cannot be default-initialised
    /// @complexity O(objects to prefill)
    explicit recycler(options o) : recycler{std::move(o), o.prefill, private_tag{}} {}

    recycler(const recycler&) = delete;
    recycler& operator=(const recycler&) = delete;

    /// Destroys all idle objects, on the calling thread, and none that is out. `reset` is not called any
    /// more for those; a call that has begun on another thread may still go on.
    /// @complexity O(idle objects), and a system call
    ~recycler() { body_->close(); }

    /// An object: the one that the calling thread released last, another idle one, or a new one. When the
    /// limit is reached it waits until one comes back; threads get theirs in the order in which they came.
    ///
    /// Null only if the recycler is destroyed while this call waits, or at the limit in a handler of `pthread_atfork`.
    /// @throws std::bad_alloc, and what `create` throws; the recycler is unchanged then
    /// @complexity no lock and no locked instruction; now and then a short lock, or T's constructor; a system call
    ///             when only other threads cache objects
    [[nodiscard]] handle acquire() {
        slot* s;
        return body_->try_cached(s) ? handle{s->hand_out()} : acquire_elsewhere(detail::whenever);
    }

    /// As `acquire`, but does not wait: null when the limit is reached, there is no memory or `create` throws.
    [[nodiscard]] handle try_acquire() noexcept {
        slot* s;
        return body_->try_cached(s) ? handle{s->hand_out()} : try_acquire_elsewhere();
    }

    /// As `acquire`, but waits for `time` at most, a `std::chrono::duration`: null when no object came back until then.
    /// @throws as `acquire`
    template <detail::duration Duration>
    [[nodiscard]] handle acquire_for(const Duration& time) {
        slot* s;
        return body_->try_cached(s) ? handle{s->hand_out()} : acquire_elsewhere(moment_in(time));
    }

    /// As `acquire`, but shared. The control block lies in front of the object: nothing is allocated.
    /// `reset` runs when the last shared_ptr goes; the object is idle when the last weak_ptr is gone too.
    [[nodiscard]] std::shared_ptr<T> acquire_shared() {
        slot* s;
        return body_->try_cached(s) ? body::share(s) : acquire_shared_elsewhere(detail::whenever);
    }

    /// As `try_acquire`, but shared.
    [[nodiscard]] std::shared_ptr<T> try_acquire_shared() noexcept {
        slot* s = nullptr;
        if (!body_->try_cached(s)) {
            s = body_->try_acquire();
        }
#if defined(__cpp_exceptions)
        try {
            return shared(s);
        } catch (...) {
            return {}; // no memory for a control block that does not fit
        }
#else
        return shared(s);
#endif
    }

    /// As `acquire_for`, but shared.
    template <detail::duration Duration>
    [[nodiscard]] std::shared_ptr<T> acquire_shared_for(const Duration& time) {
        slot* s;
        return body_->try_cached(s) ? body::share(s) : acquire_shared_elsewhere(moment_in(time));
    }

    /// Gives an object back to the recycler that it came from: what a handle does, for a pointer that was
    /// taken out of one. Null is ignored.
    ///
    /// Misuse is reported and otherwise ignored: `double_free` for an object that is not out, or that
    /// shared_ptrs own; `foreign_pointer` for one that no recycler made, as far as the bytes before it tell.
    /// @complexity no lock and no locked instruction; now and then a short lock, or T's destructor
    static void recycle(T* object) noexcept {
        if (object != nullptr) {
            body::release(object);
        }
    }

    /// Makes objects until `n` are idle, or `capacity()`, or the limit is reached. @returns how many it made
    /// @throws std::bad_alloc, and what `create` throws; those that were made stay
    /// @complexity O(n), a short lock each
    std::size_t prefill(std::size_t n) {
        const std::size_t goal = n < capacity() ? n : capacity();
        std::size_t made = 0;
        for (std::size_t have = idle(); have < goal && body_->add(); ++have) {
            ++made;
        }
        return made;
    }

    /// Destroys all idle objects, also those that other threads cache, and gives the memory that no
    /// object of a recycler of T needs any more back to the system. @returns how many it destroyed
    /// @complexity O(idle objects), and system calls
    std::size_t trim() noexcept {
        const std::size_t n = body_->trim();
        body::memory::trim();
        return n;
    }

    /// Objects that wait for their next use. Exact while no other thread uses the recycler.
    /// @complexity O(threads), under a lock
    [[nodiscard]] std::size_t idle() const noexcept { return body_->idle(); }

    /// Objects that are out, or that a weak_ptr holds back. Exact while no other thread uses the recycler.
    /// @complexity O(threads), under a lock
    [[nodiscard]] std::size_t live() const noexcept { return live_in(body_->counts()); }

    [[nodiscard]] std::size_t capacity() const noexcept { return body_->capacity(); }

    /// As given; 0: there is none.
    [[nodiscard]] std::size_t limit() const noexcept { return body_->limit(); }

    /// @complexity O(threads), under a lock
    [[nodiscard]] recycler_statistics statistics() const noexcept {
        const detail::recycler_counts now = body_->counts();
        recycler_statistics s;
        s.type = detail::type_name<T>();
        s.object_bytes = sizeof(slot::object);
        s.slot_bytes = sizeof(slot);
        s.capacity = capacity();
        s.limit = limit();
        s.idle = now.idle;
        s.live = live_in(now);
        s.created = now.created;
        s.threads = now.threads;
        s.waiting = now.waiting;
        s.steals = now.steals;
        return s;
    }

private:
    using body = detail::recycler_body<T>;
    using slot = detail::recycler_slot<T>;
    struct private_tag {};

    /// Apart, so that the destructor runs when `prefill` throws.
    recycler(options&& o, private_tag) : body_{new body{std::move(o)}} {}
    recycler(options&& o, std::size_t n, private_tag t) : recycler{checked(std::move(o)), t} { prefill(n); }

    // Out of line, so that the hot paths prepare nothing for them.

    [[gnu::noinline]] handle acquire_elsewhere(std::uint64_t until) { return out(body_->acquire(until)); }
    [[gnu::noinline]] handle try_acquire_elsewhere() noexcept { return out(body_->try_acquire()); }
    [[gnu::noinline]] std::shared_ptr<T> acquire_shared_elsewhere(std::uint64_t until) {
        return shared(body_->acquire(until));
    }

    static handle out(slot* s) noexcept { return handle{s != nullptr ? s->hand_out() : nullptr}; }
    static std::shared_ptr<T> shared(slot* s) { return s != nullptr ? body::share(s) : std::shared_ptr<T>{}; }

    template <class Duration>
    static std::uint64_t moment_in(const Duration& time) noexcept {
        const std::uint64_t ns = detail::nanoseconds(time);
        return ns != 0 ? detail::parking::moment_in(ns) : detail::at_once;
    }

    /// Others may use it between two of its numbers.
    static std::size_t live_in(const detail::recycler_counts& c) noexcept {
        return c.slots > c.idle ? c.slots - c.idle : 0;
    }

    static options&& checked(options&& o) {
        if constexpr (!detail::default_initialisable<detail::made<T>>) {
            if (!o.create) {
                static_cast<void>(o.create()); // throws
            }
        }
        return std::move(o);
    }

    body* body_;
};

/// Not a recycler: what cannot be an object that changes is refused.
template <class T>
    requires(!detail::object_type<T> || !detail::allocator_value<T>)
class recycler<T> {
public:
    template <class... Any>
    explicit recycler(Any&&...) noexcept {}

    static_assert(detail::object_type<T> && detail::allocator_value<T>,
                  "linn::recycler keeps objects: its type must not be a reference, void, an array or const");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
