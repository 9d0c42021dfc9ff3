// SPDX-License-Identifier: Apache-2.0
// The functions through which the program allocates: what the next definition does, recorded. A block is recorded after it was
// got and before it is given back, so that merged by time no block is ever got twice. Where the standard library's operators
// would call malloc or free, so do we, and save the detour; failures are left to the library, which alone can throw. Nothing here
// catches: an exception only passes. The last hook is that of dlclose, which unloads files. dlopen has none: its caller decides
// where it looks, and that would be us.
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "attached.hpp"
#include "image.hpp"
#include "recorder.hpp"

#include <bit>
#include <cerrno>
#include <new>

namespace linn::tool::preload {
namespace {

using enum operator_name;

std::uint8_t log2_of(std::size_t alignment) noexcept {
    return alignment == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(alignment) - 1);
}

LINN_LOOK void release_looked_at(void* block) noexcept {
    if (block == nullptr) [[unlikely]] {
        return;
    }
    const bool is_taken = record_release(allocation_call::free, block);
    timed_release(block, is_taken, [=] { real.free(block); });
}

/// Gets a block by `call`, and records it.
template <typename Get>
[[gnu::always_inline]] inline void* got(const unwind::frame_start& from, allocation_call call,
                                        std::size_t bytes, std::size_t alignment, Get get) {
    prepare(from);
    const bool is_taken = takes(bytes);
    void* const block = timed_get(bytes, is_taken, get);
    if (block == nullptr) [[unlikely]] {
        record_slowly(from, {event_kind::failure, call, log2_of(alignment), 0, 0, bytes});
    } else if (is_taken) [[likely]] {
        record_allocation(from, call, block, bytes, log2_of(alignment));
    }
    return block;
}

/// For the sampler a realloc releases one block and gets another. The old address is out of the sample before another thread
/// can get it.
[[gnu::always_inline]] inline void* resize_sampled(const unwind::frame_start& from, void* old,
                                                   std::size_t bytes) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(old);
    const bool was_sampled = sample.may_hold(address) && sample.remove(address);
    const bool is_taken = takes(bytes);
    void* const block = timed_get(bytes, is_taken || was_sampled, [=] { return real.realloc(old, bytes); });
    if (block == nullptr && bytes != 0) {
        if (was_sampled) {
            sample.add(address);
        }
        record_slowly(from, {event_kind::failure, allocation_call::realloc, 0, 0, address, bytes});
        return nullptr;
    }
    if (was_sampled) {
        record_sampled(from, {event_kind::release, allocation_call::realloc, 0, address, 0, 0});
    }
    if (!is_taken || block == nullptr) {
        return block;
    }
    record_allocation(from, allocation_call::realloc, block, bytes);
    return block;
}

[[gnu::always_inline]] inline void* resize(const unwind::frame_start& from, void* old,
                                           std::size_t bytes) noexcept {
    if (old == nullptr) {
        return got(from, allocation_call::realloc, bytes, 0, [=] { return real.realloc(nullptr, bytes); });
    }
    if constexpr (is_sampler) {
        return resize_sampled(from, old, bytes);
    }
    prepare(from);
    void* const block = timed_get(bytes, true, [=] { return real.realloc(old, bytes); });
    if (block != nullptr) {
        record_reallocation(from, old, block, bytes);
    } else if (bytes == 0) { // some give the block back then, others give a smallest one
        record_release(allocation_call::realloc, old);
    } else {
        record_slowly(from, {event_kind::failure, allocation_call::realloc, 0, 0,
                             reinterpret_cast<std::uintptr_t>(old), bytes});
    }
    return block;
}

LINN_LOOK void* realloc_looked_at(void* old, std::size_t bytes) noexcept {
    return resize(unwind::here(), old, bytes);
}

LINN_LOOK void* malloc_looked_at(std::size_t bytes) noexcept {
    return got(unwind::here(), allocation_call::malloc, bytes, 0, [=] { return real.malloc(bytes); });
}

LINN_LOOK void* calloc_looked_at(std::size_t count, std::size_t bytes) noexcept {
    return got(unwind::here(), allocation_call::calloc, array_bytes(count, bytes), 0,
               [=] { return real.calloc(count, bytes); });
}

/// While it lives, the next call of the malloc family on this thread that fits is part of the operator. Where the operator
/// throws, the next call of a hook sees that it is over.
class inner_scope {
public:
    inner_scope(std::uint8_t kind, std::uintptr_t what) noexcept : is_in_hook_(is_in_hook()) {
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
            t.active = is_in_hook_ ? nullptr : t.main; // which may be new
            let_timer_go(t.timer);
        }
    }

private:
    bool is_in_hook_; ///< of the thread that a signal handler interrupted
};

using new_handler = void (*)();

new_handler handler_of_program() noexcept {
    using get = new_handler();
    auto* const function = reinterpret_cast<get*>(find_anywhere("_ZSt15get_new_handlerv"));
    return function != nullptr ? function() : nullptr;
}

void* block_for(std::size_t bytes, std::size_t alignment) noexcept {
    return alignment == 0 ? plain_block(bytes) : aligned_block(bytes, alignment);
}

constexpr allocation_call call_of(operator_name name) noexcept {
    const auto first = !is_new(name)          ? allocation_call::operator_delete
                       : is_aligned_new(name) ? allocation_call::operator_new_aligned
                                              : allocation_call::operator_new;
    return static_cast<allocation_call>(static_cast<int>(first) + (is_array(name) ? 1 : 0));
}

/// Calls the operator behind ours, whose own calls of malloc are not the program's.
template <operator_name Name>
void* ask_operator(std::size_t bytes, std::size_t alignment) noexcept(is_nothrow(Name)) {
    const inner_scope scope{inner_call::allocation, bytes};
    return call_next_new<Name>(bytes, alignment);
}

/// What a throwing operator new does once malloc has failed: the program's handler, again, and at last an exception.
template <operator_name Name>
[[gnu::noinline, gnu::cold]] void* failed(const unwind::frame_start& from, std::size_t bytes,
                                          std::size_t alignment, bool is_taken) {
    constexpr allocation_call call = call_of(Name);
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
    void* const block = ask_operator<is_aligned_new(Name) ? new_aligned : new_plain>(bytes, alignment);
    if (is_taken) { // another thread returned memory meanwhile
        record_allocation(from, call, block, bytes, log2_of(alignment));
    }
    return block;
}

template <operator_name Name>
[[gnu::always_inline]] inline void* get(const unwind::frame_start& from, std::size_t bytes,
                                        std::size_t asked) noexcept(is_nothrow(Name)) {
    const std::size_t alignment = is_aligned_new(Name) ? asked : 0;
    const operator_way way = way_of(Name);
    if (way == operator_way::malloc) [[likely]] {
        prepare(from);
        const bool is_taken = takes(bytes);
        void* const block = timed_get(bytes, is_taken, [=] {
            return is_aligned_new(Name) ? aligned_block(bytes, alignment) : plain_block(bytes);
        });
        if (block != nullptr) [[likely]] {
            if (is_taken) [[likely]] {
                record_allocation(from, call_of(Name), block, bytes, log2_of(alignment));
            }
            return block;
        }
        if constexpr (!is_nothrow(Name)) {
            return failed<Name>(from, bytes, alignment, is_taken);
        }
    }
    // A library's operator that returns null calls the one that throws, which is ours.
    if (way != operator_way::foreign) {
        return call_next_new<Name>(bytes, alignment);
    }
    return got(from, call_of(Name), bytes, alignment, [=] { return ask_operator<Name>(bytes, alignment); });
}

/// As operator new, where liblinn-sample.so goes over most blocks.
template <operator_name Name>
LINN_LOOK void* new_looked_at(std::size_t bytes) {
    return get<Name>(unwind::here(), bytes, 0);
}

/// A block passed, and then there was none.
template <operator_name Name>
[[gnu::noinline]] void* new_again(std::size_t bytes) {
    this_thread.sampling.take_back(bytes);
    return new_looked_at<Name>(bytes);
}

template <operator_name Name, typename... More>
LINN_LOOK void delete_looked_at(void* block, More... more) noexcept {
    if (block == nullptr) {
        return;
    }
    const operator_way way = way_of(Name);
    if (way == operator_way::malloc) [[likely]] {
        const bool is_taken = record_release(call_of(Name), block);
        timed_release(block, is_taken, [=] { real.free(block); });
        return;
    }
    if (way == operator_way::passed) {
        return call_next<Name, void>(block, more...);
    }
    const bool is_taken = record_release(call_of(Name), block);
    timed_release(block, is_taken, [=] {
        const inner_scope scope{inner_call::release, reinterpret_cast<std::uintptr_t>(block)};
        call_next<Name, void>(block, more...);
    });
}

/// Whether the sampler's fast way may release a block: it is neither in the sample nor timed for sure.
[[gnu::always_inline]] inline bool is_other(const void* block) noexcept {
    return !sample.may_hold(reinterpret_cast<std::uintptr_t>(block)) && !may_be_mapped(block);
}

/// Whether an operator is malloc or free, as far as it is known. Asked before is_quick(), which counts the bytes.
[[gnu::always_inline]] inline bool is_plain(operator_name name) noexcept {
    return next_operators.ways[index_of(name)] == operator_way::malloc;
}

/// The functions of interpose/entry_points.hpp.
struct hooks {
#define LINN_HOOK [[gnu::always_inline]] static inline
    LINN_HOOK void* malloc(std::size_t bytes) noexcept {
        return is_quick(bytes) ? call_quickly<&real_functions::malloc>(bytes) : malloc_looked_at(bytes);
    }
    LINN_HOOK void* calloc(std::size_t count, std::size_t bytes) noexcept {
        return is_quick(array_bytes(count, bytes)) ? call_quickly<&real_functions::calloc>(count, bytes)
                                                   : calloc_looked_at(count, bytes);
    }
    LINN_HOOK void* realloc(void* old, std::size_t bytes) noexcept {
        if constexpr (is_sampler) {
            if (old == nullptr) {
                if (is_quick(bytes)) [[likely]] {
                    return call_quickly<&real_functions::malloc>(bytes);
                }
            } else if (!sample.may_hold(reinterpret_cast<std::uintptr_t>(old)) && is_quick(bytes))
                [[likely]] {
                return call_quickly<&real_functions::realloc>(old, bytes);
            }
        }
        return realloc_looked_at(old, bytes);
    }
    LINN_HOOK void* reallocarray(void* old, std::size_t count, std::size_t bytes) noexcept {
        const unwind::frame_start from = unwind::here();
        const std::size_t all = array_bytes(count, bytes);
        if (all != ~std::size_t{0}) {
            return resize(from, old, all);
        }
        errno = ENOMEM;
        record_slowly(from, {event_kind::failure, allocation_call::realloc, 0, 0,
                             reinterpret_cast<std::uintptr_t>(old), all});
        return nullptr;
    }
    LINN_HOOK void free(void* block) noexcept {
        if constexpr (is_sampler) {
            if (is_other(block)) [[likely]] {
                return call_quickly<&real_functions::free>(block);
            }
        }
        release_looked_at(block);
    }

    LINN_HOOK int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
        const unwind::frame_start from = unwind::here();
        find_real_functions();
        const bool is_taken = takes(bytes);
        void* block = nullptr;
        void** const into = &block;
        const int error = real.posix_memalign == nullptr ? ENOMEM : timed_get(bytes, is_taken, [=] {
            return real.posix_memalign(into, alignment, bytes);
        });
        if (error != 0) {
            record_slowly(from,
                          {event_kind::failure, allocation_call::aligned, log2_of(alignment), 0, 0, bytes});
            return error;
        }
        *result = block;
        if (is_taken && block != nullptr) { // of size 0, an allocator may have none
            record_allocation(from, allocation_call::aligned, block, bytes, log2_of(alignment));
        }
        return 0;
    }
    template <typename Ask>
    LINN_HOOK void* aligned(std::size_t alignment, std::size_t bytes, Ask get_block) noexcept {
        return got(unwind::here(), allocation_call::aligned, bytes, alignment, get_block);
    }

    template <operator_name Name>
    LINN_HOOK void* get(std::size_t bytes, std::align_val_t alignment = {}) noexcept(is_nothrow(Name)) {
        if constexpr (Name != new_plain && Name != new_array) {
            return preload::get<Name>(unwind::here(), bytes, static_cast<std::size_t>(alignment));
        } else if (is_plain(Name) && is_quick(bytes)) [[likely]] {
            void* const block = timed(timed_call::of_no_block, false, [=] { return real.malloc(bytes); });
            return block != nullptr ? block : new_again<Name>(bytes);
        }
        return new_looked_at<Name>(bytes);
    }
    template <operator_name Name, typename... More>
    LINN_HOOK void put(void* block, More... more) noexcept {
        if constexpr (is_sampler && Name <= delete_array_sized) {
            if (is_plain(Name) && is_other(block)) [[likely]] {
                return call_quickly<&real_functions::free>(block);
            }
        }
        delete_looked_at<Name>(block, more...);
    }
#undef LINN_HOOK
};

__attribute__((constructor)) void start() noexcept {
    if (variable(wire::ring_variable) == nullptr) {
        return; // a running program has opened the library: attached.cpp
    }
    find_real_functions();
    calibrate_call_timer();
    start_recording();
}

} // namespace

} // namespace linn::tool::preload

using receiver = linn::tool::preload::hooks;
#include "../../interpose/entry_points.hpp"

using namespace linn::tool::preload;

extern "C" {
LINN_ENTRY int dlclose(void* handle) noexcept {
    find_real_functions();
    if (real.dlclose == nullptr) {
        return -1;
    }
    const slots::unmapping touches_no_slot;
    if (!is_recording()) {
        return real.dlclose(handle);
    }
    int result = 0;
    {
        const linn::tool::unwind::unloading forgets;
        result = real.dlclose(handle);
    }
    record_unloading();
    return result;
}
}
