// SPDX-License-Identifier: Apache-2.0
// The malloc family, as the program sees it. Return addresses are taken here, in the outermost function, and nowhere
// else; what is not planned goes on to the next definition by a jump.
#include "../../interpose/boot_arena.hpp"
#include "../../interpose/real.hpp"
#include "engine.hpp"
#include "entries.hpp"
#include "sites.hpp"

#include <cerrno>
#include <cstring>

namespace linn::tool::pools {
namespace {

using preload::boot_arena;
using preload::find_real_functions;
using preload::real;

[[gnu::always_inline]] inline void release(void* block) noexcept {
    if (is_in_range(block)) {
        give_from_hook(block);
        return;
    }
    real.free(block);
}

std::size_t size_of_pooled(const void* block) noexcept {
    const std::uint32_t number = pool_of(block);
    return number != pool_numbers ? pools[number].description.object_bytes : 0;
}

/// A block of a pool stays where it is while it fits, and is general memory from then on.
[[gnu::noinline]] void* resize_pooled(void* old, std::size_t bytes, const void* caller) noexcept {
    const std::size_t had = size_of_pooled(old);
    if (bytes != 0 && bytes <= had) {
        return old;
    }
    if (bytes == 0) {
        give(old, caller);
        return nullptr;
    }
    void* const block = real.malloc(bytes);
    if (block != nullptr) {
        std::memcpy(block, old, had);
        give(old, caller);
    }
    return block;
}

struct general_malloc {
    static void* get(std::size_t bytes) noexcept { return real.malloc(bytes); }
};

[[gnu::always_inline]] inline void* allocate(std::size_t bytes, call_place from) noexcept {
    return block_for<general_malloc>(hot.malloc_sizes, bytes, from);
}

/// Of a size that is planned.
[[gnu::noinline]] void* allocate_zeroed_planned(std::size_t bytes, call_place from) noexcept {
    void* const block = planned_block(hot.malloc_sizes, bytes, from);
    return block != nullptr ? std::memset(block, 0, bytes) : real.calloc(1, bytes);
}

[[gnu::always_inline]] inline void* allocate_zeroed(std::size_t count, std::size_t bytes,
                                                    call_place from) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all) ||
        !covers(hot.malloc_sizes.load(std::memory_order_relaxed), all)) [[likely]] {
        return real.calloc(count, bytes);
    }
    return allocate_zeroed_planned(all, from);
}

struct general_realloc {
    static void* get(std::size_t bytes) noexcept { return real.realloc(nullptr, bytes); }
};

[[gnu::always_inline]] inline void* resize(void* old, std::size_t bytes, call_place from) noexcept {
    if (old == nullptr) {
        return block_for<general_realloc>(hot.malloc_sizes, bytes, from);
    }
    if (is_in_range(old)) {
        return resize_pooled(old, bytes, reinterpret_cast<const void*>(from.return_address));
    }
    return real.realloc(old, bytes);
}

[[gnu::always_inline]] inline void* resize(void* old, std::size_t count, std::size_t bytes,
                                           call_place from) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all)) {
        errno = ENOMEM;
        return nullptr;
    }
    return resize(old, all, from);
}

bool is_alignment(std::size_t alignment) noexcept {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

/// Where the real allocator lacks a function, there is no block of that kind.
template <typename Function, typename... Arguments>
[[gnu::always_inline]] inline void* ask(Function* const& real_function, Arguments... arguments) noexcept {
    find_real_functions();
    if (real_function == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    return real_function(arguments...);
}

/// @param next the real function for it
template <typename Function>
[[gnu::always_inline]] inline void* allocate_aligned(std::size_t alignment, std::size_t bytes,
                                                     call_place from, Function* const& next) noexcept {
    if (is_alignment(alignment)) {
        if (void* const block = planned_block(hot.malloc_sizes, bytes, alignment, from)) {
            return block;
        }
    }
    return ask(next, alignment, bytes);
}

[[gnu::always_inline]] inline int allocate_aligned_into(void** result, std::size_t alignment,
                                                        std::size_t bytes, call_place from) noexcept {
    if (is_alignment(alignment) && alignment % sizeof(void*) == 0) {
        if (void* const block = planned_block(hot.malloc_sizes, bytes, alignment, from)) {
            *result = block;
            return 0;
        }
    }
    find_real_functions();
    return real.posix_memalign == nullptr ? ENOMEM : real.posix_memalign(result, alignment, bytes);
}

/// The token that -fsanitize=alloc-token passes instead of the place of the call.
call_place place_of_token(std::uint64_t token) noexcept {
    return {address_of_token(token), 0};
}

// -- what the exported functions jump to while there may be something to look for -----------------------

[[gnu::noinline]] void* looked_up_malloc(std::size_t bytes) noexcept {
    return allocate(bytes, LINN_CALL_PLACE);
}
[[gnu::noinline]] void* looked_up_calloc(std::size_t count, std::size_t bytes) noexcept {
    return allocate_zeroed(count, bytes, LINN_CALL_PLACE);
}
[[gnu::noinline]] void* looked_up_realloc(void* old, std::size_t bytes) noexcept {
    return resize(old, bytes, LINN_CALL_PLACE);
}
[[gnu::noinline]] void looked_up_free(void* block) noexcept {
    release(block);
}

/// Written whole and read whole; at any time each leads to a function that is right.
struct alignas(64) malloc_entries {
    void* (*malloc)(std::size_t) noexcept;
    void* (*calloc)(std::size_t, std::size_t) noexcept;
    void* (*realloc)(void*, std::size_t) noexcept;
    void (*free)(void*) noexcept;
};
constinit malloc_entries entries{looked_up_malloc, looked_up_calloc, looked_up_realloc, looked_up_free};

/// The next definitions throw nothing, as the standard says.
template <typename Result, typename... Arguments>
void lead(Result (*&entry)(Arguments...) noexcept, Result (*to)(Arguments...)) noexcept {
    __atomic_store_n(&entry, reinterpret_cast<Result (*)(Arguments...) noexcept>(to), __ATOMIC_RELAXED);
}

} // namespace

void pass_all_on() noexcept {
    lead(entries.malloc, real.malloc);
    lead(entries.calloc, real.calloc);
    lead(entries.realloc, real.realloc);
    lead(entries.free, real.free);
    pass_operators_on();
}

void pass_allocations_on() noexcept {
    lead(entries.malloc, real.malloc);
    lead(entries.calloc, real.calloc);
    pass_new_on();
}

void look_at_calls() noexcept {
    lead<void*, std::size_t>(entries.malloc, looked_up_malloc);
    lead<void*, std::size_t, std::size_t>(entries.calloc, looked_up_calloc);
    look_at_new();
}

} // namespace linn::tool::pools

using namespace linn::tool::pools;
using linn::tool::preload::find_real_functions;
using linn::tool::preload::real;

#define LINN_HOOK extern "C" __attribute__((visibility("default"), noinline))

LINN_HOOK void* malloc(std::size_t bytes) noexcept {
    return entries.malloc(bytes);
}
LINN_HOOK void* calloc(std::size_t count, std::size_t bytes) noexcept {
    return entries.calloc(count, bytes);
}
LINN_HOOK void* realloc(void* old, std::size_t bytes) noexcept {
    return entries.realloc(old, bytes);
}
LINN_HOOK void* reallocarray(void* old, std::size_t count, std::size_t bytes) noexcept {
    return resize(old, count, bytes, LINN_CALL_PLACE);
}

LINN_HOOK void free(void* block) noexcept {
    entries.free(block);
}
LINN_HOOK void cfree(void* block) noexcept {
    release(block);
}
LINN_HOOK void free_sized(void* block, std::size_t) noexcept {
    release(block);
}
LINN_HOOK void free_aligned_sized(void* block, std::size_t, std::size_t) noexcept {
    release(block);
}

LINN_HOOK int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
    return allocate_aligned_into(result, alignment, bytes, LINN_CALL_PLACE);
}
LINN_HOOK void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return allocate_aligned(alignment, bytes, LINN_CALL_PLACE, real.aligned_alloc);
}
LINN_HOOK void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    return allocate_aligned(alignment, bytes, LINN_CALL_PLACE, real.memalign);
}
LINN_HOOK void* valloc(std::size_t bytes) noexcept { // pages: never planned
    return ask(real.valloc, bytes);
}
LINN_HOOK void* pvalloc(std::size_t bytes) noexcept {
    return ask(real.pvalloc, bytes);
}

LINN_HOOK std::size_t malloc_usable_size(void* block) noexcept {
    if (is_in_range(block)) {
        return size_of_pooled(block);
    }
    find_real_functions();
    return real.malloc_usable_size != nullptr ? real.malloc_usable_size(block) : 0;
}

LINN_HOOK int malloc_trim(std::size_t pad) noexcept {
    const bool gave_back = trim_pools() != 0;
    find_real_functions();
    const int real_one = real.malloc_trim != nullptr ? real.malloc_trim(pad) : 0;
    return gave_back ? 1 : real_one;
}

// -- clang -fsanitize=alloc-token: the same functions, and the number of the type ----------------------------

LINN_HOOK void* __alloc_token_malloc(std::size_t bytes, std::size_t token) noexcept {
    return allocate(bytes, place_of_token(token));
}
LINN_HOOK void* __alloc_token_calloc(std::size_t count, std::size_t bytes, std::size_t token) noexcept {
    return allocate_zeroed(count, bytes, place_of_token(token));
}
LINN_HOOK void* __alloc_token_realloc(void* old, std::size_t bytes, std::size_t token) noexcept {
    return resize(old, bytes, place_of_token(token));
}
LINN_HOOK void* __alloc_token_reallocarray(void* old, std::size_t count, std::size_t bytes,
                                           std::size_t token) noexcept {
    return resize(old, count, bytes, place_of_token(token));
}
LINN_HOOK void* __alloc_token_aligned_alloc(std::size_t alignment, std::size_t bytes,
                                            std::size_t token) noexcept {
    return allocate_aligned(alignment, bytes, place_of_token(token), real.aligned_alloc);
}
LINN_HOOK void* __alloc_token_memalign(std::size_t alignment, std::size_t bytes, std::size_t token) noexcept {
    return allocate_aligned(alignment, bytes, place_of_token(token), real.memalign);
}
LINN_HOOK int __alloc_token_posix_memalign(void** result, std::size_t alignment, std::size_t bytes,
                                           std::size_t token) noexcept {
    return allocate_aligned_into(result, alignment, bytes, place_of_token(token));
}
LINN_HOOK void* __alloc_token_valloc(std::size_t bytes, std::size_t) noexcept {
    return ask(real.valloc, bytes);
}
LINN_HOOK void* __alloc_token_pvalloc(std::size_t bytes, std::size_t) noexcept {
    return ask(real.pvalloc, bytes);
}
