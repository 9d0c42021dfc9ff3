// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_MEMORY_HPP
#define LINN_MEMORY_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/os/standard_library.hpp>
#include <linn/options.hpp>
#include <linn/owning_ptr.hpp>
#include <linn/pool.hpp>
#include <linn/types/value_initialization.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

/// @file
/// `make_shared` and `make_unique` over pools. The pointers are the standard ones.
///
/// | call                                  | storage                                  | the object is      |
/// |---------------------------------------|------------------------------------------|--------------------|
/// | `make_shared<T>(args...)`             | one slot: object and control block       | `T(args...)`       |
/// | `make_shared_for_overwrite<T>()`      | the same pool                            | `T`, nothing filled |
/// | the same with `T[N]`                  | one slot: array and control block        | each element so    |
/// | the same with `T[]` and a length      | one block of `std::allocator`            | each element so    |
/// | `make_unique<T>(args...)`             | a slot of `pool<T>`                      | `T(args...)`       |
/// | `make_unique_for_overwrite<T>()`      | a slot of `pool<T>`                      | `T`, nothing filled |
/// | the same with `T[]` and a length      | `new[]`                                  | each element so    |
///
/// `make_shared<T>()` and `make_unique<T>()` without arguments value-initialise, as in the standard
/// library. Where that fills 256 bytes or more with zeros for nothing, the compiler warns at the call:
/// use the form `_for_overwrite`, or pass `linn::value_initialize` where zeros are meant, or specialise
/// `linn::zero_fill_intended<T>`.
///
/// Every function: @threads any thread, at the same time. The last pointer may go on any thread, also
/// after the thread that made it has ended.

namespace linn::inline LINN_ABI {

namespace detail {

/// Storage for a `Block`, the object and control block that the standard library makes for a
/// `make_shared<T>`. The pool of a type of our own can have a name and options that follow T.
template <class Block, class T>
struct shared_slot {
    alignas(Block) unsigned char storage[sizeof(Block)];
};

template <class T>
inline constexpr name_around<T, sizeof "make_shared<"> shared_name{"make_shared<"};
template <class Block, class T>
inline constexpr std::string_view pool_name<shared_slot<Block, T>>{shared_name<T>.text, shared_name<T>.size};

/// Destroys the last `n` of the elements that end at `end`, the last one first.
template <class Element>
void destroy_backwards(Element* end, std::size_t n) noexcept {
    if constexpr (!std::is_trivially_destructible_v<Element>) {
        for (; n != 0; --n) {
            --end;
            end->~Element();
        }
    }
}

/// `start(place, i)` for each of `n` elements; when one throws, those before it are destroyed.
template <class Element, class Start>
void construct_each(Element* first, std::size_t n, Start start) {
    for (std::size_t i = 0; i != n; ++i) {
        detail::start_or([&] { start(static_cast<void*>(first + i), i); },
                         [&] { detail::destroy_backwards(first + i, i); });
    }
}

/// An array as an object that `allocate_shared` can make. A plain struct would not do: value-initialising
/// it fills it with zeros even where the elements have constructors. `Array` is not const.
template <class Array>
class shared_array {
    using element = std::remove_all_extents_t<Array>;
    static constexpr std::size_t count = sizeof(Array) / sizeof(element);

public:
    shared_array() {
        if constexpr (!std::is_trivially_default_constructible_v<element>) {
            detail::construct_each(first(), count, [](void* place, std::size_t) { ::new (place) element; });
        }
    }

    explicit shared_array(value_initialize_t) {
        detail::construct_each(first(), count, [](void* place, std::size_t) { ::new (place) element(); });
    }

    /// Each element a copy of `value`, which is an array itself where `Array` has two dimensions.
    explicit shared_array(const std::remove_extent_t<Array>& value) {
        constexpr std::size_t period = sizeof(std::remove_extent_t<Array>) / sizeof(element);
        const element* source = flat(value);
        detail::construct_each(first(), count, [source](void* place, std::size_t i) {
            detail::construct<element>(place, source[i % period]);
        });
    }

    shared_array(const shared_array&) = delete;
    shared_array& operator=(const shared_array&) = delete;

    ~shared_array() { detail::destroy_backwards(first() + count, count); }

    [[nodiscard]] std::remove_extent_t<Array>* get() noexcept { return elements_; }

private:
    element* first() noexcept { return typed<element>(static_cast<void*>(elements_ + 0)); }

    /// The first element of `value`, also where its class overloads `&`.
    template <class U>
    static const element* flat(const U& value) noexcept {
        return reinterpret_cast<const element*>(&reinterpret_cast<const unsigned char&>(value));
    }

    /// In a union nothing is constructed but by us.
    union {
        Array elements_;
    };
};

/// What `std::allocate_shared` gets: takes the one block that it wants from the pool of such blocks for
/// T, and default-initialises where it is given nothing to construct from. So both ways to initialise
/// share one control block type, so one pool, and no `_for_overwrite` of the standard library is
/// needed.
///
/// It has no state: state would be copied into every control block.
/// @source Alisdair Meredith, Pablo Halpern: allocator_traits::construct, N2982
template <class U, class T>
struct shared_allocator {
    using value_type = U;
    template <class V>
    struct rebind {
        using other = shared_allocator<V, T>;
    };

    constexpr shared_allocator() noexcept = default;
    template <class V>
    constexpr shared_allocator(const shared_allocator<V, T>&) noexcept {}

    [[nodiscard]] U* allocate(std::size_t n) {
        if constexpr (fits_a_pool<U>()) {
            if (n == 1) [[LINN_DETAIL_LIKELY]] {
                return detail::typed<U>(slot_pool<U>::allocate());
            }
        }
        return std::allocator<U>{}.allocate(n);
    }

    void deallocate(U* p, std::size_t n) noexcept {
        if constexpr (fits_a_pool<U>()) {
            if (n == 1) [[LINN_DETAIL_LIKELY]] {
                slot_pool<U>::deallocate(static_cast<shared_slot<U, T>*>(static_cast<void*>(p)));
                return;
            }
        }
        std::allocator<U>{}.deallocate(p, n);
    }

    template <class V>
    void construct(V* p) noexcept(std::is_nothrow_default_constructible_v<V>) {
        ::new (static_cast<void*>(p)) V;
    }
    template <class V, class... Args>
    void construct(V* p, Args&&... args) noexcept(std::is_nothrow_constructible_v<V, Args...>) {
        detail::construct<V>(static_cast<void*>(p), std::forward<Args>(args)...);
    }
    /// The array is told, since `()` means nothing filled to it.
    template <class V>
    void construct(V* p, value_initialize_t how) {
        if constexpr (std::is_array_v<T>) {
            ::new (static_cast<void*>(p)) V(how);
        } else {
            ::new (static_cast<void*>(p)) V();
        }
    }

    template <class V>
    friend constexpr bool operator==(const shared_allocator&, const shared_allocator<V, T>&) noexcept {
        return true;
    }

private:
    /// Templates, because the standard library names allocators of types that have no size.
    template <class V>
    using slot_pool = pool_core<shared_slot<V, T>, default_options<T>>;

    /// What is too large for a slab gains nothing from a pool.
    template <class V>
    static constexpr bool fits_a_pool() noexcept {
        return geometry_for(sizeof(V), alignof(V), default_options<T>).slab_align <= largest_slab_bytes;
    }
};

/// A `shared_ptr` to T or T[N], from `args`; without any, default-initialised.
template <class T, class... Args>
[[nodiscard]] std::shared_ptr<T> pooled_shared(Args&&... args) {
    using object = std::remove_cv_t<T>;
    if constexpr (std::is_array_v<T>) {
        using holder = shared_array<object>;
        std::shared_ptr<holder> whole =
            std::allocate_shared<holder>(shared_allocator<holder, object>{}, std::forward<Args>(args)...);
        auto* elements = whole->get();
        return std::shared_ptr<T>(std::move(whole), elements);
    } else {
        return std::allocate_shared<object>(shared_allocator<object, object>{}, std::forward<Args>(args)...);
    }
}

/// Refuses lengths whose block would be larger than any object may be; libc++ 19 does not notice.
/// @throws std::bad_array_new_length for a longer array
template <class T>
std::size_t checked_length(std::size_t n) {
    // A page for the control block and for rounding up.
    constexpr std::size_t largest = (static_cast<std::size_t>(-1) >> 1) - page_bytes - alignof(T);
    if (n > largest / sizeof(std::remove_extent_t<T>)) [[LINN_DETAIL_UNLIKELY]] {
#if defined(__cpp_exceptions)
        throw std::bad_array_new_length{};
#else
        std::abort();
#endif
    }
    return n;
}

/// What `make_shared` and `make_unique` can make.
template <class T>
concept makeable = creatable<std::remove_all_extents_t<T>>;

/// Says why it is not.
template <class T>
stand_in refuse_to_make() {
    static_assert(makeable<T>,
                  "linn::make_shared and make_unique make objects: the type must be complete and not "
                  "abstract, and not a reference, void or a function");
    return {};
}

} // namespace detail

/// Only there to refuse what is no object, in one sentence.
template <class T, class... Args>
    requires(!detail::makeable<T>)
auto make_shared(Args&&...) {
    return detail::refuse_to_make<T>();
}
/// Only there to refuse, as `make_shared`.
template <class T, class... Args>
    requires(!detail::makeable<T>)
auto make_shared_for_overwrite(Args&&...) {
    return detail::refuse_to_make<T>();
}
/// Only there to refuse, as `make_shared`.
template <class T, class... Args>
    requires(!detail::makeable<T>)
auto make_unique(Args&&...) {
    return detail::refuse_to_make<T>();
}
/// Only there to refuse, as `make_shared`.
template <class T, class... Args>
    requires(!detail::makeable<T>)
auto make_unique_for_overwrite(Args&&...) {
    return detail::refuse_to_make<T>();
}

// --- shared_ptr ------------------------------------------------------------------------------------

/// As `std::make_shared<T>(args...)`; object and control block share one slot of a pool, which
/// `statistics()` lists as `make_shared<T>`. The slot goes back when the last `shared_ptr` and the last
/// `weak_ptr` are gone. The pool has the options `default_options<T>`.
/// @throws std::bad_alloc, and what the constructor throws; the slot is back in the pool then
/// @complexity that of `pool::allocate`, and the standard library's control block
/// @snippet examples/10_make_shared.cpp
template <class T, class... Args>
    requires(detail::makeable<T> && !std::is_array_v<T> && sizeof...(Args) != 0)
[[nodiscard]] std::shared_ptr<T> make_shared(Args&&... args) {
    return detail::pooled_shared<T>(std::forward<Args>(args)...);
}

/// As `make_shared`, of `T()`: the object is zero where it has no constructor of its own. Also for `T[N]`.
template <class T>
    requires(detail::makeable<T> && !std::is_unbounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared(value_initialize_t how) {
    return detail::pooled_shared<T>(how);
}

/// As `make_shared`, of `T()` without a warning, for types that it fills little or not at all, or on purpose.
template <class T>
    requires(detail::makeable<T> && !std::is_unbounded_array_v<T> && !detail::zero_fill_trap<T>)
[[nodiscard]] std::shared_ptr<T> make_shared() {
    return detail::pooled_shared<T>(value_initialize);
}

/// As `make_shared`, of `T()` where that fills 256 bytes or more for nothing.
template <class T>
    requires(detail::makeable<T> && !std::is_unbounded_array_v<T> && detail::zero_fill_trap<T>)
[[nodiscard,
  LINN_DETAIL_DEPRECATED("it fills the object with zeros that its own initialisation leaves alone: use "
                         "linn::make_shared_for_overwrite<T>(), or make_shared<T>(linn::value_initialize) if "
                         "zeros are meant")]] std::shared_ptr<T>
make_shared() {
    return detail::pooled_shared<T>(value_initialize);
}

/// As `make_shared`, of `T[N]`, each element a copy of `value`.
template <class T>
    requires(detail::makeable<T> && std::is_bounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared(const std::remove_extent_t<T>& value) {
    return detail::pooled_shared<T>(value);
}

/// `T[]` of `n` elements, value-initialised. Lengths differ, so arrays of run-time length are one block
/// of `std::allocator`, with the control block in it. libstdc++ 12 refuses elements that are const or
/// volatile; here they are made as plain ones.
/// @throws std::bad_alloc, std::bad_array_new_length, and what a constructor throws
/// @complexity that of `std::allocator`, and O(n)
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared(std::size_t n, value_initialize_t) {
    return std::allocate_shared<std::remove_cv_t<T>>(detail::array_allocator<unsigned char>{},
                                                     detail::checked_length<T>(n));
}

/// As `make_shared`, of `T[]` without a warning, for elements that it fills little or not at all, or on purpose.
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T> &&
             !detail::zero_fill_trap<std::remove_extent_t<T>>)
[[nodiscard]] std::shared_ptr<T> make_shared(std::size_t n) {
    return linn::make_shared<T>(n, value_initialize);
}

/// As `make_shared`, of `T[]` where that fills 256 bytes or more an element for nothing.
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T> &&
             detail::zero_fill_trap<std::remove_extent_t<T>>)
[[nodiscard,
  LINN_DETAIL_DEPRECATED("it fills the elements with zeros that their own initialisation leaves alone: use "
                         "linn::make_shared_for_overwrite<T[]>(n), or make_shared<T[]>(n, "
                         "linn::value_initialize) if zeros are meant")]] std::shared_ptr<T>
make_shared(std::size_t n) {
    return linn::make_shared<T>(n, value_initialize);
}

/// As `make_shared`, of `T[]` with `n` elements, each a copy of `value`.
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared(std::size_t n, const std::remove_extent_t<T>& value) {
    return std::allocate_shared<std::remove_cv_t<T>>(detail::array_allocator<unsigned char>{},
                                                     detail::checked_length<T>(n), value);
}

/// As `make_shared`, but the object is default-initialised: what T's own constructors leave alone keeps
/// the bytes that the memory held. Also for `T[N]`. Objects of both forms come from one pool.
/// @throws std::bad_alloc, and what the constructor throws; the slot is back in the pool then
/// @snippet examples/10_make_shared.cpp
template <class T>
    requires(detail::makeable<T> && !std::is_unbounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared_for_overwrite() {
    return detail::pooled_shared<T>();
}

/// As `make_shared`, of `T[]` with `n` elements, each default-initialised.
/// @throws std::bad_alloc, std::bad_array_new_length, and what a constructor throws
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T>)
[[nodiscard]] std::shared_ptr<T> make_shared_for_overwrite(std::size_t n) {
    return std::allocate_shared_for_overwrite<std::remove_cv_t<T>>(detail::array_allocator<unsigned char>{},
                                                                   detail::checked_length<T>(n));
}

// --- unique_ptr ------------------------------------------------------------------------------------

/// The deleter of `linn::unique_ptr`. It has no state and does not convert to that of a base class,
/// whose pool would be another one.
/// @complexity that of `pool::destroy`
template <class T>
struct pool_delete {
    constexpr pool_delete() noexcept = default;
    /// T may become const T, but nothing else: both are objects of one pool.
    template <class U>
        requires(!std::is_same_v<U, T> && std::is_same_v<std::remove_cv_t<U>, std::remove_cv_t<T>> &&
                 std::is_convertible_v<U*, T*>)
    constexpr pool_delete(const pool_delete<U>&) noexcept {}

    void operator()(T* p) const noexcept {
        using object = std::remove_cv_t<T>;
        pool<object>::destroy(const_cast<object*>(p));
    }
};

template <class T>
struct detail::deleted_by<pool_delete<T>> {
    using type = T;
};

/// Owns an object of `pool<T>`, and is one pointer wide. For `T[]` it is `std::unique_ptr<T[]>`.
///
/// It converts to `std::shared_ptr<Base>` and to `linn::base_ptr<Base>`, but not to `unique_ptr<Base>`, whose
/// deleter has no state and would give it to the pool of Base. What
/// `release()` gives goes back with `linn::pool<T>::destroy(p)`.
template <class T>
using unique_ptr =
    std::unique_ptr<T,
                    std::conditional_t<std::is_unbounded_array_v<T>, std::default_delete<T>, pool_delete<T>>>;

/// As `std::make_unique<T>(args...)`, from `pool<T>`.
/// @throws std::bad_alloc, and what the constructor throws; the slot is back in the pool then
/// @complexity that of `pool::allocate`
/// @snippet examples/11_make_unique.cpp
template <class T, class... Args>
    requires(detail::makeable<T> && !std::is_array_v<T> && sizeof...(Args) != 0)
[[nodiscard]] unique_ptr<T> make_unique(Args&&... args) {
    return unique_ptr<T>{pool<std::remove_cv_t<T>>::create(std::forward<Args>(args)...)};
}

/// As `make_unique`, of `T()`: the object is zero where it has no constructor of its own.
template <class T>
    requires(detail::makeable<T> && !std::is_array_v<T>)
[[nodiscard]] unique_ptr<T> make_unique(value_initialize_t) {
    return unique_ptr<T>{pool<std::remove_cv_t<T>>::create()};
}

/// As `make_unique`, of `T()` without a warning, for types that it fills little or not at all, or on purpose.
template <class T>
    requires(detail::makeable<T> && !std::is_array_v<T> && !detail::zero_fill_trap<T>)
[[nodiscard]] unique_ptr<T> make_unique() {
    return linn::make_unique<T>(value_initialize);
}

/// As `make_unique`, of `T()` where that fills 256 bytes or more for nothing.
template <class T>
    requires(detail::makeable<T> && !std::is_array_v<T> && detail::zero_fill_trap<T>)
[[nodiscard,
  LINN_DETAIL_DEPRECATED("it fills the object with zeros that its own initialisation leaves alone: use "
                         "linn::make_unique_for_overwrite<T>(), or make_unique<T>(linn::value_initialize) if "
                         "zeros are meant")]] unique_ptr<T>
make_unique() {
    return linn::make_unique<T>(value_initialize);
}

/// `T[]` of `n` elements, value-initialised. A deleter without state cannot know the length, and lengths
/// differ: these are plain `new[]` and `delete[]`.
/// @throws std::bad_alloc, std::bad_array_new_length, and what a constructor throws
/// @complexity that of `new[]`, and O(n)
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T> &&
             !detail::zero_fill_trap<std::remove_extent_t<T>>)
[[nodiscard]] unique_ptr<T> make_unique(std::size_t n) {
    return std::make_unique<T>(detail::checked_length<T>(n));
}

/// As `make_unique`, of `T[]` where that fills 256 bytes or more an element for nothing.
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T> &&
             detail::zero_fill_trap<std::remove_extent_t<T>>)
[[nodiscard,
  LINN_DETAIL_DEPRECATED("it fills the elements with zeros that their own initialisation leaves alone: use "
                         "linn::make_unique_for_overwrite<T[]>(n), or make_unique<T[]>(n, "
                         "linn::value_initialize) if zeros are meant")]] unique_ptr<T>
make_unique(std::size_t n) {
    return std::make_unique<T>(detail::checked_length<T>(n));
}

/// As `make_unique`, of `T[]` whose zeros are meant.
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T>)
[[nodiscard]] unique_ptr<T> make_unique(std::size_t n, value_initialize_t) {
    return std::make_unique<T>(detail::checked_length<T>(n));
}

/// As `make_unique`, but default-initialised: what T's own constructors leave alone keeps what the
/// memory held.
/// @throws std::bad_alloc, and what the constructor throws; the slot is back in the pool then
template <class T>
    requires(detail::makeable<T> && !std::is_array_v<T>)
[[nodiscard]] unique_ptr<T> make_unique_for_overwrite() {
    using object = std::remove_cv_t<T>;
    object* p = pool<object>::allocate();
    return unique_ptr<T>{detail::start_or([p] { return ::new (detail::untyped(p)) object; },
                                          [p] { pool<object>::deallocate(p); })};
}

/// As `make_unique`, of `T[]` with `n` elements, each default-initialised.
/// @throws std::bad_alloc, std::bad_array_new_length, and what a constructor throws
template <class T>
    requires(detail::makeable<T> && std::is_unbounded_array_v<T>)
[[nodiscard]] unique_ptr<T> make_unique_for_overwrite(std::size_t n) {
    return unique_ptr<T>(new std::remove_extent_t<T>[detail::checked_length<T>(n)]);
}

static_assert(sizeof(unique_ptr<int>) == sizeof(int*), "the deleter has no state");

} // namespace linn::inline LINN_ABI

#endif
#endif
