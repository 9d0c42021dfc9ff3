// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_ASAN_HPP
#define LINN_DETAIL_SANITIZER_ASAN_HPP

#include <linn/config.hpp>

#include <cstddef>

#if LINN_DETAIL_ASAN
extern "C" void __asan_poison_memory_region(const volatile void*, std::size_t);
extern "C" void __asan_unpoison_memory_region(const volatile void*, std::size_t);
#endif
#if LINN_DETAIL_MSAN
extern "C" void __msan_allocated_memory(const volatile void*, std::size_t);
#endif

namespace linn::inline LINN_ABI::detail {

/// What ASan poisons as one: where such a granule is poisoned in part only, its first bytes stay usable.
inline constexpr std::size_t poison_granule = 8;

/// Makes every access to these bytes an error, as after `free`. Nothing without ASan.
inline void poison([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if LINN_DETAIL_ASAN
    __asan_poison_memory_region(p, bytes);
#endif
}

/// Makes these bytes usable again. Nothing without ASan.
inline void unpoison([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if LINN_DETAIL_ASAN
    __asan_unpoison_memory_region(p, bytes);
#endif
}

/// As `unpoison` for a slot that is handed out now, whose bytes MemorySanitizer takes for unwritten.
inline void open_slot(void* p, std::size_t bytes) noexcept {
    unpoison(p, bytes);
#if LINN_DETAIL_MSAN
    __msan_allocated_memory(p, bytes);
#endif
}

/// Whether free slots of pools are poisoned. Not where each object is an `operator new` of its own.
inline constexpr bool poisons_slots = sanitizer_poison && !sanitizer_bypass;

/// A slot that is handed out now, of which the object uses `bytes`.
inline void* opened(void* slot, [[maybe_unused]] std::size_t bytes) noexcept {
    if constexpr (poisons_slots) {
        unpoison(slot, bytes);
    }
    return slot;
}

} // namespace linn::inline LINN_ABI::detail

#endif
