// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_CONSTRUCT_HPP
#define LINN_DETAIL_CORE_CONSTRUCT_HPP

#include <linn/config.hpp>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI::detail {

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

} // namespace linn::inline LINN_ABI::detail

#endif
