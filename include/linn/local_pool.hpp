// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_LOCAL_POOL_HPP
#define LINN_LOCAL_POOL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/pointer_run.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/core/unaliased.hpp>
#include <linn/detail/os/pages_heap.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/options.hpp>
#include <linn/types/pool_statistics.hpp>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// A pool that is an object with one owner: no atomics, no thread-local storage, no sharing. All
/// its memory goes when it does; `release()` drops all objects at once.
///
/// Its destructor frees the memory only when no object is alive. Otherwise it does what
/// `O.on_survivors` says: report and keep the memory (the default), abort, or keep it silently.
///
/// A class with a private constructor or destructor makes this class its friend.
///
/// Creating one allocates nothing. Its first slab is a few KiB from `operator new`.
///
/// @complexity O(1) unless stated otherwise, and the constructors and destructors of T
/// @threads one at a time, allocation and free alike
/// @snippet examples/02_local_pool.cpp
template <class T, pool_options O = default_options<T>>
class local_pool {
    static_assert(detail::checked_options<O>::done);
    using element = detail::sized<T>;

public:
    using value_type = T;
    static constexpr pool_options options = O;

    local_pool() noexcept = default;
    local_pool(const local_pool&) = delete;
    local_pool& operator=(const local_pool&) = delete;

    /// @complexity O(slabs)
    ~local_pool() {
        give_back(count_); // so that a double free is noticed before it makes the count wrong
        (check)();
        if (live() == 0) {
            unmap_all();
            return;
        }
        if constexpr (O.on_survivors != survivors::keep) {
            misuse m{misuse_kind::objects_alive, type_name, this, live()};
            m.object_bytes = sizeof(element);
            detail::report(m);
        }
        if constexpr (O.on_survivors == survivors::abort) {
            std::abort();
        }
        slabs_.forget_all();
    }

    /// Storage for one T, uninitialised.
    /// @throws std::bad_alloc when there is no memory, or at the limit of `O.max_objects` or `O.max_bytes`; the pool is
    ///         unchanged and usable afterwards
    /// @complexity a few instructions; once in half a cache, the slabs; once in a slab, `operator new`
    [[nodiscard, LINN_DETAIL_RETURNS_NONNULL]] T* allocate() {
        if (count_ == 0 && !refill()) [[LINN_DETAIL_UNLIKELY]] {
            detail::throw_bad_alloc();
        }
        return opened(cache_[--count_]);
    }

    /// As `allocate`, but null where that throws.
    [[nodiscard]] T* try_allocate() noexcept {
        if (count_ == 0 && !refill()) [[LINN_DETAIL_UNLIKELY]] {
            return nullptr;
        }
        return opened(cache_[--count_]);
    }

    /// Takes storage back.
    /// @pre `p` is not null and came from this pool; its object is destroyed
    /// @complexity a few instructions; once in half a cache, the slabs. In checked builds O(slabs)
    void deallocate(T* p) noexcept {
        if constexpr (detail::checked_build) {
            give_at_once(detail::untyped(p));
        } else {
            void* object = closed(p);
            if (count_ == capacity) [[LINN_DETAIL_UNLIKELY]] {
                give_back((capacity + 1) / 2);
            }
            cache_[count_++] = object;
        }
    }

    /// A new object, constructed from `args`.
    /// @throws std::bad_alloc, and what the constructor throws; the storage is back in the pool then
    LINN_DETAIL_FEW_VALUES_BEGIN
    template <class... Args>
    [[nodiscard]] T* create(Args&&... args) {
        if constexpr (detail::creatable<T>) {
            T* p = allocate();
            return detail::start_or([&] { return ::new (detail::untyped(p)) T(std::forward<Args>(args)...); },
                                    [this, p] { deallocate(p); });
        } else {
            return detail::refuse_to_create<T>();
        }
    }
    LINN_DETAIL_FEW_VALUES_END

    /// Destroys `p`, which may be null, and takes its storage back.
    void destroy(T* p) noexcept {
        if (p != nullptr) {
            p->~T();
            deallocate(p);
        }
    }

    /// Storage for `out.size()` objects, uninitialised.
    /// @throws std::bad_alloc; then nothing was allocated and `out` is unspecified
    /// @complexity O(n): magazines are copied whole
    void allocate_n(std::span<T*> out) {
        for (std::size_t done = 0; done != out.size();) {
            if (count_ == 0 && !refill(out.size())) [[LINN_DETAIL_UNLIKELY]] {
                deallocate_n(out.first(done));
                detail::throw_bad_alloc();
            }
            const std::size_t n = detail::clamp(out.size() - done, 0, count_);
            count_ -= n;
            detail::copy_reversed(static_cast<void*>(out.data() + done), cache_ + count_, n);
            for (const std::size_t end = done + n; done != end; ++done) {
                opened(detail::untyped(out[done]));
            }
        }
    }

    /// Takes the storage of many objects back.
    /// @complexity O(n); what exceeds the cache returns to its slabs at once
    void deallocate_n(std::span<T* const> objects) noexcept {
        if constexpr (detail::checked_build || detail::sanitizer_poison) {
            for (T* p : objects) {
                deallocate(p);
            }
        } else {
            const std::size_t kept = detail::clamp(objects.size(), 0, capacity - count_);
            detail::copy_reversed(cache_ + count_, static_cast<const void*>(objects.data()), kept);
            count_ += kept;
            slabs_.give(reinterpret_cast<void* const*>(objects.data()) + kept, objects.size() - kept,
                        &detail::refuse<T>);
        }
    }

    /// Takes the memory for `objects` more from `operator new` now.
    /// @throws std::bad_alloc, also when a limit forbids so many; nothing has changed then
    /// @complexity O(slabs)
    void reserve(std::size_t objects) {
        const bool enough = objects <= count_ || slabs_.reserve(objects - count_);
        tell(enough ? 0 : objects);
        if (!enough) {
            detail::throw_bad_alloc();
        }
    }

    /// Drops all objects at once, without calling destructors, and keeps the memory for reuse.
    /// @complexity O(slabs + slots / 64), for any number of objects; O(slots) in checked builds and under
    ///             AddressSanitizer, which see the use of an object that was dropped
    void release() noexcept {
        if constexpr (detail::checked_build || detail::sanitizer_poison) {
            (check)();
            for (detail::slab* s = slabs_.newest(); s != nullptr; s = s->older) {
                detail::close_slots(sizes, s, [](void* object) { detail::poison(object, sizeof(element)); });
            }
        }
        count_ = 0;
        slabs_.reset_all();
    }

    /// Frees all memory if no object is alive. @returns the bytes freed @complexity O(slabs)
    std::size_t trim() noexcept {
        give_back(count_);
        (check)();
        const std::size_t bytes = slabs_.out() == 0 ? slabs_.mapped_bytes() : 0;
        if (bytes != 0) {
            unmap_all();
        }
        return bytes;
    }

    /// Calls `f(T&)` for each object that is handed out now, in no particular order. Storage that was
    /// allocated counts, whether an object was constructed in it or not.
    ///
    /// `f` may destroy the object that it is given, and create others, which are not visited; it must not
    /// destroy others, which it may yet be given.
    /// @returns the number of objects visited
    /// @throws std::bad_alloc before the first call, and what `f` throws
    /// @complexity O(objects ever live at once)
    template <class F>
    std::size_t for_each_live(F&& f) {
        detail::pointer_set<detail::heap_pages> cached;
        detail::pointer_list<detail::heap_pages> live;
        if (!cached.append(cache_, count_) || !slabs_.collect_live(cached, live)) {
            detail::throw_bad_alloc();
        }
        for (void* p : live) {
            f(*detail::typed<T>(p));
        }
        return live.size();
    }

    // In parentheses, since headers of Apple and of Unreal define a macro check(condition).
    /// In checked builds, looks for free objects that were written to and for live ones whose surroundings
    /// changed, and reports each to the misuse handler, once. Does nothing in other builds.
    /// @returns the number of reports
    /// @complexity O(bytes of the pool)
    std::size_t(check)() noexcept { return detail::check_slabs<T>(slabs_); }

    /// Whether `p`, which may be any pointer, points into memory of this pool. @complexity O(slabs)
    [[nodiscard]] bool owns(const volatile void* p) const noexcept {
        return slabs_.find(detail::untyped(p)) != nullptr;
    }

    /// Objects handed out now.
    [[nodiscard]] std::size_t live() const noexcept { return slabs_.out() - count_; }

    /// Numbers of this pool now. @complexity O(slabs)
    [[nodiscard]] pool_statistics statistics() const noexcept {
        pool_statistics s;
        s.type = type_name;
        s.object_bytes = sizeof(element);
        s.slot_bytes = slabs_.sizes().slot_bytes;
        s.live = live();
        s.cached = count_;
        s.threads = 1;
        slabs_.add_to(s);
        return s;
    }

private:
    static constexpr detail::geometry sizes =
        detail::geometry_for(sizeof(element), alignof(element), O, true);
    static_assert(sizes.slab_align <= detail::largest_slab_bytes,
                  "linn::local_pool: an object must be smaller than 1 GiB, which is the largest slab");
    static_assert(detail::holds_one(sizeof(element), alignof(element), O),
                  "linn::local_pool: max_bytes is less than a slab with one object");
    static constexpr std::size_t capacity = sizes.magazine_slots;
    static constexpr std::string_view type_name = detail::type_name<T>();

    /// @param asked of how many objects the observer hears when there is none
    [[LINN_DETAIL_NOINLINE]] bool refill(std::size_t asked = 1) noexcept {
        // As many as are out already, up to half: a small pool stays small. A checked one caches
        // nothing, so that its slabs know of every object whether it is free.
        const std::size_t most = detail::checked_build ? 1 : (capacity + 1) / 2;
        const std::size_t want = detail::clamp(slabs_.out(), 1, most);
        count_ = detail::take_slots<T>(slabs_, cache_, want, LINN_DETAIL_RETURN_ADDRESS());
        const bool got = count_ != 0;
        tell(got ? 0 : asked);
        return got && (count_ != 0 || refill(asked)); // an observer may have used the pool
    }

    /// Gives the `n` objects that were freed longest ago back to their slabs.
    [[LINN_DETAIL_NOINLINE]] void give_back(std::size_t n) noexcept {
        slabs_.give(cache_, n, &detail::refuse<T>);
        count_ -= n;
        std::memmove(cache_, cache_ + n, count_ * sizeof(void*));
    }

    /// Tells the observer what the slabs did, last: it may use this pool.
    /// @param refused of how many objects the request failed; 0: it did not
    void tell(std::size_t refused) noexcept {
        detail::tell_news(slabs_.take_news(), refused, sizeof(element), type_name, this);
    }

    void unmap_all() noexcept {
        const std::size_t count = slabs_.slab_count();
        const std::size_t bytes = slabs_.mapped_bytes();
        slabs_.unmap_all();
        if (count != 0) {
            detail::tell_observer({pool_event_kind::slab_returned, type_name, this, count, bytes});
        }
    }

    /// Nothing is read through the pointer before it is known to point into a slab.
    [[LINN_DETAIL_NOINLINE]] void give_at_once(void* object) noexcept {
        if (slabs_.find(object) == nullptr) {
            detail::refuse<T>(misuse_kind::foreign_pointer, object, {});
            return;
        }
        const std::size_t out = slabs_.out();
        slabs_.give(&object, 1, &detail::refuse<T>, detail::trace_from(LINN_DETAIL_RETURN_ADDRESS()));
        if (slabs_.out() != out) {
            detail::poison(object, sizeof(element));
        }
    }

    static T* opened(void* p) noexcept {
        detail::open_slot(p, sizeof(element));
        return detail::typed<T>(p);
    }
    void* closed(T* p) const noexcept {
        void* object = detail::untyped(p);
        if constexpr (detail::sanitizer_poison) {
            if (slabs_.find(object) != nullptr) { // do not poison memory of another pool
                detail::poison(object, sizeof(element));
            }
        }
        return object;
    }

    detail::unaliased<std::size_t> count_; ///< free objects in the cache; the last one freed goes out first
    detail::slab_set<detail::heap_pages> slabs_{sizes};
    void* cache_[capacity];
};

/// Not a pool: what cannot be an object is refused.
template <class T, pool_options O>
    requires(!detail::object_type<T>)
class local_pool<T, O> {
    static_assert(
        detail::object_type<T>,
        "linn::local_pool holds objects: its type must not be a reference, void, a function or an array");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
