// SPDX-License-Identifier: Apache-2.0
// Every replaceable operator new and delete. Where the standard library's would call malloc or free, so do we, and save
// the detour; failures are left to the library, which knows new handlers and alone can throw. Nothing here catches.
#include "../../interpose/operators.hpp"
#include "../../interpose/real.hpp"
#include "engine.hpp"
#include "sites.hpp"

#include <cstddef>
#include <new>

namespace linn::tool::pools {
namespace {

using preload::find_anywhere;
using preload::find_operators;
using preload::mangled_name;
using preload::next_operators;
using preload::operator_name;
using preload::operator_way;
using preload::real;
using enum preload::operator_name;

constexpr std::size_t index_of(operator_name name) noexcept {
    return static_cast<std::size_t>(name);
}

[[gnu::always_inline]] inline operator_way way_of(operator_name name) noexcept {
    operator_way way = next_operators.ways[index_of(name)];
    if (way == operator_way::unknown) [[unlikely]] {
        find_operators();
        way = next_operators.ways[index_of(name)];
    }
    return way;
}

/// The next definition. A library that was opened later may have brought its C++ runtime along.
template <typename Function>
[[gnu::noinline]] Function* next_of(operator_name name) noexcept {
    void* function = next_operators.next[index_of(name)];
    if (function == nullptr) {
        function = find_anywhere(mangled_name(name));
    }
    return reinterpret_cast<Function*>(function);
}

/// What the next operator does for a program without one: nobody there could catch what it would throw.
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
struct general_new {
    [[gnu::noinline]] static void* get(std::size_t bytes) {
        if (way_of(Name) == operator_way::malloc) [[likely]] {
            if (void* const block = plain_block(bytes)) [[likely]] {
                return block;
            }
        }
        return next_new<Name>(bytes);
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
[[gnu::always_inline]] inline void deleting(void* block, const void* caller, More... more) noexcept {
    if (is_in_range(block)) {
        give(block, caller);
        return;
    }
    if (way_of(Name) == operator_way::malloc) [[likely]] {
        real.free(block);
        return;
    }
    if (block != nullptr) {
        next_of<void(void*, More...)>(Name)(block, more...);
    }
}

call_place place_of_token(std::uint64_t token) noexcept {
    return {address_of_token(token), 0};
}

} // namespace
} // namespace linn::tool::pools

using namespace linn::tool::pools;
using name = linn::tool::preload::operator_name;
using size = std::size_t;
using nothrow = const std::nothrow_t&;
using alignment = std::align_val_t;

#define LINN_HOOK __attribute__((visibility("default"), noinline))

LINN_HOOK void* operator new(size n) {
    return throwing<name::new_plain>(n, LINN_CALL_PLACE);
}
LINN_HOOK void* operator new[](size n) {
    return throwing<name::new_array>(n, LINN_CALL_PLACE);
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
    deleting<name::delete_plain>(p, __builtin_return_address(0));
}
LINN_HOOK void operator delete[](void* p) noexcept {
    deleting<name::delete_array>(p, __builtin_return_address(0));
}
LINN_HOOK void operator delete(void* p, size n) noexcept {
    deleting<name::delete_sized>(p, __builtin_return_address(0), n);
}
LINN_HOOK void operator delete[](void* p, size n) noexcept {
    deleting<name::delete_array_sized>(p, __builtin_return_address(0), n);
}
LINN_HOOK void operator delete(void* p, nothrow t) noexcept {
    deleting<name::delete_nothrow, nothrow>(p, __builtin_return_address(0), t);
}
LINN_HOOK void operator delete[](void* p, nothrow t) noexcept {
    deleting<name::delete_array_nothrow, nothrow>(p, __builtin_return_address(0), t);
}
LINN_HOOK void operator delete(void* p, alignment a) noexcept {
    deleting<name::delete_aligned>(p, __builtin_return_address(0), a);
}
LINN_HOOK void operator delete[](void* p, alignment a) noexcept {
    deleting<name::delete_array_aligned>(p, __builtin_return_address(0), a);
}
LINN_HOOK void operator delete(void* p, size n, alignment a) noexcept {
    deleting<name::delete_sized_aligned>(p, __builtin_return_address(0), n, a);
}
LINN_HOOK void operator delete[](void* p, size n, alignment a) noexcept {
    deleting<name::delete_array_sized_aligned>(p, __builtin_return_address(0), n, a);
}
LINN_HOOK void operator delete(void* p, alignment a, nothrow t) noexcept {
    deleting<name::delete_aligned_nothrow, alignment, nothrow>(p, __builtin_return_address(0), a, t);
}
LINN_HOOK void operator delete[](void* p, alignment a, nothrow t) noexcept {
    deleting<name::delete_array_aligned_nothrow, alignment, nothrow>(p, __builtin_return_address(0), a, t);
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
