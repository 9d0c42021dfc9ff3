// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_LOCAL_ALLOCATOR_HPP
#define LINN_LOCAL_ALLOCATOR_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/upstream_traits.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// Storage of so many bytes: the type of a pool that serves every object that fits.
template <std::size_t Bytes, std::size_t Align = alignof(void*)>
struct node_storage {
    static_assert(Bytes != 0, "linn::node_storage: at least one byte");
    alignas(Align) std::byte bytes[Bytes];
};

namespace detail {

/// Most words that a node of a standard container has in addition to its value: pointers, a colour, a hash.
template <class Container>
consteval std::size_t node_words() {
    if constexpr (requires { typename Container::hasher; }) {
        return 2;
    } else if constexpr (requires { typename Container::key_compare; }) {
        return 4;
    } else if constexpr (requires(Container& c) { c.push_back(*c.begin()); }) {
        return 2;
    } else {
        return 1;
    }
}

template <class Value, std::size_t Words>
struct node_shape {
    void* words[Words];
    alignas(Value) std::byte value[sizeof(Value)];
};

template <class Container>
using shape_of = node_shape<typename Container::value_type, node_words<Container>()>;

} // namespace detail

/// Storage for a node of `Container`, one of the node containers of the standard library: `list`, `forward_list`,
/// `map`, `set` and their kin, with any allocator. As small as the nodes of libstdc++ and libc++, or a word larger.
///
/// ```
/// linn::local_pool<linn::node_slot<std::list<int>>> nodes;
/// ```
template <class Container>
using node_slot = node_storage<sizeof(detail::shape_of<Container>), alignof(detail::shape_of<Container>)>;

/// A standard allocator over a pool that is an object: a `local_pool` or a `fixed_pool`. A single object that fits a
/// slot of the pool comes from there; everything else, arrays and larger objects, from `Upstream`.
///
/// With `Upstream = void` there is nothing else: an object that does not fit is refused while compiling, and to ask
/// for an array throws `std::bad_alloc`. Then no container takes memory from anywhere but the pool.
///
/// A container asks for its own nodes, not for T, so the pool is one of `node_slot<Container>`, or of any type that
/// is as large. Two allocators are equal when they have the same pool and equal upstreams. `rebind` keeps both. A
/// container's copy, move and swap take the allocator along; copy assignment keeps the one that is there.
///
/// The pool must outlive what was allocated from it.
///
/// @complexity constant where nothing else is said
/// @threads as the pool: one at a time
/// @snippet examples/36_local_allocator.cpp
template <class T, class Pool, class Upstream = std::allocator<T>>
class local_allocator {
    static_assert(std::is_void_v<Upstream> || std::is_class_v<Upstream>,
                  "linn::local_allocator: the upstream must be an allocator, or void for none");
    static constexpr bool alone = std::is_void_v<Upstream>;

    /// `std::allocator` stands for none, and is not asked for anything.
    using upstream_type = typename std::allocator_traits<
        std::conditional_t<alone, std::allocator<T>, Upstream>>::template rebind_alloc<T>;

public:
    using value_type = T;
    using pool_type = Pool;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::false_type;

    template <class U>
    struct rebind {
        using other = local_allocator<U, Pool, Upstream>;
    };

    /// Allocates from `pool`. Implicit, so that a container can be made from its pool.
    local_allocator(Pool& pool) noexcept // NOLINT(google-explicit-constructor)
        requires std::is_default_constructible_v<upstream_type>
        : pool_{&pool} {}

    /// Other objects come from a copy of `upstream`.
    template <class U>
        requires(!alone && std::is_constructible_v<upstream_type, const U&>)
    local_allocator(Pool& pool, const U& upstream) noexcept : pool_{&pool},
                                                              upstream_(upstream) {}

    template <class U>
        requires(!std::is_same_v<U, T>)
    local_allocator(const local_allocator<U, Pool, Upstream>& other) noexcept
        : pool_{&other.pool()},
          upstream_(other.upstream()) {}

    /// @throws std::bad_alloc, and what `Upstream` throws
    /// @complexity that of the pool's `allocate`
    [[nodiscard]] T* allocate(std::size_t n) {
        static_assert(
            fits<T>() || !alone,
            "linn::local_allocator: an object does not fit a slot of the pool, and there is no upstream");
        if constexpr (fits<T>()) {
            if (n == 1) [[LINN_DETAIL_LIKELY]] {
                return detail::typed<T>(pool_->allocate());
            }
        }
        if constexpr (alone) {
            detail::throw_bad_alloc();
        } else {
            return std::allocator_traits<upstream_type>::allocate(upstream_, n);
        }
    }

    /// @pre `p` came from `allocate(n)` of an allocator that compares equal
    /// @complexity that of the pool's `deallocate`
    void deallocate(T* p, std::size_t n) noexcept {
        if constexpr (fits<T>()) {
            if (n == 1) [[LINN_DETAIL_LIKELY]] {
                pool_->deallocate(detail::typed<typename Pool::value_type>(detail::untyped(p)));
                return;
            }
        }
        if constexpr (!alone) {
            std::allocator_traits<upstream_type>::deallocate(upstream_, p, n);
        }
    }

    /// As `Upstream` constructs. Declared only if `Upstream` declares it too.
    /// @throws what `Upstream` throws
    /// @complexity that of `Upstream`
    template <class U, class... Args>
        requires detail::constructs<upstream_type, U, Args...>
    constexpr void construct(U* p, Args&&... args) {
        std::allocator_traits<upstream_type>::construct(upstream_, p, std::forward<Args>(args)...);
    }

    /// As `construct`.
    template <class U>
        requires requires(upstream_type& u, U* p) { u.destroy(p); }
    constexpr void destroy(U* p) {
        std::allocator_traits<upstream_type>::destroy(upstream_, p);
    }

    [[nodiscard]] Pool& pool() const noexcept { return *pool_; }
    [[nodiscard]] const upstream_type& upstream() const noexcept { return upstream_; }

    /// Whether an object of U comes from the pool.
    template <class U>
    [[nodiscard]] static constexpr bool fits() noexcept {
        return sizeof(detail::sized<U>) <= sizeof(typename Pool::value_type) &&
               alignof(detail::sized<U>) <= alignof(typename Pool::value_type);
    }

    template <class U>
    friend bool operator==(const local_allocator& a, const local_allocator<U, Pool, Upstream>& b) noexcept {
        return &a.pool() == &b.pool() && a.upstream() == upstream_type(b.upstream());
    }

private:
    Pool* pool_;
    [[LINN_DETAIL_NO_UNIQUE_ADDRESS]] upstream_type upstream_{};
};

/// Not an allocator: what the standard does not let one have is refused.
template <class T, class Pool, class Upstream>
    requires(!detail::allocator_value<T>)
class local_allocator<T, Pool, Upstream> : public detail::refused_allocator<T> {
public:
    local_allocator(Pool&) noexcept {} // NOLINT(google-explicit-constructor)
    using detail::refused_allocator<T>::refused_allocator;
    template <class U>
    struct rebind {
        using other = local_allocator<U, Pool, Upstream>;
    };

    static_assert(detail::allocator_value<T>,
                  "linn::local_allocator: its type must not be const, volatile, a reference or a function");
};

} // namespace linn::inline LINN_ABI

#endif
#endif
