// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_ALLOCATOR_HPP
#define LINN_ALLOCATOR_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/upstream_traits.hpp>
#include <linn/options.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// A standard allocator that takes single objects from the pool of their type and arrays from
/// `Upstream`. Node containers gain from it; the arrays of `vector`, `deque` and hash tables go
/// upstream unchanged.
///
/// Over `std::allocator` it is stateless and all are equal. A stateful `Upstream` is kept, compared
/// and propagated as its own traits say; single objects come from the pool all the same.
/// `rebind` keeps every parameter.
///
/// @complexity constant unless stated otherwise, and that of `Upstream`
/// @threads any thread, as far as `Upstream` allows
/// @snippet examples/03_containers.cpp
template <class T, class Upstream = std::allocator<T>, pool_options... O>
class allocator {
    static_assert(sizeof...(O) <= 1 && (detail::checked_options<O>::done && ...));
    using upstream_type = typename std::allocator_traits<Upstream>::template rebind_alloc<T>;
    using upstream_traits = std::allocator_traits<upstream_type>;

    static_assert(std::is_same_v<typename upstream_traits::pointer, T*>,
                  "linn::allocator: the upstream allocator must use plain pointers");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_copy_assignment =
        typename upstream_traits::propagate_on_container_copy_assignment;
    using propagate_on_container_move_assignment =
        typename upstream_traits::propagate_on_container_move_assignment;
    using propagate_on_container_swap = typename upstream_traits::propagate_on_container_swap;
    using is_always_equal = typename upstream_traits::is_always_equal;

    template <class U>
    struct rebind {
        // To T itself it must be this very type, even when Upstream was named for another one.
        using other = std::conditional_t<
            std::is_same_v<U, T>, allocator,
            allocator<U, typename std::allocator_traits<Upstream>::template rebind_alloc<U>, O...>>;
    };

    constexpr allocator() noexcept(std::is_nothrow_default_constructible_v<upstream_type>)
        requires std::is_default_constructible_v<upstream_type>
    = default;

    /// Arrays come from a copy of `upstream`.
    constexpr explicit allocator(const Upstream& upstream) noexcept : upstream_{upstream} {}

    template <class U, class OtherUpstream>
        requires(!std::is_same_v<allocator, allocator<U, OtherUpstream, O...>> &&
                 std::is_constructible_v<upstream_type, const OtherUpstream&>)
    constexpr allocator(const allocator<U, OtherUpstream, O...>& other) noexcept
        : upstream_{other.upstream()} {}

    /// @throws std::bad_alloc; for more than one object what `Upstream` throws
    /// @complexity that of `pool::allocate`; for more than one object that of `Upstream`
    [[nodiscard]] T* allocate(std::size_t n) {
        static_assert(sizeof(detail::sized<T>) != 0);
        if (n == 1) [[LINN_DETAIL_LIKELY]] {
            return pool_of<>::allocate();
        }
        return upstream_traits::allocate(upstream_, n);
    }

    /// @pre `p` came from `allocate(n)` of an allocator that compares equal
    /// @complexity that of `pool::deallocate`; for more than one object that of `Upstream`
    void deallocate(T* p, std::size_t n) noexcept {
        if (n == 1) [[LINN_DETAIL_LIKELY]] {
            pool_of<>::deallocate(p);
        } else {
            upstream_traits::deallocate(upstream_, p, n);
        }
    }

    /// As `Upstream` constructs: a `polymorphic_allocator` passes its resource on to elements that take one. Declared only if
    /// `Upstream` declares it too.
    /// @throws what `Upstream` throws
    /// @complexity that of `Upstream`
    template <class U, class... Args>
        requires detail::constructs<upstream_type, U, Args...>
    constexpr void construct(U* p, Args&&... args) {
        upstream_traits::construct(upstream_, p, std::forward<Args>(args)...);
    }

    /// As `construct`.
    template <class U>
        requires requires(upstream_type& u, U* p) { u.destroy(p); }
    constexpr void destroy(U* p) {
        upstream_traits::destroy(upstream_, p);
    }

    /// The allocator of a container's copy. Declared only if `Upstream` declares it too: otherwise a class
    /// derived from this one is copied as itself, as one derived from `std::allocator` is.
    /// @throws what `Upstream` throws
    [[nodiscard]] constexpr allocator select_on_container_copy_construction() const
        requires requires(const upstream_type& u) { u.select_on_container_copy_construction(); }
    {
        return allocator{upstream_traits::select_on_container_copy_construction(upstream_), tag{}};
    }

    [[nodiscard]] constexpr const upstream_type& upstream() const noexcept { return upstream_; }

    template <class U, class OtherUpstream>
    friend constexpr bool operator==(const allocator& a,
                                     const allocator<U, OtherUpstream, O...>& b) noexcept {
        if constexpr (is_always_equal::value) {
            return true;
        } else {
            return a.upstream() == upstream_type(b.upstream());
        }
    }

private:
    struct tag {};
    constexpr allocator(const upstream_type& upstream, tag) noexcept : upstream_{upstream} {}

    /// Options that were not given are those of the type, so that `allocator<T>` and `pool<T>` share
    /// their objects. In a template, since T may be incomplete where the allocator is named.
    template <class Object = T>
    using pool_of = detail::pool_core<Object, detail::options_for<Object>(O...)>;

    [[LINN_DETAIL_NO_UNIQUE_ADDRESS]] upstream_type upstream_;
};

/// Not an allocator: what the standard does not let one have is refused.
template <class T, class Upstream>
    requires(!detail::allocator_value<T>)
class allocator<T, Upstream> : public detail::refused_allocator<T> {
public:
    using detail::refused_allocator<T>::refused_allocator;
    template <class U>
    struct rebind {
        using other = allocator<U>;
    };

    static_assert(detail::allocator_value<T>,
                  "linn::allocator: its type must not be const, volatile, a reference or a function");
};
template <class T, class Upstream, pool_options O>
    requires(!detail::allocator_value<T>)
class allocator<T, Upstream, O> : public allocator<T, Upstream> {
public:
    using allocator<T, Upstream>::allocator;
};

} // namespace linn::inline LINN_ABI

#endif
#endif
