// SPDX-License-Identifier: Apache-2.0
// Every function through which a program allocates. Included once by each library that is preloaded, behind its `receiver`: what
// these functions do. They stay the outermost ones: a receiver's functions are inlined, and may look at their caller.
#pragma once

#include "real.hpp"

#include <cstddef>
#include <new>

#define LINN_ENTRY __attribute__((visibility("default"), noinline))
#define LINN_C(result, name, parameters, call)                                                               \
    LINN_ENTRY result name parameters noexcept {                                                             \
        return receiver::call;                                                                               \
    }
#define LINN_ALIGNED(name, parameters, alignment, arguments)                                                 \
    LINN_C(void*, name, parameters, aligned(alignment, bytes, [=] { return preload::ask arguments; }))
#define LINN_NEW(name, symbol, parameters, arguments)                                                        \
    LINN_ENTRY void* operator symbol parameters {                                                            \
        return receiver::get<preload::operator_name::name> arguments;                                        \
    }
#define LINN_DELETE(name, symbol, parameters, arguments)                                                     \
    LINN_ENTRY void operator symbol parameters noexcept {                                                    \
        receiver::put<preload::operator_name::name> arguments;                                               \
    }

namespace preload = linn::tool::preload;

extern "C" {
LINN_C(void*, malloc, (std::size_t bytes), malloc(bytes))
LINN_C(void*, calloc, (std::size_t count, std::size_t bytes), calloc(count, bytes))
LINN_C(void*, realloc, (void* old, std::size_t bytes), realloc(old, bytes))
LINN_C(void*, reallocarray, (void* old, std::size_t count, std::size_t bytes),
       reallocarray(old, count, bytes))
LINN_C(void, free, (void* block), free(block))
LINN_C(void, cfree, (void* block), free(block))
LINN_C(void, free_sized, (void* block, std::size_t), free(block))
LINN_C(void, free_aligned_sized, (void* block, std::size_t, std::size_t), free(block))
LINN_C(int, posix_memalign, (void** result, std::size_t alignment, std::size_t bytes),
       posix_memalign(result, alignment, bytes))
LINN_ALIGNED(aligned_alloc, (std::size_t alignment, std::size_t bytes), alignment,
             (preload::real.aligned_alloc, alignment, bytes))
LINN_ALIGNED(memalign, (std::size_t alignment, std::size_t bytes), alignment,
             (preload::real.memalign, alignment, bytes))
LINN_ALIGNED(valloc, (std::size_t bytes), 4096, (preload::real.valloc, bytes))
LINN_ALIGNED(pvalloc, (std::size_t bytes), 4096, (preload::real.pvalloc, bytes))
}

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

LINN_NEW(new_plain, new, (size_t bytes), (bytes))
LINN_NEW(new_array, new[], (size_t bytes), (bytes))
LINN_NEW(new_nothrow, new, (size_t bytes, const nothrow_t&) noexcept, (bytes))
LINN_NEW(new_array_nothrow, new[], (size_t bytes, const nothrow_t&) noexcept, (bytes))
LINN_NEW(new_aligned, new, (size_t bytes, align_val_t to), (bytes, to))
LINN_NEW(new_array_aligned, new[], (size_t bytes, align_val_t to), (bytes, to))
LINN_NEW(new_aligned_nothrow, new, (size_t bytes, align_val_t to, const nothrow_t&) noexcept, (bytes, to))
LINN_NEW(new_array_aligned_nothrow, new[], (size_t bytes, align_val_t to, const nothrow_t&) noexcept,
         (bytes, to))

LINN_DELETE(delete_plain, delete, (void* block), (block))
LINN_DELETE(delete_array, delete[], (void* block), (block))
LINN_DELETE(delete_sized, delete, (void* block, size_t bytes), (block, bytes))
LINN_DELETE(delete_array_sized, delete[], (void* block, size_t bytes), (block, bytes))
LINN_DELETE(delete_nothrow, delete, (void* block, const nothrow_t&), (block))
LINN_DELETE(delete_array_nothrow, delete[], (void* block, const nothrow_t&), (block))
LINN_DELETE(delete_aligned, delete, (void* block, align_val_t to), (block, to))
LINN_DELETE(delete_array_aligned, delete[], (void* block, align_val_t to), (block, to))
LINN_DELETE(delete_sized_aligned, delete, (void* block, size_t bytes, align_val_t to), (block, bytes, to))
LINN_DELETE(delete_array_sized_aligned, delete[], (void* block, size_t bytes, align_val_t to),
            (block, bytes, to))
LINN_DELETE(delete_aligned_nothrow, delete, (void* block, align_val_t to, const nothrow_t&), (block, to))
LINN_DELETE(delete_array_aligned_nothrow, delete[], (void* block, align_val_t to, const nothrow_t&),
            (block, to))
