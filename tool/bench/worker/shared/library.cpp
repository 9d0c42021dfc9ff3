// SPDX-License-Identifier: Apache-2.0
#include "library.hpp"

#include <new>

namespace linn::tool::worker {
namespace {

struct here {};

struct general {
    static void* take() { return ::operator new(object_bytes); }
    static void give(void* p) noexcept { ::operator delete(p, object_bytes); }
};

/// The thread's cache is looked up once for the loop.
struct view {
    pool<line>::thread_view cache = pool<line>::on_this_thread();

    void* take() { return cache.allocate(); }
    void give(void* p) noexcept { cache.deallocate(static_cast<line*>(p)); }
};

} // namespace

void library_general(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<general>(live, n, rounds);
}

void library_pool(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<inlined_calls<here>>(live, n, rounds);
}

void library_pool_call(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<outlined_calls<here>>(live, n, rounds);
}

void library_pool_view(void** live, std::size_t n, std::size_t rounds) {
    pair_rounds<view>(live, n, rounds);
}

} // namespace linn::tool::worker
