// SPDX-License-Identifier: Apache-2.0
// Every replaceable operator new and delete. Where the standard library's would call malloc or free, so do we, and save
// the detour; failures are left to the library, which alone can throw. Nothing here catches: an exception only passes.
#include "../../interpose/boot_arena.hpp"
#include "../../interpose/operators.hpp"
#include "../../interpose/real.hpp"
#include "recorder.hpp"

#include <bit>
#include <new>

namespace linn::tool::preload {
namespace {

using enum operator_name;

template <typename Function>
Function* next_of(operator_name name) noexcept {
    return reinterpret_cast<Function*>(next_operators.next[index_of(name)]);
}

/// While it lives, the next call of the malloc family on this thread that fits is part of the operator. Where the operator
/// throws, the next call of a hook sees that it is over.
class inner_scope {
public:
    inner_scope(std::uint8_t kind, std::uintptr_t what) noexcept : saved_(this_thread.active) {
        this_thread.inner = {kind, what};
        this_thread.active = nullptr; // the hooks go the slow way, which looks at `inner`
        hold_timer(this_thread.timer);
    }
    inner_scope(const inner_scope&) = delete;
    inner_scope& operator=(const inner_scope&) = delete;
    ~inner_scope() {
        thread_state& t = this_thread;
        if (t.inner.kind != inner_call::none) {
            t.inner.kind = inner_call::none;
            t.active = saved_;
            let_timer_go(t.timer);
        }
    }

private:
    thread_writer* saved_;
};

using new_handler = void (*)();
using plain_new = void*(std::size_t);
using nothrow_new = void*(std::size_t, const std::nothrow_t&);
using aligned_new = void*(std::size_t, std::align_val_t);
using aligned_nothrow_new = void*(std::size_t, std::align_val_t, const std::nothrow_t&);

new_handler handler_of_program() noexcept {
    using get = new_handler();
    auto* const function = reinterpret_cast<get*>(find_anywhere("_ZSt15get_new_handlerv"));
    return function != nullptr ? function() : nullptr;
}

/// A block as the standard library gets it; null as malloc is.
void* plain_block(std::size_t bytes) noexcept {
    return real.malloc(bytes != 0 ? bytes : 1);
}
void* aligned_block(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t rounded = ((bytes != 0 ? bytes : 1) + alignment - 1) & ~(alignment - 1);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 || rounded < bytes ||
        real.aligned_alloc == nullptr) {
        return nullptr;
    }
    return real.aligned_alloc(alignment, rounded);
}
void* block_for(std::size_t bytes, std::size_t alignment) noexcept {
    return alignment == 0 ? plain_block(bytes) : aligned_block(bytes, alignment);
}

std::uint8_t log2_of(std::size_t alignment) noexcept {
    return alignment == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(alignment) - 1);
}

/// Calls a foreign operator, whose own calls of malloc are not the program's.
template <typename Ask>
[[gnu::always_inline]] inline void* ask_operator(std::size_t bytes, bool is_taken, const Ask& ask) {
    return timed_get(bytes, is_taken, [=] {
        const inner_scope scope{inner_call::allocation, bytes};
        return ask();
    });
}

/// What a throwing operator new does once malloc has failed: the program's handler, again, and at last an exception.
[[gnu::noinline, gnu::cold]] void* new_failed(const unwind::frame_start& from, allocation_call call,
                                              std::size_t bytes, std::size_t alignment, bool is_taken) {
    while (const new_handler handler = handler_of_program()) {
        handler();
        if (void* const block = block_for(bytes, alignment)) {
            if (is_taken) {
                record_allocation(from, call, block, bytes, log2_of(alignment));
            }
            return block;
        }
    }
    record_slowly(from, {event_kind::failure, call, log2_of(alignment), 0, 0, bytes});
    const operator_name thrower = alignment == 0 ? new_plain : new_aligned;
    void* function = next_operators.next[index_of(thrower)];
    if (function == nullptr) { // a library that was opened later brought its C++ runtime along
        function = find_anywhere(
            alignment == 0 ? (sizeof(void*) == 8 ? "_Znwm" : "_Znwj")
                           : (sizeof(void*) == 8 ? "_ZnwmSt11align_val_t" : "_ZnwjSt11align_val_t"));
    }
    if (function == nullptr) {
        __builtin_trap();
    }
    void* const block = ask_operator(bytes, is_taken, [&] {
        return alignment == 0 ? reinterpret_cast<plain_new*>(function)(bytes)
                              : reinterpret_cast<aligned_new*>(function)(bytes, std::align_val_t{alignment});
    });
    if (is_taken) {
        record_allocation(from, call, block, bytes,
                          log2_of(alignment)); // another thread returned memory meanwhile
    }
    return block;
}

/// The same for those that return null: the library's catches what the handler throws. It may do so through our own
/// operator new, which then has recorded what happened.
template <typename Ask>
[[gnu::always_inline]] inline void* nothrow_failed(const unwind::frame_start& from, allocation_call call,
                                                   std::size_t bytes, std::size_t alignment, bool is_taken,
                                                   Ask ask) noexcept {
    const std::uint32_t failures = this_thread.failures;
    void* const block = ask();
    if (block == nullptr) {
        if (this_thread.failures == failures) {
            record_slowly(from, {event_kind::failure, call, log2_of(alignment), 0, 0, bytes});
        }
    } else if (const thread_writer* const w = this_thread.active;
               is_taken && (w == nullptr || w->last_address != reinterpret_cast<std::uintptr_t>(block))) {
        record_allocation(from, call, block, bytes, log2_of(alignment));
    }
    return block;
}

template <operator_name Name>
[[gnu::always_inline]] inline void* throwing(const unwind::frame_start& from, allocation_call call,
                                             std::size_t bytes, std::size_t alignment = 0) {
    constexpr bool is_aligned = Name == new_aligned || Name == new_array_aligned;
    const auto next = [&]() -> void* {
        if constexpr (is_aligned) {
            return next_of<aligned_new>(Name)(bytes, std::align_val_t{alignment});
        } else {
            return next_of<plain_new>(Name)(bytes);
        }
    };
    const operator_way way = way_of(Name);
    if (way == operator_way::malloc) [[likely]] {
        prepare(from);
        const bool is_taken = takes(bytes);
        void* const block = timed_get(bytes, is_taken, [=] {
            return is_aligned ? aligned_block(bytes, alignment) : plain_block(bytes);
        });
        if (block == nullptr) [[unlikely]] {
            return new_failed(from, call, bytes, is_aligned ? alignment : 0, is_taken);
        }
        if (is_taken) [[likely]] {
            record_allocation(from, call, block, bytes, is_aligned ? log2_of(alignment) : std::uint8_t{0});
        }
        return block;
    }
    if (way == operator_way::passed) {
        return next();
    }
    const bool is_taken = takes(bytes);
    void* const block = ask_operator(bytes, is_taken, next);
    if (is_taken) [[likely]] {
        record_allocation(from, call, block, bytes, is_aligned ? log2_of(alignment) : std::uint8_t{0});
    }
    return block;
}

template <operator_name Name>
[[gnu::always_inline]] inline void* returning_null(const unwind::frame_start& from, allocation_call call,
                                                   std::size_t bytes, const std::nothrow_t& tag,
                                                   std::size_t alignment = 0) noexcept {
    constexpr bool is_aligned = Name == new_aligned_nothrow || Name == new_array_aligned_nothrow;
    const auto next = [&]() -> void* {
        if (next_operators.next[index_of(Name)] == nullptr) {
            return nullptr;
        }
        if constexpr (is_aligned) {
            return next_of<aligned_nothrow_new>(Name)(bytes, std::align_val_t{alignment}, tag);
        } else {
            return next_of<nothrow_new>(Name)(bytes, tag);
        }
    };
    const std::uint8_t log2 = is_aligned ? log2_of(alignment) : std::uint8_t{0};
    const operator_way way = way_of(Name);
    if (way == operator_way::malloc) [[likely]] {
        prepare(from);
        const bool is_taken = takes(bytes);
        void* const block = timed_get(bytes, is_taken, [=] {
            return is_aligned ? aligned_block(bytes, alignment) : plain_block(bytes);
        });
        if (block == nullptr) [[unlikely]] {
            return nothrow_failed(from, call, bytes, is_aligned ? alignment : 0, is_taken, next);
        }
        if (is_taken) [[likely]] {
            record_allocation(from, call, block, bytes, log2);
        }
        return block;
    }
    if (way == operator_way::passed) {
        return next();
    }
    const bool is_taken = takes(bytes);
    void* const block = ask_operator(bytes, is_taken, next);
    if (is_taken || block == nullptr) [[likely]] {
        record_result(from, call, block, bytes, log2);
    }
    return block;
}

/// The block of a stub that has none.
void* no_block(std::size_t) noexcept {
    return nullptr;
}

using malloc_function = void*(std::size_t);
/// What operator new and new[] call for a block without a look at which operators there are; a null of it says: look.
constinit malloc_function* malloc_for_new = no_block;

/// As operator new, where liblinn-sample.so goes over most blocks.
template <operator_name Name>
LINN_LOOK void* new_looked_at(allocation_call call, std::size_t bytes) {
    return throwing<Name>(unwind::here(), call, bytes);
}

/// A block passed, and then there was none: no memory, or the operators must be looked at.
template <operator_name Name>
[[gnu::noinline]] void* new_again(allocation_call call, std::size_t bytes) {
    this_thread.sampling.take_back(bytes);
    return new_looked_at<Name>(call, bytes);
}

template <operator_name Name>
[[gnu::always_inline]] inline void* plain_throwing(allocation_call call, std::size_t bytes) {
    if (is_quick(bytes)) [[likely]] {
        void* const block = timed(timed_call::of_no_block, false, [=] { return malloc_for_new(bytes); });
        if (block != nullptr) [[likely]] {
            return block;
        }
        return new_again<Name>(call, bytes);
    }
    return new_looked_at<Name>(call, bytes);
}

template <operator_name Name, typename... More>
LINN_LOOK void delete_looked_at(allocation_call call, void* block, More... more) noexcept {
    if (block == nullptr) {
        return;
    }
    const operator_way way = way_of(Name);
    if (way == operator_way::malloc) [[likely]] {
        if (boot_arena::owns(block)) [[unlikely]] {
            return;
        }
        const bool is_taken = record_release(call, block);
        timed_release(block, is_taken, [=] { real.free(block); });
        return;
    }
    auto* const next = next_of<void(void*, More...)>(Name);
    if (way == operator_way::passed) {
        next(block, more...);
        return;
    }
    const bool is_taken = record_release(call, block);
    timed_release(block, is_taken, [=] {
        const inner_scope scope{inner_call::release, reinterpret_cast<std::uintptr_t>(block)};
        next(block, more...);
    });
}

/// What operator delete is, of those that programs call often: where all operators are malloc and free, free().
template <operator_name Name, allocation_call Call, typename... More>
struct delete_way {
    static void look(void* block, More... more) noexcept {
        delete_looked_at<Name, More...>(Call, block, more...);
    }
    static void free(void* block, More...) noexcept {
        if (!sample.may_hold(reinterpret_cast<std::uintptr_t>(block)) && !may_be_mapped(block)) [[likely]] {
            return call_quickly<&real_functions::free>(block);
        }
        delete_looked_at<Name>(Call, block);
    }
    using function = void(void*, More...) noexcept;
    constinit inline static function* now = look;
};

using plain_way = delete_way<delete_plain, allocation_call::operator_delete>;
using array_way = delete_way<delete_array, allocation_call::operator_delete_array>;
using sized_way = delete_way<delete_sized, allocation_call::operator_delete, std::size_t>;
using array_sized_way = delete_way<delete_array_sized, allocation_call::operator_delete_array, std::size_t>;

template <class Way, operator_name Name, typename... More>
[[gnu::always_inline]] inline void deleting(allocation_call call, void* block, More... more) noexcept {
    if constexpr (is_sampler) {
        Way::now(block, more...);
    } else {
        delete_looked_at<Name, More...>(call, block, more...);
    }
}

template <class... Ways>
void choose_ways(bool are_plain) noexcept {
    ((Ways::now = are_plain ? Ways::free : Ways::look), ...);
}

} // namespace

void choose_fast_ways() noexcept {
    bool are_plain = true;
    for (const operator_way way : next_operators.ways) {
        are_plain = are_plain && way == operator_way::malloc;
    }
    malloc_for_new = are_plain ? real.malloc : no_block;
    choose_ways<plain_way, array_way, sized_way, array_sized_way>(are_plain);
}

} // namespace linn::tool::preload

using namespace linn::tool::preload;
using call = linn::tool::allocation_call;
namespace unwind = linn::tool::unwind;

#define LINN_HOOK __attribute__((visibility("default"), noinline))
using size = std::size_t;
using nothrow = const std::nothrow_t&;
using alignment = std::align_val_t;

LINN_HOOK void* operator new(size n) {
    return plain_throwing<operator_name::new_plain>(call::operator_new, n);
}
LINN_HOOK void* operator new[](size n) {
    return plain_throwing<operator_name::new_array>(call::operator_new_array, n);
}
LINN_HOOK void* operator new(size n, nothrow t) noexcept {
    return returning_null<operator_name::new_nothrow>(unwind::here(), call::operator_new, n, t);
}
LINN_HOOK void* operator new[](size n, nothrow t) noexcept {
    return returning_null<operator_name::new_array_nothrow>(unwind::here(), call::operator_new_array, n, t);
}
LINN_HOOK void* operator new(size n, alignment a) {
    return throwing<operator_name::new_aligned>(unwind::here(), call::operator_new_aligned, n,
                                                static_cast<size>(a));
}
LINN_HOOK void* operator new[](size n, alignment a) {
    return throwing<operator_name::new_array_aligned>(unwind::here(), call::operator_new_array_aligned, n,
                                                      static_cast<size>(a));
}
LINN_HOOK void* operator new(size n, alignment a, nothrow t) noexcept {
    return returning_null<operator_name::new_aligned_nothrow>(unwind::here(), call::operator_new_aligned, n,
                                                              t, static_cast<size>(a));
}
LINN_HOOK void* operator new[](size n, alignment a, nothrow t) noexcept {
    return returning_null<operator_name::new_array_aligned_nothrow>(
        unwind::here(), call::operator_new_array_aligned, n, t, static_cast<size>(a));
}

LINN_HOOK void operator delete(void* p) noexcept {
    deleting<plain_way, operator_name::delete_plain>(call::operator_delete, p);
}
LINN_HOOK void operator delete[](void* p) noexcept {
    deleting<array_way, operator_name::delete_array>(call::operator_delete_array, p);
}
LINN_HOOK void operator delete(void* p, size n) noexcept {
    deleting<sized_way, operator_name::delete_sized>(call::operator_delete, p, n);
}
LINN_HOOK void operator delete[](void* p, size n) noexcept {
    deleting<array_sized_way, operator_name::delete_array_sized>(call::operator_delete_array, p, n);
}
LINN_HOOK void operator delete(void* p, nothrow t) noexcept {
    delete_looked_at<operator_name::delete_nothrow, nothrow>(call::operator_delete, p, t);
}
LINN_HOOK void operator delete[](void* p, nothrow t) noexcept {
    delete_looked_at<operator_name::delete_array_nothrow, nothrow>(call::operator_delete_array, p, t);
}
LINN_HOOK void operator delete(void* p, alignment a) noexcept {
    delete_looked_at<operator_name::delete_aligned>(call::operator_delete, p, a);
}
LINN_HOOK void operator delete[](void* p, alignment a) noexcept {
    delete_looked_at<operator_name::delete_array_aligned>(call::operator_delete_array, p, a);
}
LINN_HOOK void operator delete(void* p, size n, alignment a) noexcept {
    delete_looked_at<operator_name::delete_sized_aligned>(call::operator_delete, p, n, a);
}
LINN_HOOK void operator delete[](void* p, size n, alignment a) noexcept {
    delete_looked_at<operator_name::delete_array_sized_aligned>(call::operator_delete_array, p, n, a);
}
LINN_HOOK void operator delete(void* p, alignment a, nothrow t) noexcept {
    delete_looked_at<operator_name::delete_aligned_nothrow, alignment, nothrow>(call::operator_delete, p, a,
                                                                                t);
}
LINN_HOOK void operator delete[](void* p, alignment a, nothrow t) noexcept {
    delete_looked_at<operator_name::delete_array_aligned_nothrow, alignment, nothrow>(
        call::operator_delete_array, p, a, t);
}
