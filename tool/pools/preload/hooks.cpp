// SPDX-License-Identifier: Apache-2.0
// The functions through which the program allocates. Return addresses are taken in the outermost function, and nowhere else; what is
// not planned goes on to the next definition by a jump. Where the standard library's operators would call malloc or free, so do we,
// and save the detour; failures are left to the library, which knows new handlers and alone can throw. Nothing here catches.
#include "../../interpose/real.hpp"
#include "sites.hpp"

#include <cerrno>
#include <cstring>
#include <new>

namespace linn::tool::pools {
namespace {

using preload::call_next;
using preload::call_next_new;
using preload::find_real_functions;
using preload::index_of;
using preload::next_operators;
using preload::operator_name;
using preload::operator_way;
using preload::real;
using preload::way_of;
using enum preload::operator_name;

std::size_t size_of_pooled(const void* block) noexcept {
    const std::uint32_t number = pool_of(block);
    return number != pool_numbers ? pools[number].description.sizes.object_bytes : 0;
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

/// Of a size that is planned.
[[gnu::noinline]] void* allocate_zeroed_planned(std::size_t bytes, call_place from) noexcept {
    void* const block = planned_block(hot.malloc_sizes, bytes, 1, from);
    return block != nullptr ? std::memset(block, 0, bytes) : real.calloc(1, bytes);
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

// -- the operators ----------------------------------------------------------------------------------

template <operator_name Name>
[[gnu::noinline]] void* new_by_its_way(std::size_t bytes) {
    if (way_of(Name) == operator_way::malloc) {
        if (void* const block = preload::plain_block(bytes)) {
            return block;
        }
    }
    return call_next_new<Name>(bytes, 0);
}

template <operator_name Name>
struct general_new {
    [[gnu::noinline]] static void* get(std::size_t bytes) {
        if (next_operators.ways[index_of(Name)] == operator_way::malloc) [[likely]] {
            if (void* const block = preload::plain_block(bytes)) [[likely]] {
                return block;
            }
        }
        return new_by_its_way<Name>(bytes);
    }
};

/// Of an operator that programs do not call often.
template <operator_name Name>
[[gnu::always_inline]] inline void* get(std::size_t bytes, std::size_t alignment,
                                        call_place from) noexcept(is_nothrow(Name)) {
    constexpr bool is_aligned = is_aligned_new(Name);
    void* block = nullptr;
    if (!is_aligned || preload::is_alignment(alignment)) {
        block = planned_block(hot.new_sizes, bytes, is_aligned ? alignment : 1, from);
    }
    if (block == nullptr && way_of(Name) == operator_way::malloc) [[likely]] {
        block = is_aligned ? preload::aligned_block(bytes, alignment) : preload::plain_block(bytes);
    }
    return block != nullptr ? block : call_next_new<Name>(bytes, alignment);
}

template <operator_name Name, typename... More>
[[gnu::noinline]] void next_delete(void* block, More... more) noexcept {
    if (way_of(Name) == operator_way::malloc) {
        real.free(block);
    } else if (block != nullptr) {
        call_next<Name, void>(block, more...);
    }
}

template <operator_name Name, typename... More>
[[gnu::always_inline]] inline void put(void* block, More... more) noexcept {
    if (is_in_range(block)) {
        give(block, __builtin_return_address(0));
    } else if (next_operators.ways[index_of(Name)] == operator_way::malloc) [[likely]] {
        real.free(block);
    } else {
        next_delete<Name>(block, more...);
    }
}

// -- what the functions that programs call most jump to ------------------------------------------------
// A jump leaves the return address where it was, so what looks calls up finds it; and where there is nothing to look for, the jump
// leads to what the program would have called without us.

[[gnu::noinline]] void* looked_up_malloc(std::size_t bytes) noexcept {
    return block_for<general_malloc>(hot.malloc_sizes, bytes, LINN_CALL_PLACE);
}
[[gnu::noinline]] void* looked_up_calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t all = 0;
    if (__builtin_mul_overflow(count, bytes, &all) ||
        !covers(hot.malloc_sizes.load(std::memory_order_relaxed), all)) [[likely]] {
        return real.calloc(count, bytes);
    }
    return allocate_zeroed_planned(all, LINN_CALL_PLACE);
}
[[gnu::noinline]] void* looked_up_realloc(void* old, std::size_t bytes) noexcept {
    return resize(old, bytes, LINN_CALL_PLACE);
}
[[gnu::noinline]] void looked_up_free(void* block) noexcept {
    if (is_in_range(block)) {
        give(block, __builtin_return_address(0));
        return;
    }
    real.free(block);
}

template <operator_name Name>
[[gnu::noinline]] void* looked_up_new(std::size_t bytes) {
    return block_for<general_new<Name>>(hot.new_sizes, bytes, LINN_CALL_PLACE);
}
template <operator_name Name, typename... More>
[[gnu::noinline]] void looked_up_delete(void* block, More... more) noexcept {
    put<Name>(block, more...);
}
/// Where the standard library's would call free.
template <typename... More>
[[gnu::noinline]] void passed_delete(void* block, More...) noexcept {
    real.free(block);
}

/// Written whole and read whole; at any time each leads to a function that is right.
struct alignas(64) all_entries {
    void* (*malloc)(std::size_t);
    void* (*calloc)(std::size_t, std::size_t);
    void* (*realloc)(void*, std::size_t);
    void (*free)(void*);
    void* (*get[2])(std::size_t); ///< operator new, of an array behind it
    void (*put[2])(void*);
    void (*put_sized[2])(void*, std::size_t);
};
constinit all_entries entries{
    looked_up_malloc,
    looked_up_calloc,
    looked_up_realloc,
    looked_up_free,
    {looked_up_new<new_plain>, looked_up_new<new_array>},
    {looked_up_delete<delete_plain>, looked_up_delete<delete_array>},
    {looked_up_delete<delete_sized, std::size_t>, looked_up_delete<delete_array_sized, std::size_t>}};

template <typename Function>
void lead(Function*& entry, std::type_identity_t<Function>* to) noexcept {
    __atomic_store_n(&entry, to, __ATOMIC_RELAXED);
}

/// The functions of interpose/entry_points.hpp. The next definitions of the malloc family throw nothing, as the standard says.
struct hooks {
#define LINN_HOOK [[gnu::always_inline]] static inline
    LINN_HOOK void* malloc(std::size_t bytes) noexcept { return entries.malloc(bytes); }
    LINN_HOOK void* calloc(std::size_t count, std::size_t bytes) noexcept {
        return entries.calloc(count, bytes);
    }
    LINN_HOOK void* realloc(void* old, std::size_t bytes) noexcept { return entries.realloc(old, bytes); }
    LINN_HOOK void* reallocarray(void* old, std::size_t count, std::size_t bytes) noexcept {
        const std::size_t all = preload::array_bytes(count, bytes);
        if (all != ~std::size_t{0}) {
            return resize(old, all, LINN_CALL_PLACE);
        }
        errno = ENOMEM;
        return nullptr;
    }
    LINN_HOOK void free(void* block) noexcept { entries.free(block); }
    LINN_HOOK int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
        if (preload::is_alignment(alignment) && alignment % sizeof(void*) == 0) {
            if (void* const block = planned_block(hot.malloc_sizes, bytes, alignment, LINN_CALL_PLACE)) {
                *result = block;
                return 0;
            }
        }
        find_real_functions();
        return real.posix_memalign == nullptr ? ENOMEM : real.posix_memalign(result, alignment, bytes);
    }
    template <typename Next>
    LINN_HOOK void* aligned(std::size_t alignment, std::size_t bytes, Next next) noexcept {
        void* const block = preload::is_alignment(alignment)
                                ? planned_block(hot.malloc_sizes, bytes, alignment, LINN_CALL_PLACE)
                                : nullptr;
        return block != nullptr ? block : next();
    }
    template <operator_name Name>
    LINN_HOOK void* get(std::size_t bytes, std::align_val_t alignment = {}) noexcept(is_nothrow(Name)) {
        if constexpr (Name == new_plain || Name == new_array) {
            return entries.get[index_of(Name)](bytes);
        }
        return pools::get<Name>(bytes, static_cast<std::size_t>(alignment), LINN_CALL_PLACE);
    }
    template <operator_name Name, typename... More>
    LINN_HOOK void put(void* block, More... more) noexcept {
        if constexpr (Name == delete_plain || Name == delete_array) {
            entries.put[index_of(Name) - index_of(delete_plain)](block);
        } else if constexpr (Name == delete_sized || Name == delete_array_sized) {
            entries.put_sized[index_of(Name) - index_of(delete_sized)](block, more...);
        } else {
            pools::put<Name>(block, more...);
        }
    }
#undef LINN_HOOK
};

template <operator_name Name, typename... More>
void pass_delete_on(void (*&entry)(void*, More...)) noexcept {
    if (way_of(Name) == operator_way::malloc) {
        lead(entry, passed_delete<More...>);
    }
}

} // namespace

void pass_allocations_on() noexcept {
    lead(entries.malloc, real.malloc);
    lead(entries.calloc, real.calloc);
    lead(entries.get[0], general_new<new_plain>::get);
    lead(entries.get[1], general_new<new_array>::get);
}

void pass_all_on() noexcept {
    pass_allocations_on();
    lead(entries.realloc, real.realloc);
    lead(entries.free, real.free);
    pass_delete_on<delete_plain>(entries.put[0]);
    pass_delete_on<delete_array>(entries.put[1]);
    pass_delete_on<delete_sized>(entries.put_sized[0]);
    pass_delete_on<delete_array_sized>(entries.put_sized[1]);
}

void look_at_calls() noexcept {
    lead(entries.malloc, looked_up_malloc);
    lead(entries.calloc, looked_up_calloc);
    lead(entries.get[0], looked_up_new<new_plain>);
    lead(entries.get[1], looked_up_new<new_array>);
}

} // namespace linn::tool::pools

using receiver = linn::tool::pools::hooks;
#include "../../interpose/entry_points.hpp"

using namespace linn::tool::pools;

extern "C" {
LINN_ENTRY std::size_t malloc_usable_size(void* block) noexcept {
    if (is_in_range(block)) {
        return size_of_pooled(block);
    }
    find_real_functions();
    return real.malloc_usable_size != nullptr ? real.malloc_usable_size(block) : 0;
}

LINN_ENTRY int malloc_trim(std::size_t pad) noexcept {
    const bool gave_back = trim_pools() != 0;
    find_real_functions();
    const int real_one = real.malloc_trim != nullptr ? real.malloc_trim(pad) : 0;
    return gave_back ? 1 : real_one;
}
}
