// SPDX-License-Identifier: Apache-2.0
#include "../pairs.hpp"

#include <cstddef>

namespace linn::tool::worker {
namespace {

// In an unnamed namespace, so that each library has code of its own, compiled with its own flags.

struct line {
    char bytes[object_bytes];
};

/// Inlined into the loop. It is up to the compiler whether it asks for the thread's cache at every call.
struct inlined_calls {
    static void* take() { return pool<line>::allocate(); }
    static void give(void* p) noexcept { pool<line>::deallocate(static_cast<line*>(p)); }
};

/// Not inlined, so every operation asks, as it does in code that is no loop. The price is a call more than new and delete
/// pay.
struct outlined_calls {
    [[gnu::noinline]] static void* take() { return pool<line>::allocate(); }
    [[gnu::noinline]] static void give(void* p) noexcept { pool<line>::deallocate(static_cast<line*>(p)); }
};

/// The thread's cache is looked up once for the loop.
struct cache_view {
    pool<line>::thread_view cache = pool<line>::on_this_thread();

    void* take() { return cache.allocate(); }
    void give(void* p) noexcept { cache.deallocate(static_cast<line*>(p)); }
};

} // namespace

namespace LINN_BENCH_LIBRARY { // NOLINT: a macro of the build

void general(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<general_source<object_bytes>>(live, n, rounds);
}

void inlined(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<inlined_calls>(live, n, rounds);
}

void outlined(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<outlined_calls>(live, n, rounds);
}

void view(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<cache_view>(live, n, rounds);
}

} // namespace LINN_BENCH_LIBRARY
} // namespace linn::tool::worker
