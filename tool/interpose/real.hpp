// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::tool::preload {

/// The functions that the program would have called without us: the next definitions in the loader's order, of the C
/// library or of an allocator that is preloaded too. Before they are known, malloc, calloc, realloc and free look
/// for them.
struct real_functions {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    // Null where it is not defined.
    void* (*memalign)(std::size_t, std::size_t) = nullptr;
    void* (*aligned_alloc)(std::size_t, std::size_t) = nullptr;
    int (*posix_memalign)(void**, std::size_t, std::size_t) = nullptr;
    void* (*valloc)(std::size_t) = nullptr;
    void* (*pvalloc)(std::size_t) = nullptr;
    std::size_t (*malloc_usable_size)(void*) = nullptr;
    int (*malloc_trim)(std::size_t) = nullptr;
    int (*dlclose)(void*) = nullptr;
    void* (*dlopen)(const char*, int) = nullptr;
    int (*mlockall)(int) = nullptr;
};
[[gnu::visibility("hidden")]] extern real_functions real; // or each use would load its address first

/// Looks for them and for the operators, once.
void find_real_functions() noexcept;

/// Where this file stands among those in which the loader looks for a function: before all that count, as a preload does, or
/// behind them, as a library that a running program opens: then the definitions count that the program's calls lead to.
enum class own_place : std::uint8_t { first, last };

/// Looks for the functions and operators in the files that are mapped, in the loader's order. Takes the loader's lock.
void find_functions(own_place place) noexcept;

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

/// The replaceable functions, in the order of their mangled names in real.cpp. is_array() and the like know the order.
enum class operator_name : std::uint8_t {
    new_plain,
    new_array,
    new_nothrow,
    new_array_nothrow,
    new_aligned,
    new_array_aligned,
    new_aligned_nothrow,
    new_array_aligned_nothrow,
    delete_plain,
    delete_array,
    delete_sized,
    delete_array_sized,
    delete_nothrow,
    delete_array_nothrow,
    delete_aligned,
    delete_array_aligned,
    delete_sized_aligned,
    delete_array_sized_aligned,
    delete_aligned_nothrow,
    delete_array_aligned_nothrow,
};
inline constexpr std::size_t operator_count = 20;

/// How to do what the program's own would.
enum class operator_way : std::uint8_t {
    unknown, ///< not looked for yet
    malloc, ///< it is a standard library's: malloc or free, where no function that it is built on is replaced
    foreign, ///< of another library, an allocator for example: call it, record one event
    passed,  ///< a standard library's on top of a replaced one: call it, and see what that does
};

struct operators {
    operator_way ways[operator_count];
    void* next[operator_count]; ///< the definition behind ours; may be null
    // A file before ours defines it, so ours is never called.
    bool is_malloc_taken; ///< or free, calloc or realloc
    bool is_any_taken;    ///< of the operators
};
[[gnu::visibility("hidden")]] extern operators next_operators; // or each use would load its address first

const char* mangled_name(operator_name name) noexcept;

/// Whether a mapped file is the one that this is linked into.
bool is_own_file(const dl_phdr_info& file) noexcept;

constexpr std::size_t index_of(operator_name name) noexcept {
    return static_cast<std::size_t>(name);
}
constexpr bool is_array(operator_name name) noexcept {
    return index_of(name) % 2 != 0;
}
constexpr bool is_new(operator_name name) noexcept {
    return name < operator_name::delete_plain;
}
constexpr bool is_aligned_new(operator_name name) noexcept {
    return is_new(name) && name >= operator_name::new_aligned;
}
constexpr bool is_nothrow(operator_name name) noexcept {
    return is_new(name) ? index_of(name) % 4 > 1 : (index_of(name) - 8) % 6 > 3;
}

/// What is known of an operator; looks for it at the first call.
[[gnu::always_inline]] inline operator_way way_of(operator_name name) noexcept {
    operator_way way = next_operators.ways[index_of(name)];
    if (way == operator_way::unknown) [[unlikely]] {
        find_real_functions();
        way = next_operators.ways[index_of(name)];
    }
    return way;
}

/// A definition of a function in any file but this one; for what a library brought along that was opened later.
void* find_anywhere(const char* mangled) noexcept;

/// Calls the definition behind ours, of a signature without its nothrow_t.
template <operator_name Name, typename Result, typename... Arguments>
Result call_next(Arguments... arguments) {
    void* function = next_operators.next[index_of(Name)];
    if (function == nullptr) [[unlikely]] {
        function = find_anywhere(mangled_name(Name));
    }
    if (function == nullptr) {
        if constexpr (is_nothrow(Name) && is_new(Name)) {
            return nullptr;
        }
        __builtin_trap(); // what a throwing operator does for a program without one: no frame could catch an exception
    }
    if constexpr (is_nothrow(Name)) {
        constexpr std::nothrow_t tag{};
        return reinterpret_cast<Result (*)(Arguments..., const std::nothrow_t&)>(function)(arguments..., tag);
    } else {
        return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
    }
}
template <operator_name Name>
void* call_next_new(std::size_t bytes, [[maybe_unused]] std::size_t alignment) noexcept(is_nothrow(Name)) {
    if constexpr (is_aligned_new(Name)) {
        return call_next<Name, void*>(bytes, std::align_val_t{alignment});
    } else {
        return call_next<Name, void*>(bytes);
    }
}

/// A block as the standard library's operator gets it; null as malloc is.
[[gnu::always_inline]] inline void* plain_block(std::size_t bytes) noexcept {
    return real.malloc(bytes != 0 ? bytes : 1);
}
void* aligned_block(std::size_t bytes, std::size_t alignment) noexcept;

} // namespace linn::tool::preload
