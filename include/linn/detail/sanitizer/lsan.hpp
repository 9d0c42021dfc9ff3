// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SANITIZER_LSAN_HPP
#define LINN_DETAIL_SANITIZER_LSAN_HPP

#include <linn/config.hpp>

#include <cstddef>

// Weak, because no macro tells whether -fsanitize=leak alone is on.
#if defined(LINN_DETAIL_WEAK)
extern "C" {
LINN_DETAIL_WEAK void __lsan_register_root_region(const void*, std::size_t);
LINN_DETAIL_WEAK void __lsan_unregister_root_region(const void*, std::size_t);
}
#endif

namespace linn::inline LINN_ABI::detail {

/// Whether the program has LeakSanitizer.
inline bool leak_check_linked() noexcept {
#if defined(LINN_DETAIL_WEAK)
    return __lsan_register_root_region != nullptr;
#else
    return false;
#endif
}

/// Tells LeakSanitizer to look for pointers in memory that did not come from malloc: without it,
/// what a pooled object owns would be reported as leaked. @pre leak_check_linked()
inline void add_leak_root([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(LINN_DETAIL_WEAK)
    __lsan_register_root_region(p, bytes);
#endif
}

/// @pre leak_check_linked()
inline void remove_leak_root([[maybe_unused]] const void* p, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(LINN_DETAIL_WEAK)
    __lsan_unregister_root_region(p, bytes);
#endif
}

} // namespace linn::inline LINN_ABI::detail

#endif
