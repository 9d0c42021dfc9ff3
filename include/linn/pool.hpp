// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_POOL_HPP
#define LINN_POOL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/pool_calls.hpp>
#include <linn/options.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

namespace detail {

template <class T, class Memory>
class recycler_body;

/// The pool of all T as one module sees it, and its calls for one object: all that allocators need of a pool. Debug information
/// names every function of a class in each object file that uses it, so the others are functions of `pool`.
/// It is instantiated, and T must be complete, only where it is used.
template <class T, pool_options O>
class pool_core {
    static_assert(checked_options<O>::done);

public:
    static constexpr pool_description description{
        .sizes = pool_geometry<sizeof(sized<T>), alignof(sized<T>), O>::sizes,
        .type = label_of(pool_name<T>),
    };
    static inline constinit pool_root<platform> root{0, &description};
    LINN_DETAIL_FRONT_MODEL static inline constinit thread_local detail::front<platform> front{};

    LINN_DETAIL_OF_THREAD static detail::front<platform>& here() noexcept {
        LINN_DETAIL_FIND_THREAD();
        return front;
    }

    /// @tparam is_near see slot_cache::pop_or
    template <bool is_near = near_thread_locals>
    [[nodiscard, LINN_DETAIL_RETURNS_NONNULL]] static T* allocate(slot_cache& cache = here()) {
        return typed<T>(opened(cache.pop_or<is_near>(&allocate_or_throw), sizeof(T)));
    }
    template <bool is_near = near_thread_locals>
    [[LINN_DETAIL_ALWAYS_INLINE]] static void deallocate(T* p, slot_cache& cache = here()) noexcept {
        void* object = untyped(p);
        if constexpr (poisons_slots) {
            close(object);
        }
        cache.push_or<is_near>(object, &deallocate_elsewhere);
    }

    /// Poisons the slot of an object that is free now. Only where memory is poisoned.
    static void close(void* object) noexcept {
        // A checked build does not know yet whether this is an object at all.
        if (!checked_build || owns_slot(root, object)) {
            poison(object, sizeof(T));
        }
    }

private:
    // Out of line, so that the hot paths prepare no arguments for them. A checked build wants to know who
    // called: a return address of these is in the user's function, into which all else is inlined. Of their own for each
    // type, as the front is: a thread that attaches it must keep the module that both lie in.

    [[LINN_DETAIL_NOINLINE, LINN_DETAIL_RETURNS_NONNULL]] static void* allocate_or_throw() {
        return detail::allocate_or_throw(here(), root,
                                         checked_build ? LINN_DETAIL_RETURN_ADDRESS() : nullptr);
    }
    [[LINN_DETAIL_NOINLINE]] static void deallocate_elsewhere(void* object) noexcept {
        deallocate_slow(here(), root, object, checked_build ? LINN_DETAIL_RETURN_ADDRESS() : nullptr);
    }
};

} // namespace detail

/// The pool of all T in the process: thread-cached, usable from any thread at any time, from static
/// constructors to static destructors. There is nothing to create: every function is static.
///
/// - Any thread may free what any thread allocated; threads may exit with objects alive.
/// - The memory of a T is never reused for another type.
/// - Neither allocating nor freeing touches the object's memory.
///
/// A class with a private constructor or destructor makes this class its friend.
///
/// @threads every function: any thread, at the same time
/// @source Bonwick, Adams: Magazines and Vmem, USENIX 2001; docs/design/engine.md
/// @snippet examples/01_pool.cpp
template <class T, pool_options O = default_options<T>>
class pool {
    static_assert(detail::checked_options<O>::done);
    static constexpr bool limited = O.max_objects != 0 || O.max_bytes != 0;

public:
    using value_type = T;
    static constexpr pool_options options = O;

    pool() = delete;

    /// Storage for one T, uninitialised.
    /// @throws std::bad_alloc when there is no memory, or at the limit of `O.max_objects` or `O.max_bytes`; the pool is
    ///         unchanged and usable afterwards
    /// @complexity six instructions; once in a magazine, a short lock; once in a slab, the system. With a limit a short
    ///             lock each time
    [[nodiscard, LINN_DETAIL_RETURNS_NONNULL]] static T* allocate() { return core::allocate(); }

    /// As `allocate`, but null where that throws.
    [[nodiscard]] static T* try_allocate() noexcept {
        return try_allocate_from<detail::near_thread_locals>(core::here());
    }

    /// Takes storage back.
    /// @pre `p` is not null and came from this pool, on any thread; its object is destroyed
    /// @complexity six instructions; once in a magazine, a short lock. With a limit a short lock each time
    static void deallocate(T* p) noexcept { core::deallocate(p); }

    /// A new object, constructed from `args` as `T(args...)`; for braces write `create(T{...})`.
    /// @throws std::bad_alloc, and what the constructor throws; the storage is back in the pool then
    /// @complexity that of `allocate`, and of the constructor
    template <class... Args>
    [[nodiscard]] static T* create(Args&&... args) {
        if constexpr (detail::creatable<T>) {
            return start(allocate(), std::forward<Args>(args)...);
        } else {
            return detail::refuse_to_create<T>();
        }
    }

    /// Destroys `p`, which may be null, and takes its storage back.
    /// @complexity that of the destructor, and of `deallocate`
    static void destroy(T* p) noexcept {
        static_assert(sizeof(detail::sized<T>) != 0);
        if (p != nullptr) {
            p->~T();
            deallocate(p);
        }
    }

    /// The pool as one thread sees it. Its calls do what those of the pool with the same names do, and cost in a shared
    /// library what they cost in a program: the thread's cache is looked up once, where the view is made.
    ///
    /// @pre it is used by the thread that made it, and not beyond a suspension of a coroutine, which another thread may resume
    /// @complexity that of the pool's functions
    /// @threads a view belongs to one; objects can still pass between threads
    class thread_view {
    public:
        /// @throws std::bad_alloc when there is no memory
        [[nodiscard, LINN_DETAIL_RETURNS_NONNULL]] T* allocate() const {
            return core::template allocate<true>(*front_);
        }
        [[nodiscard]] T* try_allocate() const noexcept { return try_allocate_from<true>(*front_); }
        void deallocate(T* p) const noexcept { core::template deallocate<true>(p, *front_); }

        /// @throws std::bad_alloc, and what the constructor throws; the storage is back in the pool then
        template <class... Args>
        [[nodiscard]] T* create(Args&&... args) const {
            if constexpr (detail::creatable<T>) {
                return start(allocate(), std::forward<Args>(args)...);
            } else {
                return detail::refuse_to_create<T>();
            }
        }
        void destroy(T* p) const noexcept {
            static_assert(sizeof(detail::sized<T>) != 0);
            if (p != nullptr) {
                p->~T();
                deallocate(p);
            }
        }

    private:
        friend class pool;
        explicit thread_view(detail::front<detail::platform>& front) noexcept : front_{&front} {
            // GCC would look up again, at each use, what it knows to be the address of a thread-local variable.
            LINN_DETAIL_HIDE(front_);
        }

        detail::front<detail::platform>* front_;
    };

    /// A view for loops in shared libraries, which else look the thread's cache up in each call.
    /// @complexity one look-up of a thread-local variable
    /// @snippet examples/37_thread_view.cpp
    [[nodiscard]] static thread_view on_this_thread() noexcept { return thread_view{core::here()}; }

    /// Storage for `out.size()` objects, uninitialised.
    /// @throws std::bad_alloc; then nothing was allocated and `out` is unspecified
    /// @complexity O(n): magazines are copied whole, and each costs a short lock. With a limit one lock for all
    /// @threads any. With a limit in one piece: a call that fails takes no object from other threads meanwhile
    static void allocate_n(std::span<T*> out) {
        if (out.size() <= few && !limited) {
            for (std::size_t done = 0; done != out.size(); ++done) {
                out[done] = try_allocate();
                if (out[done] == nullptr) [[LINN_DETAIL_UNLIKELY]] {
                    deallocate_n(out.first(done));
                    detail::throw_bad_alloc();
                }
            }
            return;
        }
        if (!allocate_run(out)) {
            detail::throw_bad_alloc();
        }
        if constexpr (detail::poisons_slots) {
            for (T* p : out) {
                detail::opened(detail::untyped(p), sizeof(T));
            }
        }
    }

    /// Takes the storage of many objects back.
    /// @pre each is not null and came from this pool
    /// @complexity O(n), as `allocate_n`
    static void deallocate_n(std::span<T* const> objects) noexcept {
        if (objects.size() <= few && !limited) {
            for (T* p : objects) {
                deallocate(p);
            }
            return;
        }
        if constexpr (detail::poisons_slots) {
            for (T* p : objects) {
                core::close(detail::untyped(p));
            }
        }
        deallocate_run(objects);
    }

    /// Makes sure that `objects` more can be allocated without asking the system for memory, as long
    /// as no other thread takes them.
    /// @throws std::bad_alloc, also when a limit forbids so many; nothing has changed then
    /// @complexity O(slabs); touches no page of the objects
    static void reserve(std::size_t objects) {
        if (!detail::reserve(core::here(), core::root, objects)) {
            detail::throw_bad_alloc();
        }
    }

    /// Gives memory that no object occupies back to the system: what this thread and the depot
    /// cache at once, what other threads cache when they next visit the depot.
    /// @returns the number of bytes returned
    /// @complexity O(cached objects + slabs)
    static std::size_t trim() noexcept { return detail::trim(core::here(), core::root); }

    /// Numbers of this pool now. @complexity O(slabs + threads)
    [[nodiscard]] static pool_statistics statistics() noexcept { return detail::statistics(core::root); }

    /// Calls `f(T&)` for each object that is handed out now, in no particular order. Storage that was
    /// allocated counts, whether an object was constructed in it or not.
    ///
    /// `f` may destroy the object that it is given, and use this and other pools; it must not destroy
    /// others of this pool, which it may yet be given. What it creates is not visited.
    /// @pre no other thread uses this pool until it returns; no module with a separate pool has freed objects of it
    /// @returns the number of objects visited
    /// @throws std::bad_alloc before the first call, and what `f` throws
    /// @complexity O(objects ever live at once)
    template <class F>
    static std::size_t for_each_live(F&& f) {
        auto call = [&f](void* object) { f(*detail::typed<T>(object)); };
        const auto visit = [](void* object, void* context) {
            (*static_cast<decltype(call)*>(context))(object);
        };
        return detail::visit_live(core::root, +visit, &call);
    }

    // In parentheses, since headers of Apple and of Unreal define a macro check(condition).
    /// In checked builds, looks for free objects that were written to and for live ones whose surroundings
    /// changed, and reports each to the misuse handler, once. Does nothing in other builds.
    /// @returns the number of reports
    /// @complexity O(bytes of the pool)
    static std::size_t(check)() noexcept { return detail::check_objects(core::root); }

    /// Whether `p`, which may be any pointer, points into memory of this pool. Where a memory checker
    /// has the objects, whether it is one of them.
    /// @complexity O(slabs)
    [[nodiscard]] static bool owns(const volatile void* p) noexcept {
        return detail::owns(core::root, const_cast<const void*>(p));
    }

private:
    template <class, class>
    friend class detail::recycler_body; // says where the objects are that are idle in it

    using core = detail::pool_core<T, O>;

    /// Up to here a loop is faster than to copy.
    static constexpr std::size_t few = 8;

    // In the class, so that one with a private constructor needs no other friend.
    LINN_DETAIL_FEW_VALUES_BEGIN
    template <class... Args>
    static T* construct(void* place,
                        Args&&... args) noexcept(noexcept(::new(place) T(std::forward<Args>(args)...))) {
        return ::new (place) T(std::forward<Args>(args)...);
    }
    LINN_DETAIL_FEW_VALUES_END

    template <bool is_near>
    static T* try_allocate_from(detail::slot_cache& cache) noexcept {
        void* p = cache.pop_or<is_near>(&allocate_elsewhere);
        return p != nullptr ? detail::typed<T>(detail::opened(p, sizeof(T))) : nullptr;
    }

    /// Constructs an object in storage that was allocated for it.
    template <class... Args>
    static T* start(T* p, Args&&... args) {
        if constexpr (noexcept(construct(detail::untyped(p), std::forward<Args>(args)...))) {
            return construct(detail::untyped(p), std::forward<Args>(args)...);
        } else {
            return detail::start_or(
                [&] { return construct(detail::untyped(p), std::forward<Args>(args)...); },
                [p] { deallocate(p); });
        }
    }

    // Out of line, and of their own for each type, as in `pool_core`.

    [[LINN_DETAIL_NOINLINE]] static void* allocate_elsewhere() noexcept {
        return detail::allocate_slow(core::here(), core::root,
                                     detail::checked_build ? LINN_DETAIL_RETURN_ADDRESS() : nullptr);
    }

    [[LINN_DETAIL_NOINLINE]] static bool allocate_run(std::span<T*> out) noexcept {
        return detail::allocate_run(core::here(), core::root, out.data(), out.size(),
                                    detail::checked_build ? LINN_DETAIL_RETURN_ADDRESS() : nullptr);
    }

    [[LINN_DETAIL_NOINLINE]] static void deallocate_run(std::span<T* const> objects) noexcept {
        detail::deallocate_run(core::here(), core::root, objects.data(), objects.size(),
                               detail::checked_build ? LINN_DETAIL_RETURN_ADDRESS() : nullptr);
    }
};

/// Not a pool: what cannot be an object is refused.
template <class T, pool_options O>
    requires(!detail::object_type<T>)
class pool<T, O> {
    static_assert(detail::object_type<T>,
                  "linn::pool holds objects: its type must not be a reference, void, a function or an array");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
