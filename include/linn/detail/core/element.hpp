// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_ELEMENT_HPP
#define LINN_DETAIL_CORE_ELEMENT_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>

// What a pool may hold, how an object is made, and what its type is called. A type that is refused costs one sentence of ours, not a
// page about geometry: the pool goes on with a stand-in, so that nothing else is wrong.

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

/// Throws `Error` with that text. Where exceptions are off, prints it and ends the program.
template <class Error>
[[LINN_DETAIL_NORETURN, LINN_DETAIL_COLD]] void throw_argument_error(const char* text) {
#if defined(__cpp_exceptions)
    throw Error{text};
#else
    std::fprintf(stderr, "%s\n", text);
    std::abort();
#endif
}

/// Without exceptions nothing can catch this one: end the program, as `new` does.
[[LINN_DETAIL_NORETURN, LINN_DETAIL_COLD]] inline void throw_bad_alloc() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc{};
#else
    std::abort();
#endif
}

/// Where an object lies, also of a class that overloads operator&, and also a const one.
inline void* untyped(const volatile void* object) noexcept {
    return const_cast<void*>(object);
}

/// A pointer to an object that the memory does not hold yet, or not any more. Clang's control flow integrity
/// (`-fsanitize=cfi`) would read a virtual table there, and end the program.
template <class T>
[[LINN_DETAIL_ALWAYS_INLINE]] LINN_DETAIL_NO_CFI inline T* typed(void* memory) noexcept {
    return static_cast<T*>(memory);
}

LINN_DETAIL_FEW_VALUES_BEGIN

template <class T, class... Args>
T* construct(void* place, Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
    return ::new (place) T(std::forward<Args>(args)...);
}

LINN_DETAIL_FEW_VALUES_END

/// What `start()` returns, which constructs an object; if it throws, `give_back()` runs and the exception
/// goes on.
template <class Start, class GiveBack>
auto start_or(Start&& start, [[maybe_unused]] GiveBack&& give_back) noexcept(noexcept(start())) {
#if defined(__cpp_exceptions)
    try {
        return start();
    } catch (...) {
        give_back();
        throw;
    }
#else
    return start();
#endif
}

/// What `get()` returns, or null where it throws.
template <class Get>
auto or_null(Get&& get) noexcept -> decltype(get()) {
#if defined(__cpp_exceptions)
    try {
        return get();
    } catch (...) {
        return nullptr;
    }
#else
    return get();
#endif
}

template <class T>
constexpr std::string_view decorated_name() noexcept {
    return LINN_DETAIL_FUNCTION_NAME;
}

/// The text around the name, measured once with a type whose name is known.
inline constexpr std::size_t name_prefix = decorated_name<double>().find("double");
inline constexpr std::size_t name_suffix =
    decorated_name<double>().size() - name_prefix - std::string_view{"double"}.size();

/// The name of T as the compiler writes it; needs no RTTI.
template <class T>
constexpr std::string_view type_name() noexcept {
    constexpr std::string_view full = decorated_name<T>();
    return {full.data() + name_prefix, full.size() - name_prefix - name_suffix};
}

/// What statistics and reports call the pool of T. Specialised for types of the library itself that
/// stand for something the user wrote.
template <class T>
inline constexpr std::string_view pool_name = type_name<T>();

/// "make_shared<T>" and the like, spelled out while compiling; arrays as clang writes them, `int[4]`.
template <class T, std::size_t N>
struct name_around {
    char text[N + type_name<T>().size()]{};
    std::size_t size = 0;

    /// @param before with its bracket
    constexpr explicit name_around(const char (&before)[N]) noexcept {
        for (const char c : std::string_view{before, N - 1}) {
            text[size++] = c;
        }
        constexpr std::string_view inside = type_name<T>();
        for (std::size_t i = 0; i != inside.size(); ++i) {
            if (inside.substr(i, 2) != " [") {
                text[size++] = inside[i];
            }
        }
        text[size++] = '>';
    }
};

} // namespace linn::inline LINN_ABI::detail

#endif
