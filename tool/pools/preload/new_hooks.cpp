// SPDX-License-Identifier: Apache-2.0
// Every replaceable operator new and delete. Where the standard library's would call malloc or free, so do we, and save
// the detour; failures are left to the library, which knows new handlers and alone can throw. Nothing here catches.
#include "../../interpose/operators.hpp"
#include "../../interpose/real.hpp"
#include "engine.hpp"
#include "entries.hpp"
#include "sites.hpp"

#include <cstddef>
#include <new>

namespace linn::tool::pools {
namespace {

using preload::find_anywhere;
using preload::index_of;
using preload::mangled_name;
using preload::next_operators;
using preload::operator_name;
using preload::operator_way;
using preload::real;
using preload::way_of;
using enum preload::operator_name;

/// The next definition. A library that was opened later may have brought its C++ runtime along.
template <typename Function>
[[gnu::noinline]] Function* next_of(operator_name name) noexcept {
    void* function = next_operators.next[index_of(name)];
    if (function == nullptr) {
        function = find_anywhere(mangled_name(name));
    }
    return reinterpret_cast<Function*>(function);
}

/// What the next operator does for a program without one: no frame there could catch an exception.
template <operator_name Name, typename... More>
[[gnu::noinline]] void* next_new(std::size_t bytes, More... more) {
    using function = void*(std::size_t, More...);
    if (function* const next = next_of<function>(Name)) {
        return next(bytes, more...);
    }
    __builtin_trap();
}
template <operator_name Name, typename... More>
[[gnu::noinline]] void* next_nothrow_new(std::size_t bytes, More... more) noexcept {
    using function = void*(std::size_t, More...);
    function* const next = next_of<function>(Name);
    return next != nullptr ? next(bytes, more...) : nullptr;
}

/// A block as the standard library gets it; null as malloc is.
[[gnu::always_inline]] inline void* plain_block(std::size_t bytes) noexcept {
    return real.malloc(bytes != 0 ? bytes : 1);
}
[[gnu::noinline]] void* aligned_block(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t rounded = ((bytes != 0 ? bytes : 1) + alignment - 1) & ~(alignment - 1);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || rounded < bytes ||
        real.aligned_alloc == nullptr) {
        return nullptr;
    }
    return real.aligned_alloc(alignment, rounded);
}

[[gnu::always_inline]] inline void* pooled(std::size_t bytes, call_place from) noexcept {
    return planned_block(hot.new_sizes, bytes, from);
}
[[gnu::always_inline]] inline void* pooled(std::size_t bytes, std::size_t alignment,
                                           call_place from) noexcept {
    const bool is_alignment = alignment != 0 && (alignment & (alignment - 1)) == 0;
    return is_alignment ? planned_block(hot.new_sizes, bytes, alignment, from) : nullptr;
}

template <operator_name Name>
[[gnu::noinline]] void* new_by_its_way(std::size_t bytes) {
    if (way_of(Name) == operator_way::malloc) {
        if (void* const block = plain_block(bytes)) {
            return block;
        }
    }
    return next_new<Name>(bytes);
}

template <operator_name Name>
struct general_new {
    [[gnu::noinline]] static void* get(std::size_t bytes) {
        if (next_operators.ways[index_of(Name)] == operator_way::malloc) [[likely]] {
            if (void* const block = plain_block(bytes)) [[likely]] {
                return block;
            }
        }
        return new_by_its_way<Name>(bytes);
    }
};

template <operator_name Name>
[[gnu::always_inline]] inline void* throwing(std::size_t bytes, call_place from) {
    return block_for<general_new<Name>>(hot.new_sizes, bytes, from);
}

template <operator_name Name>
[[gnu::always_inline]] inline void* throwing(std::size_t bytes, std::align_val_t alignment, call_place from) {
    if (void* const block = pooled(bytes, static_cast<std::size_t>(alignment), from)) {
        return block;
    }
    if (way_of(Name) == operator_way::malloc) [[likely]] {
        if (void* const block = aligned_block(bytes, static_cast<std::size_t>(alignment))) [[likely]] {
            return block;
        }
    }
    return next_new<Name>(bytes, alignment);
}

template <operator_name Name>
[[gnu::always_inline]] inline void* returning_null(std::size_t bytes, const std::nothrow_t& tag,
                                                   call_place from) noexcept {
    if (void* const block = pooled(bytes, from)) {
        return block;
    }
    if (way_of(Name) == operator_way::malloc) [[likely]] {
        if (void* const block = plain_block(bytes)) [[likely]] {
            return block;
        }
    }
    return next_nothrow_new<Name, const std::nothrow_t&>(bytes, tag);
}

template <operator_name Name>
[[gnu::always_inline]] inline void* returning_null(std::size_t bytes, std::align_val_t alignment,
                                                   const std::nothrow_t& tag, call_place from) noexcept {
    if (void* const block = pooled(bytes, static_cast<std::size_t>(alignment), from)) {
        return block;
    }
    if (way_of(Name) == operator_way::malloc) [[likely]] {
        if (void* const block = aligned_block(bytes, static_cast<std::size_t>(alignment))) [[likely]] {
            return block;
        }
    }
    return next_nothrow_new<Name, std::align_val_t, const std::nothrow_t&>(bytes, alignment, tag);
}

template <operator_name Name, typename... More>
[[gnu::noinline]] void next_delete(void* block, More... more) noexcept {
    if (way_of(Name) == operator_way::malloc) {
        real.free(block);
    } else if (block != nullptr) {
        next_of<void(void*, More...)>(Name)(block, more...);
    }
}

template <operator_name Name, typename... More>
[[gnu::always_inline]] inline void deleting(void* block, More... more) noexcept {
    if (is_in_range(block)) {
        give_from_hook(block);
        return;
    }
    if (next_operators.ways[index_of(Name)] == operator_way::malloc) [[likely]] {
        real.free(block);
        return;
    }
    next_delete<Name, More...>(block, more...);
}

call_place place_of_token(std::uint64_t token) noexcept {
    return {address_of_token(token), 0};
}

// -- what the exported operators jump to while there may be something to look for -----------------------

template <operator_name Name>
[[gnu::noinline]] void* looked_up_new(std::size_t bytes) {
    return throwing<Name>(bytes, LINN_CALL_PLACE);
}
template <operator_name Name, typename... More>
[[gnu::noinline]] void looked_up_delete(void* block, More... more) noexcept {
    deleting<Name>(block, more...);
}
/// Where the standard library's would call free.
template <typename... More>
[[gnu::noinline]] void passed_delete(void* block, More...) noexcept {
    real.free(block);
}

/// As the entries of the malloc family.
struct alignas(64) operator_entries {
    void* (*new_plain)(std::size_t);
    void* (*new_array)(std::size_t);
    void (*delete_plain)(void*) noexcept;
    void (*delete_array)(void*) noexcept;
    void (*delete_sized)(void*, std::size_t) noexcept;
    void (*delete_array_sized)(void*, std::size_t) noexcept;
};
constinit operator_entries entries{looked_up_new<new_plain>,
                                   looked_up_new<new_array>,
                                   looked_up_delete<delete_plain>,
                                   looked_up_delete<delete_array>,
                                   looked_up_delete<delete_sized, std::size_t>,
                                   looked_up_delete<delete_array_sized, std::size_t>};

template <typename... More>
void pass_delete_on(operator_name name, void (*&entry)(void*, More...) noexcept) noexcept {
    if (way_of(name) == operator_way::malloc) {
        entry = passed_delete<More...>;
    }
}

void lead(void* (*&entry)(std::size_t), void* (*to)(std::size_t)) noexcept {
    __atomic_store_n(&entry, to, __ATOMIC_RELAXED);
}

} // namespace

void pass_operators_on() noexcept {
    pass_new_on();
    pass_delete_on(delete_plain, entries.delete_plain);
    pass_delete_on(delete_array, entries.delete_array);
    pass_delete_on(delete_sized, entries.delete_sized);
    pass_delete_on(delete_array_sized, entries.delete_array_sized);
}

void pass_new_on() noexcept {
    lead(entries.new_plain, general_new<new_plain>::get);
    lead(entries.new_array, general_new<new_array>::get);
}

void look_at_new() noexcept {
    lead(entries.new_plain, looked_up_new<new_plain>);
    lead(entries.new_array, looked_up_new<new_array>);
}

} // namespace linn::tool::pools

using namespace linn::tool::pools;
using name = linn::tool::preload::operator_name;
using size = std::size_t;
using nothrow = const std::nothrow_t&;
using alignment = std::align_val_t;

#define LINN_HOOK __attribute__((visibility("default"), noinline))

LINN_HOOK void* operator new(size n) {
    return entries.new_plain(n);
}
LINN_HOOK void* operator new[](size n) {
    return entries.new_array(n);
}
LINN_HOOK void* operator new(size n, nothrow t) noexcept {
    return returning_null<name::new_nothrow>(n, t, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new[](size n, nothrow t) noexcept {
    return returning_null<name::new_array_nothrow>(n, t, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new(size n, alignment a) {
    return throwing<name::new_aligned>(n, a, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new[](size n, alignment a) {
    return throwing<name::new_array_aligned>(n, a, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new(size n, alignment a, nothrow t) noexcept {
    return returning_null<name::new_aligned_nothrow>(n, a, t, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new[](size n, alignment a, nothrow t) noexcept {
    return returning_null<name::new_array_aligned_nothrow>(n, a, t, LINN_CALL_PLACE);
}

LINN_HOOK void operator delete(void* p) noexcept {
    entries.delete_plain(p);
}
LINN_HOOK void operator delete[](void* p) noexcept {
    entries.delete_array(p);
}
LINN_HOOK void operator delete(void* p, size n) noexcept {
    entries.delete_sized(p, n);
}
LINN_HOOK void operator delete[](void* p, size n) noexcept {
    entries.delete_array_sized(p, n);
}
LINN_HOOK void operator delete(void* p, nothrow t) noexcept {
    deleting<name::delete_nothrow, nothrow>(p, t);
}
LINN_HOOK void operator delete[](void* p, nothrow t) noexcept {
    deleting<name::delete_array_nothrow, nothrow>(p, t);
}
LINN_HOOK void operator delete(void* p, alignment a) noexcept {
    deleting<name::delete_aligned>(p, a);
}
LINN_HOOK void operator delete[](void* p, alignment a) noexcept {
    deleting<name::delete_array_aligned>(p, a);
}
LINN_HOOK void operator delete(void* p, size n, alignment a) noexcept {
    deleting<name::delete_sized_aligned>(p, n, a);
}
LINN_HOOK void operator delete[](void* p, size n, alignment a) noexcept {
    deleting<name::delete_array_sized_aligned>(p, n, a);
}
LINN_HOOK void operator delete(void* p, alignment a, nothrow t) noexcept {
    deleting<name::delete_aligned_nothrow, alignment, nothrow>(p, a, t);
}
LINN_HOOK void operator delete[](void* p, alignment a, nothrow t) noexcept {
    deleting<name::delete_array_aligned_nothrow, alignment, nothrow>(p, a, t);
}

// -- clang -fsanitize=alloc-token: the same operators, and the number of the type ----------------------------

extern "C" {
LINN_HOOK void* __alloc_token__Znwm(size n, size token) {
    return throwing<name::new_plain>(n, place_of_token(token));
}
LINN_HOOK void* __alloc_token__Znam(size n, size token) {
    return throwing<name::new_array>(n, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnwmRKSt9nothrow_t(size n, nothrow t, size token) noexcept {
    return returning_null<name::new_nothrow>(n, t, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnamRKSt9nothrow_t(size n, nothrow t, size token) noexcept {
    return returning_null<name::new_array_nothrow>(n, t, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnwmSt11align_val_t(size n, alignment a, size token) {
    return throwing<name::new_aligned>(n, a, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnamSt11align_val_t(size n, alignment a, size token) {
    return throwing<name::new_array_aligned>(n, a, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnwmSt11align_val_tRKSt9nothrow_t(size n, alignment a, nothrow t,
                                                                 size token) noexcept {
    return returning_null<name::new_aligned_nothrow>(n, a, t, place_of_token(token));
}
LINN_HOOK void* __alloc_token__ZnamSt11align_val_tRKSt9nothrow_t(size n, alignment a, nothrow t,
                                                                 size token) noexcept {
    return returning_null<name::new_array_aligned_nothrow>(n, a, t, place_of_token(token));
}
}
