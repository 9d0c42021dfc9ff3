// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_ELEMENT_HPP
#define LINN_DETAIL_CORE_ELEMENT_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <type_traits>

// What a pool may hold. A type that is refused costs one sentence of ours, not a page about geometry: the pool
// goes on with a stand-in, so that nothing else is wrong.

namespace linn::inline LINN_ABI::detail {

/// A type that objects can have: no reference, no function, not void, no array.
template <class T>
concept object_type = std::is_object_v<T> && !std::is_array_v<T>;

/// A type whose definition has been seen. Compilers remember the answer: ask only where T must be complete.
template <class T>
concept complete_type = requires { sizeof(T); };

/// In place of a type that was refused.
struct stand_in {};

/// Instantiated where a pool first needs to know the size of T.
template <class T>
struct sized_type {
    static_assert(complete_type<T>, "linn: the type of a pool must be complete where the pool is used: "
                                    "include the header that defines it");
    using type = std::conditional_t<complete_type<T>, T, stand_in>;
};

/// T, or a stand-in after an error message.
template <class T>
using sized = typename sized_type<T>::type;

/// A type of which objects can be made.
template <class T>
concept creatable = object_type<T> && complete_type<T> && !std::is_abstract_v<T>;

/// Says why no object of T can be made.
template <class T>
std::nullptr_t refuse_to_create() {
    static_assert(!std::is_abstract_v<sized<T>>,
                  "linn: an abstract class has no objects of its own: take the pool of a derived class");
    return nullptr;
}

} // namespace linn::inline LINN_ABI::detail

#endif
