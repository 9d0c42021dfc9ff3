// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_UPSTREAM_TRAITS_HPP
#define LINN_DETAIL_CORE_UPSTREAM_TRAITS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI::detail {

/// Goes on as an allocator for something else where T was refused, so that a container has nothing more to say.
template <class T>
struct refused_allocator : std::allocator<stand_in> {
    using value_type = std::conditional_t<std::is_function_v<T>, stand_in, std::remove_cvref_t<T>>;

    refused_allocator() = default;
    template <class... Any>
    explicit refused_allocator(Any&&...) noexcept {}
};

/// Whether an object can be made from `Args` by an allocator that passes itself on to objects that take one. Not if it was passed
/// another one already, as by `std::scoped_allocator_adaptor`: then the second one is one too many.
template <class Object, class Allocator, class... Args>
struct can_pass_allocator
    : std::bool_constant<!std::uses_allocator_v<Object, Allocator> ||
                         std::is_constructible_v<Object, std::allocator_arg_t, const Allocator&, Args...> ||
                         std::is_constructible_v<Object, Args..., const Allocator&>> {};

template <class First, class Second, class Allocator, class A, class B>
struct can_pass_allocator<std::pair<First, Second>, Allocator, A, B>
    : std::conjunction<can_pass_allocator<First, Allocator, A>, can_pass_allocator<Second, Allocator, B>> {};

template <class First, class Second, class Allocator, class Piecewise, class... A, class... B>
struct can_pass_allocator<std::pair<First, Second>, Allocator, Piecewise, std::tuple<A...>, std::tuple<B...>>
    : std::conjunction<can_pass_allocator<First, Allocator, A...>,
                       can_pass_allocator<Second, Allocator, B...>> {};

/// `Allocator` has a `construct` of its own that takes these arguments.
template <class Allocator, class Object, class... Args>
concept constructs =
    can_pass_allocator<std::remove_cv_t<Object>, Allocator, Args...>::value &&
    requires(Allocator& a, Object* p, Args&&... args) { a.construct(p, static_cast<Args&&>(args)...); };

} // namespace linn::inline LINN_ABI::detail

#endif
