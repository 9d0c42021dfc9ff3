// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_OS_PLAIN_HPP
#define LINN_DETAIL_OS_PLAIN_HPP

#include <linn/config.hpp>
#include <linn/detail/os/pages_heap.hpp>

#include <cstdint>
#include <cstdlib>
#include <ctime>

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

struct precise_clock {
    static std::uint64_t now_ns() noexcept {
        std::timespec t{};
        std::timespec_get(&t, TIME_UTC);
        return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
    }
};
struct coarse_clock {
    static std::uint64_t now_ms() noexcept { return precise_clock::now_ns() / 1'000'000; }
};

inline void sleep_briefly(long = 50) noexcept {}

/// As the C++ library waits; a sleeper with a limit looks again at once.
template <class Word>
void futex_wait(Word* word, std::uint32_t expected, std::uint64_t ns) noexcept {
    if (ns == ~std::uint64_t{0}) {
        word->wait(expected);
    }
}
template <class Word>
void futex_wake_one(Word* word) noexcept {
    word->notify_one();
}

inline bool enable_thread_barrier() noexcept {
    return false;
}
inline void thread_barrier() noexcept {}

struct system_pages : heap_pages {};

} // namespace linn::inline LINN_ABI::detail

#endif
