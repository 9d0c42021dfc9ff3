// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace linn::tool::preload {

/// The functions that the program would have called without us: the next definitions in the loader's order, of the C
/// library or of an allocator that is preloaded too. Before they are known, the members look for them first.
struct real_functions {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    void* (*memset)(void*, int, std::size_t);
    // Null where it is not defined.
    void* (*memset_chk)(void*, int, std::size_t, std::size_t);
    void* (*reallocarray)(void*, std::size_t, std::size_t);
    void* (*memalign)(std::size_t, std::size_t);
    void* (*aligned_alloc)(std::size_t, std::size_t);
    int (*posix_memalign)(void**, std::size_t, std::size_t);
    void* (*valloc)(std::size_t);
    void* (*pvalloc)(std::size_t);
    std::size_t (*malloc_usable_size)(void*);
    int (*malloc_trim)(std::size_t);
    int (*dlclose)(void*);
    void* (*dlopen)(const char*, int);
    int (*mlockall)(int);
};
[[gnu::visibility("hidden")]] extern real_functions real; // or each use would load its address first

/// Looks for them, once. False while the same is under way, that is in an allocation of dlsym.
bool find_real_functions() noexcept;

/// For a library that a running program opens: the definitions that the program's calls lead to. Not the next ones in the
/// loader's order, which begins with the library itself then. Takes the loader's lock.
void find_program_functions() noexcept;

} // namespace linn::tool::preload
