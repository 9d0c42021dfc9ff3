// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_REPLACED_NEW_HPP
#define LINN_TESTS_SUPPORT_REPLACED_NEW_HPP

/// @file
/// Every operator new and delete of a program, by the two functions that it declares before it includes this, in one source:
///
///     void* linn_test::get_block(std::size_t bytes, std::size_t align) noexcept; // null when there is no memory
///     void linn_test::put_block(void*) noexcept;
///
/// All of them, since those of AddressSanitizer do not call one another.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace linn_test {

inline void* get_block_or_throw(std::size_t bytes, std::size_t align) {
    void* p = get_block(bytes, align);
    if (p == nullptr) {
#if defined(__cpp_exceptions)
        throw std::bad_alloc{};
#else
        std::abort();
#endif
    }
    return p;
}

inline constexpr std::size_t usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

} // namespace linn_test

// GCC inlines delete but not new, and then warns that free gets what came from new.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

#define LINN_TEST_REPLACE(array)                                                                             \
    void* operator new array(std::size_t n) {                                                                \
        return linn_test::get_block_or_throw(n, linn_test::usual_alignment);                                 \
    }                                                                                                        \
    void* operator new array(std::size_t n, std::align_val_t a) {                                            \
        return linn_test::get_block_or_throw(n, static_cast<std::size_t>(a));                                \
    }                                                                                                        \
    void* operator new array(std::size_t n, const std::nothrow_t&) noexcept {                                \
        return linn_test::get_block(n, linn_test::usual_alignment);                                          \
    }                                                                                                        \
    void* operator new array(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {            \
        return linn_test::get_block(n, static_cast<std::size_t>(a));                                         \
    }                                                                                                        \
    void operator delete array(void* p) noexcept {                                                           \
        linn_test::put_block(p);                                                                             \
    }                                                                                                        \
    void operator delete array(void* p, std::size_t) noexcept {                                              \
        linn_test::put_block(p);                                                                             \
    }                                                                                                        \
    void operator delete array(void* p, std::align_val_t) noexcept {                                         \
        linn_test::put_block(p);                                                                             \
    }                                                                                                        \
    void operator delete array(void* p, std::size_t, std::align_val_t) noexcept {                            \
        linn_test::put_block(p);                                                                             \
    }                                                                                                        \
    void operator delete array(void* p, const std::nothrow_t&) noexcept {                                    \
        linn_test::put_block(p);                                                                             \
    }                                                                                                        \
    void operator delete array(void* p, std::align_val_t, const std::nothrow_t&) noexcept {                  \
        linn_test::put_block(p);                                                                             \
    }

// NOLINTBEGIN(misc-definitions-in-headers): included once in a program
LINN_TEST_REPLACE()
LINN_TEST_REPLACE([])
// NOLINTEND(misc-definitions-in-headers)

#endif
