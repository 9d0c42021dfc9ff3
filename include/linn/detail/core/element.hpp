// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_ELEMENT_HPP
#define LINN_DETAIL_CORE_ELEMENT_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

// What a pool may hold. A type that is refused costs one sentence of ours, not a page about geometry: the pool
// goes on with a stand-in, so that nothing else is wrong.

namespace linn::inline LINN_ABI::detail {

/// A type that objects can have: no reference, no function, not void, no array.
template <class T>
concept object_type = std::is_object_v<T> && !std::is_array_v<T>;

/// A type whose definition has been seen. Compilers remember the answer: ask only where T must be complete.
template <class T>
concept complete_type = requires { sizeof(T); };

/// Stands for a type that was refused.
struct stand_in {};

/// Instantiated where a pool first needs to know the size of T. The assertion comes last, since Clang instantiates nothing
/// behind one that fails; so everywhere here.
template <class T>
struct sized_type {
    using type = std::conditional_t<complete_type<T>, T, stand_in>;
    static_assert(complete_type<T>, "linn: the type of a pool must be complete where the pool is used: "
                                    "include the header that defines it");
};

/// T, or a stand-in after an error message.
template <class T>
using sized = typename sized_type<T>::type;

/// Instantiated where T must be one of which objects can be made, if it is complete there.
template <class T>
struct made_type {
    static constexpr bool is_abstract = requires {
        sizeof(T);
        requires std::is_abstract_v<T>;
    };
    using type = std::conditional_t<is_abstract, stand_in, T>;
    static_assert(!is_abstract, "linn: an abstract class has no objects of its own: take a derived class");
};

/// T, or a stand-in after an error message.
template <class T>
using made = typename made_type<sized<T>>::type;

/// A type of which objects can be made.
template <class T>
concept creatable = object_type<T> && complete_type<T> && !std::is_abstract_v<T>;

/// Says why no object of T can be made.
template <class T>
std::nullptr_t refuse_to_create() {
    static_assert(sizeof(made<T>) != 0);
    return nullptr;
}

/// A type that the standard lets an allocator be of.
template <class T>
concept allocator_value = std::is_same_v<T, std::remove_cvref_t<T>> && !std::is_function_v<T>;

/// Key, or a stand-in after an error message where no container has such a key.
/// @tparam Plain Key without what makes no difference
template <class Key, class Plain = Key>
struct checked_key {
    using type = std::conditional_t<allocator_value<Plain>, Key, stand_in>;
    static_assert(allocator_value<Plain>,
                  "linn: the key of a container must not be a reference, a function or, in a set, const");
};

/// What a map allocates for.
template <class Key, class T>
struct entry {
    using type = std::pair<const typename checked_key<Key, std::remove_cv_t<Key>>::type, T>;
};

} // namespace linn::inline LINN_ABI::detail

#endif
