// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

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

/// Memory for those who allocate while the real allocator is being looked for: dlsym itself. Never reused; not recorded,
/// for the program did not ask for it.
class boot_arena {
public:
    static const void* begin() noexcept { return memory; }
    static constexpr std::size_t capacity = std::size_t{64} << 10;

    /// A zeroed block, or null when all is used up.
    static void* allocate(std::size_t bytes) noexcept;

    static bool owns(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory) < capacity;
    }
    /// What was asked for. @pre owns(block)
    static std::size_t size_of(const void* block) noexcept {
        return *reinterpret_cast<const std::size_t*>(static_cast<const unsigned char*>(block) - 16);
    }

private:
    alignas(16) static unsigned char memory[capacity];
};

/// The bytes of an array; all ones where there are more than that.
inline std::size_t array_bytes(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    return __builtin_mul_overflow(count, bytes, &all) ? ~std::size_t{0} : all;
}

constexpr bool is_alignment(std::size_t n) noexcept { // has_single_bit would be a call
    return n != 0 && (n & (n - 1)) == 0;
}

/// Calls a real function. Where the real allocator lacks it, there is no block of that kind.
template <typename Function, typename... Arguments>
[[gnu::always_inline]] inline void* ask(Function* const& real_function, Arguments... arguments) noexcept {
    find_real_functions();
    if (real_function == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    return real_function(arguments...);
}

} // namespace linn::tool::preload
