// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_RECYCLER_HPP
#define LINN_RECYCLER_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/sync/idle_core.hpp>
#include <linn/detail/sync/mutex.hpp>
#include <linn/detail/sync/recycler_body.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
    /// Objects made so far; those of them that are neither live nor idle were destroyed.
    std::size_t created = 0;
    std::size_t threads = 0; ///< thread caches
    std::size_t waiting = 0; ///< threads that wait for an object
    std::size_t steals = 0;  ///< times that a thread emptied the caches of all others, by a system call
};

template <class T>
class recycler;

namespace detail {

/// A `std::chrono::duration`. By its members, since <chrono> costs more to compile than all of a pool.
template <class D>
concept duration = requires(const D& d) {
    static_cast<double>(d.count());
    D::period::num;
    D::period::den;
};

/// Rounded up; 0 for a negative one. The largest value for one that is longer than 292 years.
template <duration D>
constexpr std::uint64_t nanoseconds(const D& d) noexcept {
    const double ns =
        static_cast<double>(d.count()) * (1e9 * static_cast<double>(D::period::num) / D::period::den);
    if (!(ns > 0)) { // or not a number
        return 0;
    }
    if (ns >= 0x1p63) {
        return ~std::uint64_t{0};
    }
    const auto whole = static_cast<std::uint64_t>(ns);
    return whole + (static_cast<double>(whole) < ns ? 1U : 0U);
}

} // namespace detail

/// The deleter of `recycler<T>::handle`: stateless, gives the object back to the recycler it came from.
/// @complexity that of `recycler<T>::recycle`
/// @threads any thread
template <class T>
struct recycle_delete {
    void operator()(T* object) const noexcept { recycler<T>::recycle(object); }
};

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
/// @complexity constant where nothing else is said; what `create`, `reset` and T itself do comes on top. Where the
///             system has no `membarrier` or the like (macOS, BSD), each call takes a lock
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

    /// Keeps 1024 idle objects at most. @throws std::bad_alloc when there is no memory
    template <class U = T> // so that T may be incomplete where the recycler is named
        requires detail::default_initialisable<detail::made<U>>
    recycler() : recycler{options{}} {}

    /// @throws std::bad_alloc when there is no memory
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
        // First, so that nothing else is said of a T that is refused.
        static_assert(sizeof(detail::made<T>) != 0);
        return out(body_->acquire(at_any_time));
    }

    /// As `acquire`, but does not wait: null when the limit is reached, there is no memory or `create` throws.
    [[nodiscard]] handle try_acquire() noexcept {
        static_assert(sizeof(detail::made<T>) != 0);
        return out(body_->try_acquire());
    }

    /// As `acquire`, but waits for `time` at most, a `std::chrono::duration`: null when no object came back until then.
    /// @throws as `acquire`
    template <detail::duration Duration>
    [[nodiscard]] handle acquire_for(const Duration& time) {
        static_assert(sizeof(detail::made<T>) != 0);
        return out(body_->acquire([&] { return moment_in(time); }));
    }

    /// As `acquire`, but shared. The control block lies in front of the object: nothing is allocated.
    /// `reset` runs when the last shared_ptr goes; the object is idle when the last weak_ptr is gone too.
    [[nodiscard]] std::shared_ptr<T> acquire_shared() { return shared(body_->acquire(at_any_time)); }

    /// As `try_acquire`, but shared.
    [[nodiscard]] std::shared_ptr<T> try_acquire_shared() noexcept { return shared(body_->try_acquire()); }

    /// As `acquire_for`, but shared.
    template <detail::duration Duration>
    [[nodiscard]] std::shared_ptr<T> acquire_shared_for(const Duration& time) {
        return shared(body_->acquire([&] { return moment_in(time); }));
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
    /// @complexity O(n), a short lock each; a system call each while other threads cache objects
    std::size_t prefill(std::size_t n) {
        const std::size_t goal = n < capacity() ? n : capacity();
        std::size_t made = 0;
        while (body_->add_below(goal)) {
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
    [[nodiscard]] std::size_t idle() const noexcept { return body_->counts().idle; }

    /// Objects that are out, or that a weak_ptr holds back. Exact while no other thread uses the recycler.
    /// @complexity O(threads), under a lock
    [[nodiscard]] std::size_t live() const noexcept { return body_->counts().live(); }

    [[nodiscard]] std::size_t capacity() const noexcept { return body_->capacity(); }

    /// As given; 0: there is none.
    [[nodiscard]] std::size_t limit() const noexcept { return body_->limit(); }

    /// @complexity O(threads), under a lock
    [[nodiscard]] recycler_statistics statistics() const noexcept {
        const detail::idle_counts now = body_->counts();
        recycler_statistics s;
        s.type = detail::type_name<T>();
        s.object_bytes = sizeof(slot::object);
        s.slot_bytes = sizeof(slot);
        s.capacity = capacity();
        s.limit = limit();
        s.idle = now.idle;
        s.live = now.live();
        s.created = now.created;
        s.threads = now.threads;
        s.waiting = now.waiting;
        s.steals = now.steals;
        return s;
    }

private:
    using body = detail::recycler_body<T, pool<detail::recycler_slot<T>>>;
    using slot = detail::recycler_slot<T>;
    struct private_tag {};

    /// Apart, so that the destructor runs when `prefill` throws.
    recycler(options&& o, private_tag)
        : body_{new body{o.capacity, o.limit, std::move(o.create), std::move(o.reset)}} {}
    recycler(options&& o, std::size_t n, private_tag t) : recycler{checked(std::move(o)), t} { prefill(n); }

    static std::uint64_t at_any_time() noexcept { return detail::whenever; }
    static handle out(slot* s) noexcept { return handle{s != nullptr ? s->hand_out() : nullptr}; }
    static std::shared_ptr<T> shared(slot* s) noexcept {
        return s != nullptr ? body::share(s) : std::shared_ptr<T>{};
    }

    template <class Duration>
    static std::uint64_t moment_in(const Duration& time) noexcept {
        const std::uint64_t ns = detail::nanoseconds(time);
        return ns != 0 ? detail::parking::moment_in(ns) : detail::at_once;
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

    static_assert(
        detail::object_type<T> && detail::allocator_value<T>,
        "linn::recycler keeps objects: its type must not be a reference, void, array, const, volatile");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
