// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PLAIN_THREADS_HPP
#define LINN_DETAIL_OS_PLAIN_THREADS_HPP

#include <linn/config.hpp>

#include <cstdint>
#include <cstdlib>

// For systems whose own calls Linn does not know: what the language alone can do.

namespace linn::inline LINN_ABI::detail {

struct uncancelled {
    uncancelled() noexcept {}
};

LINN_DETAIL_OF_THREAD inline std::uintptr_t current_thread() noexcept {
    LINN_DETAIL_FIND_THREAD();
    static constinit thread_local char identity = 0;
    return reinterpret_cast<std::uintptr_t>(&identity);
}

inline void at_fork(void (*)(), void (*)(), void (*)()) noexcept {}

/// There are no keys.
template <void (*Run)(void*)>
struct thread_values {
    static std::intptr_t make() noexcept { return -1; }
    static void drop(std::uintptr_t) noexcept {}
    static bool set(std::uintptr_t, const void*) noexcept { return false; }
};
template <void (*Run)()>
inline const bool at_program_end = std::atexit(Run) == 0;

} // namespace linn::inline LINN_ABI::detail

#endif
