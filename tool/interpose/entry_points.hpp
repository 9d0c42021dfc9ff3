// SPDX-License-Identifier: Apache-2.0
// Every function through which a program allocates. Included once by each library that is preloaded, behind its `receiver`: what
// these functions do. They stay the outermost ones: a receiver's functions are inlined, and may look at their caller.
#pragma once

#include "real.hpp"

#include <cstddef>
#include <new>

#define LINN_ENTRY __attribute__((visibility("default"), noinline))

extern "C" {

LINN_ENTRY void* malloc(std::size_t bytes) noexcept {
    return receiver::malloc(bytes);
}
LINN_ENTRY void* calloc(std::size_t count, std::size_t bytes) noexcept {
    return receiver::calloc(count, bytes);
}
LINN_ENTRY void* realloc(void* old, std::size_t bytes) noexcept {
    return receiver::realloc(old, bytes);
}
LINN_ENTRY void* reallocarray(void* old, std::size_t count, std::size_t bytes) noexcept {
    return receiver::reallocarray(old, count, bytes);
}

LINN_ENTRY void free(void* block) noexcept {
    receiver::free(block);
}
LINN_ENTRY void cfree(void* block) noexcept {
    receiver::free(block);
}
LINN_ENTRY void free_sized(void* block, std::size_t) noexcept {
    receiver::free(block);
}
LINN_ENTRY void free_aligned_sized(void* block, std::size_t, std::size_t) noexcept {
    receiver::free(block);
}

LINN_ENTRY int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
    return receiver::posix_memalign(result, alignment, bytes);
}
LINN_ENTRY void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    using namespace linn::tool::preload;
    return receiver::aligned(alignment, bytes, [=] { return ask(real.aligned_alloc, alignment, bytes); });
}
LINN_ENTRY void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    using namespace linn::tool::preload;
    return receiver::aligned(alignment, bytes, [=] { return ask(real.memalign, alignment, bytes); });
}
LINN_ENTRY void* valloc(std::size_t bytes) noexcept {
    using namespace linn::tool::preload;
    return receiver::aligned(4096, bytes, [=] { return ask(real.valloc, bytes); });
}
LINN_ENTRY void* pvalloc(std::size_t bytes) noexcept {
    using namespace linn::tool::preload;
    return receiver::aligned(4096, bytes, [=] { return ask(real.pvalloc, bytes); });
}
}

using operator_name = linn::tool::preload::operator_name;

LINN_ENTRY void* operator new(std::size_t bytes) {
    return receiver::get<operator_name::new_plain>(bytes);
}
LINN_ENTRY void* operator new[](std::size_t bytes) {
    return receiver::get<operator_name::new_array>(bytes);
}
LINN_ENTRY void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return receiver::get<operator_name::new_nothrow>(bytes);
}
LINN_ENTRY void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return receiver::get<operator_name::new_array_nothrow>(bytes);
}
LINN_ENTRY void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return receiver::get<operator_name::new_aligned>(bytes, alignment);
}
LINN_ENTRY void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return receiver::get<operator_name::new_array_aligned>(bytes, alignment);
}
LINN_ENTRY void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return receiver::get<operator_name::new_aligned_nothrow>(bytes, alignment);
}
LINN_ENTRY void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                const std::nothrow_t&) noexcept {
    return receiver::get<operator_name::new_array_aligned_nothrow>(bytes, alignment);
}

LINN_ENTRY void operator delete(void* block) noexcept {
    receiver::put<operator_name::delete_plain>(block);
}
LINN_ENTRY void operator delete[](void* block) noexcept {
    receiver::put<operator_name::delete_array>(block);
}
LINN_ENTRY void operator delete(void* block, std::size_t bytes) noexcept {
    receiver::put<operator_name::delete_sized>(block, bytes);
}
LINN_ENTRY void operator delete[](void* block, std::size_t bytes) noexcept {
    receiver::put<operator_name::delete_array_sized>(block, bytes);
}
LINN_ENTRY void operator delete(void* block, const std::nothrow_t&) noexcept {
    receiver::put<operator_name::delete_nothrow>(block);
}
LINN_ENTRY void operator delete[](void* block, const std::nothrow_t&) noexcept {
    receiver::put<operator_name::delete_array_nothrow>(block);
}
LINN_ENTRY void operator delete(void* block, std::align_val_t alignment) noexcept {
    receiver::put<operator_name::delete_aligned>(block, alignment);
}
LINN_ENTRY void operator delete[](void* block, std::align_val_t alignment) noexcept {
    receiver::put<operator_name::delete_array_aligned>(block, alignment);
}
LINN_ENTRY void operator delete(void* block, std::size_t bytes, std::align_val_t alignment) noexcept {
    receiver::put<operator_name::delete_sized_aligned>(block, bytes, alignment);
}
LINN_ENTRY void operator delete[](void* block, std::size_t bytes, std::align_val_t alignment) noexcept {
    receiver::put<operator_name::delete_array_sized_aligned>(block, bytes, alignment);
}
LINN_ENTRY void operator delete(void* block, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    receiver::put<operator_name::delete_aligned_nothrow>(block, alignment);
}
LINN_ENTRY void operator delete[](void* block, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    receiver::put<operator_name::delete_array_aligned_nothrow>(block, alignment);
}
