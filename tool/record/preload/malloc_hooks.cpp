// SPDX-License-Identifier: Apache-2.0
// The malloc family, as the program sees it: what the next definition does, recorded. A block is recorded after it was
// got and before it is given back, so that merged by time no block is ever got twice.
#include "../../interpose/boot_arena.hpp"
#include "../../interpose/raw.hpp"
#include "../../interpose/real.hpp"
#include "recorder.hpp"

#include <bit>
#include <cerrno>
#include <cstring>

namespace linn::tool::preload {
namespace {

std::uint8_t log2_of(std::size_t alignment) noexcept {
    return alignment == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(std::bit_width(alignment) - 1);
}

std::size_t product(std::size_t a, std::size_t b) noexcept {
    std::size_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? ~std::size_t{0} : result;
}

LINN_LOOK void release_looked_at(void* block) noexcept {
    if (block == nullptr || boot_arena::owns(block)) [[unlikely]] {
        return;
    }
    const bool is_taken = record_release(allocation_call::free, block);
    timed_release(block, is_taken, [=] { real.free(block); });
}

[[gnu::always_inline]] inline void release(void* block) noexcept {
    if constexpr (is_sampler) {
        if (!sample.may_hold(reinterpret_cast<std::uintptr_t>(block)) && !may_be_mapped(block)) [[likely]] {
            return call_quickly<&real_functions::free>(block);
        }
    }
    return release_looked_at(block);
}

/// A block of the boot arena is left where it is; for the program it is a new one.
void* leave_arena(void* old, std::size_t bytes) noexcept {
    void* const block = real.malloc(bytes);
    const std::size_t had = boot_arena::size_of(old);
    if (block != nullptr) {
        std::memcpy(block, old, had < bytes ? had : bytes);
    }
    return block;
}

/// After the real one has answered.
[[gnu::always_inline]] inline void* reallocated(const unwind::frame_start& from, void* old, void* block,
                                                std::size_t bytes) noexcept {
    if (block != nullptr) {
        record_reallocation(from, old, block, bytes);
    } else {
        record_slowly(from, {event_kind::failure, allocation_call::realloc, 0, 0,
                             reinterpret_cast<std::uintptr_t>(old), bytes});
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
        record_sampled_release(allocation_call::realloc, address);
    }
    if (!is_taken || block == nullptr) {
        return block;
    }
    record_allocation(from, allocation_call::realloc, block, bytes);
    return block;
}

[[gnu::always_inline]] inline void* resize(const unwind::frame_start& from, void* old,
                                           std::size_t bytes) noexcept {
    if (old == nullptr || boot_arena::owns(old)) {
        const bool is_taken = takes(bytes);
        void* const block = old == nullptr
                                ? timed_get(bytes, is_taken, [=] { return real.realloc(nullptr, bytes); })
                                : leave_arena(old, bytes);
        if (is_taken) {
            record_result(from, allocation_call::realloc, block, bytes);
        }
        return block;
    }
    if constexpr (is_sampler) {
        return resize_sampled(from, old, bytes);
    }
    prepare(from);
    void* const block = timed_get(bytes, true, [=] { return real.realloc(old, bytes); });
    // Some give the block back then, others give a smallest one.
    if (bytes == 0 && block == nullptr) {
        record_release(allocation_call::realloc, old);
        return nullptr;
    }
    return reallocated(from, old, block, bytes);
}

LINN_LOOK void* realloc_looked_at(void* old, std::size_t bytes) noexcept {
    return resize(unwind::here(), old, bytes);
}

LINN_LOOK void* malloc_looked_at(std::size_t bytes) noexcept {
    const unwind::frame_start from = unwind::here();
    prepare(from);
    const bool is_taken = takes(bytes);
    void* const block = timed_get(bytes, is_taken, [=] { return real.malloc(bytes); });
    if (is_taken) [[likely]] {
        record_result(from, allocation_call::malloc, block, bytes);
    }
    return block;
}

LINN_LOOK void* calloc_looked_at(std::size_t count, std::size_t bytes) noexcept {
    const unwind::frame_start from = unwind::here();
    const std::size_t all = product(count, bytes);
    prepare(from);
    const bool is_taken = takes(all);
    void* const block = timed_get(all, is_taken, [=] { return real.calloc(count, bytes); });
    if (is_taken) [[likely]] {
        record_result(from, allocation_call::calloc, block, all);
    }
    return block;
}

/// Where the real allocator lacks a function, there is no block of that kind.
template <typename Function, typename... Arguments>
[[gnu::always_inline]] inline void* ask(Function* real_function, Arguments... arguments) noexcept {
    find_real_functions();
    if (real_function == nullptr) {
        errno = ENOMEM;
        return nullptr;
    }
    return real_function(arguments...);
}

template <typename Ask>
[[gnu::always_inline]] inline void* aligned(const unwind::frame_start& from, std::size_t bytes,
                                            std::size_t alignment, Ask get) noexcept {
    const bool is_taken = takes(bytes);
    void* const block = timed_get(bytes, is_taken, get);
    if (block == nullptr || is_taken) [[likely]] {
        record_result(from, allocation_call::aligned, block, bytes, log2_of(alignment));
    }
    return block;
}

} // namespace
} // namespace linn::tool::preload

using namespace linn::tool::preload;
using linn::tool::allocation_call;
namespace unwind = linn::tool::unwind;

#define LINN_HOOK extern "C" __attribute__((visibility("default"), noinline))

LINN_HOOK void* malloc(std::size_t bytes) noexcept {
    if (is_quick(bytes)) [[likely]] {
        return call_quickly<&real_functions::malloc>(bytes);
    }
    return malloc_looked_at(bytes);
}

LINN_HOOK void* calloc(std::size_t count, std::size_t bytes) noexcept {
    if (is_quick(product(count, bytes))) [[likely]] {
        return call_quickly<&real_functions::calloc>(count, bytes);
    }
    return calloc_looked_at(count, bytes);
}

LINN_HOOK void* realloc(void* old, std::size_t bytes) noexcept {
    if constexpr (is_sampler) {
        if (old == nullptr) {
            if (is_quick(bytes)) [[likely]] {
                return call_quickly<&real_functions::malloc>(bytes);
            }
        } else if (!sample.may_hold(reinterpret_cast<std::uintptr_t>(old)) && is_quick(bytes)) [[likely]] {
            return call_quickly<&real_functions::realloc>(old, bytes);
        }
    }
    return realloc_looked_at(old, bytes);
}

LINN_HOOK void* reallocarray(void* old, std::size_t count, std::size_t bytes) noexcept {
    const unwind::frame_start from = unwind::here();
    const std::size_t all = product(count, bytes);
    if (all == ~std::size_t{0}) {
        errno = ENOMEM;
        record_slowly(from, {linn::tool::event_kind::failure, allocation_call::realloc, 0, 0,
                             reinterpret_cast<std::uintptr_t>(old), all});
        return nullptr;
    }
    return resize(from, old, all);
}

LINN_HOOK void free(void* block) noexcept {
    release(block);
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
    const unwind::frame_start from = unwind::here();
    find_real_functions();
    const bool is_taken = takes(bytes);
    void* block = nullptr;
    void** const into = &block;
    const int error = real.posix_memalign == nullptr ? ENOMEM : timed_get(bytes, is_taken, [=] {
        return real.posix_memalign(into, alignment, bytes);
    });
    if (error == 0) {
        *result = block;
    }
    // Success without a block: size 0, of an allocator that has none for it.
    if (error != 0 || (is_taken && block != nullptr)) {
        record_result(from, allocation_call::aligned, error == 0 ? block : nullptr, bytes,
                      log2_of(alignment));
    }
    return error;
}

LINN_HOOK void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
    return aligned(unwind::here(), bytes, alignment,
                   [=] { return ask(real.aligned_alloc, alignment, bytes); });
}

LINN_HOOK void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
    return aligned(unwind::here(), bytes, alignment, [=] { return ask(real.memalign, alignment, bytes); });
}

LINN_HOOK void* valloc(std::size_t bytes) noexcept {
    return aligned(unwind::here(), bytes, 4096, [=] { return ask(real.valloc, bytes); });
}

LINN_HOOK void* pvalloc(std::size_t bytes) noexcept {
    return aligned(unwind::here(), bytes, 4096, [=] { return ask(real.pvalloc, bytes); });
}
