// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DEFAULT_INIT_ALLOCATOR_HPP
#define LINN_DEFAULT_INIT_ALLOCATOR_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// An allocator with which a container leaves elements uninitialised that are made from nothing: `vector(n)` and
/// `resize(n)` write nothing for numbers and plain structs. Elements that are made from something, and classes with a
/// constructor, start as usual. To read an element before it is written is an error, as with `new T[n]`.
///
/// Memory comes from `Upstream`. Two allocators are equal if their upstreams are; `rebind` keeps the upstream.
///
/// @complexity that of `Upstream`
/// @threads as `Upstream`
/// @snippet examples/38_default_init_allocator.cpp
template <class T, class Upstream = std::allocator<T>>
class default_init_allocator : public Upstream {
    using traits = std::allocator_traits<Upstream>;

    static_assert(std::is_same_v<typename traits::value_type, T>,
                  "linn::default_init_allocator: the upstream must be an allocator of the same type");
    static_assert(std::is_same_v<typename traits::pointer, T*>,
                  "linn::default_init_allocator: the upstream must use plain pointers");

public:
    template <class U>
    struct rebind {
        using other = default_init_allocator<U, typename traits::template rebind_alloc<U>>;
    };

    using Upstream::Upstream;

    /// @throws nothing where `Upstream` does not
    default_init_allocator() noexcept(std::is_nothrow_default_constructible_v<Upstream>) = default;

    /// Takes memory from a copy of `upstream`.
    default_init_allocator(const Upstream& upstream) noexcept // NOLINT(google-explicit-constructor)
        : Upstream(upstream) {}

    template <class U, class Other>
        requires(!std::is_same_v<U, T> && std::is_constructible_v<Upstream, const Other&>)
    default_init_allocator(const default_init_allocator<U, Other>& other) noexcept
        : Upstream(static_cast<const Other&>(other)) {}

    /// An element as `Upstream` makes it, but default-initialised if it is made from nothing: a plain type is not written then.
    /// If `Upstream` has a `construct` of its own, it makes each class with a constructor: a `polymorphic_allocator` passes
    /// its resource on.
    /// @throws what the constructor of U throws
    template <class U, class... Args>
    void construct(U* p, Args&&... args) {
        constexpr bool passed_on =
            !std::is_trivially_default_constructible_v<U> && requires(Upstream& u) { u.construct(p); };
        if constexpr (sizeof...(Args) == 0 && !passed_on) {
            ::new (static_cast<void*>(p)) U;
        } else {
            traits::construct(static_cast<Upstream&>(*this), p, std::forward<Args>(args)...);
        }
    }

    /// A container's copy, where the upstream chooses it.
    /// @throws what `Upstream` throws
    default_init_allocator select_on_container_copy_construction() const {
        return traits::select_on_container_copy_construction(static_cast<const Upstream&>(*this));
    }
};

} // namespace linn::inline LINN_ABI

#endif
#endif
