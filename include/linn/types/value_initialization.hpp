// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TYPES_VALUE_INITIALIZATION_HPP
#define LINN_TYPES_VALUE_INITIALIZATION_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <cstddef>
#include <new>
#include <type_traits>

/// @file
/// What can be told at compile time about the bytes that `T()` writes and `T` default-initialised does
/// not. `<linn/zero_fill.hpp>` counts them; it includes this, as `<linn/memory.hpp>` does, which must not pay for the probes.

namespace linn::inline LINN_ABI {

namespace detail {

/// [dcl.init]: `new const T` is ill-formed exactly where T has no default constructor of its own and
/// some member would stay uninitialised, which is where `T()` fills T with zeros first.
template <class T>
concept const_default_constructible = requires { ::new const T; };

template <class T>
constexpr bool fills_with_zeros() noexcept {
    if constexpr (!std::is_default_constructible_v<T> || std::is_empty_v<T>) {
        return false;
    } else {
        return std::is_trivially_default_constructible_v<T> || !const_default_constructible<T>;
    }
}

} // namespace detail

/// Whether `T()` fills memory with zeros that default-initialisation of T leaves alone. Arrays are as
/// their elements.
///
/// It errs on one side: a type for which it is true fills at least one byte, unless all that it has are
/// empty members. It is false for some that do: a class with no constructor all of whose members have
/// one, and one of these leaves bytes alone; with GCC, a class whose only such member is an anonymous
/// union.
/// `value_initialization_fill` counts exactly.
/// @source [dcl.init.general]: const-default-constructible
template <class T>
inline constexpr bool value_initialization_fills =
    detail::fills_with_zeros<std::remove_cv_t<std::remove_all_extents_t<T>>>();

/// Specialise it as true for a type whose zeros are meant, and `linn::make_shared<T>()` and
/// `linn::make_unique<T>()` do not warn:
///
/// ```
/// template <>
/// inline constexpr bool linn::zero_fill_intended<histogram> = true;
/// ```
template <class T>
inline constexpr bool zero_fill_intended = false;

/// Says in one call that zeros are meant: `linn::make_shared<T>(linn::value_initialize)`.
struct value_initialize_t {
    explicit value_initialize_t() = default;
};
inline constexpr value_initialize_t value_initialize{};

namespace detail {

/// Smaller fills cost next to nothing: a few vector stores.
inline constexpr std::size_t noticeable_fill_bytes = 256;

/// Whether value-initialising T without being asked to is worth a warning.
template <class T>
concept zero_fill_trap = sizeof(T) >= noticeable_fill_bytes && value_initialization_fills<T> &&
                         !zero_fill_intended<std::remove_cv_t<T>> &&
                         !zero_fill_intended<std::remove_cv_t<std::remove_all_extents_t<T>>>;

} // namespace detail

} // namespace linn::inline LINN_ABI

#endif
#endif
