// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_NEW_HPP
#define LINN_TESTS_FUZZ_FAILING_NEW_HPP

#include "failing_scope.hpp"

#include <cstddef>
#include <new>

// Targets that include this are linked with --wrap of that symbol, the aligned operator new that does not throw: the
// headers' own calls of it come here.
extern "C" void* __real__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t align,
                                                           const std::nothrow_t& tag) noexcept;
extern "C" void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes, std::align_val_t align,
                                                           const std::nothrow_t& tag) noexcept;

// Used by the linker only.
[[gnu::used]] inline void* __wrap__ZnwmSt11align_val_tRKSt9nothrow_t(std::size_t bytes,
                                                                     std::align_val_t align,
                                                                     const std::nothrow_t& tag) noexcept {
    return linn_fuzz::failing_scope::refuses() ? nullptr
                                               : __real__ZnwmSt11align_val_tRKSt9nothrow_t(bytes, align, tag);
}

#endif
