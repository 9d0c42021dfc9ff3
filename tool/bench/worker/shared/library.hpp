// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../objects/pairs.hpp"

#include <linn/pool.hpp>

#include <cstddef>

namespace linn::tool::worker {

// The loops of the scenario pairs-shared, each in a shared library with all that it calls: what a plugin pays for the address
// of something thread-local.
[[gnu::visibility("default")]] object_loop library_general, library_pool, library_pool_call,
    library_pool_view;
// In a library of its own that is compiled with -mtls-dialect=gnu2: descriptors instead of __tls_get_addr.
[[gnu::visibility("default")]] object_loop descriptor_pool, descriptor_pool_call;
// In one that is compiled with LINN_INITIAL_EXEC.
[[gnu::visibility("default")]] object_loop initial_exec_pool;

struct line {
    char bytes[object_bytes];
};

// `Library` is a type of an unnamed namespace, so that each library has code of its own, compiled with its own flags.

/// Inlined into the loop. It is up to the compiler whether it asks for the thread's cache at every call.
template <class Library>
struct inlined_calls {
    static void* take() { return pool<line>::allocate(); }
    static void give(void* p) noexcept { pool<line>::deallocate(static_cast<line*>(p)); }
};

/// Not inlined, so every operation asks, as it does in code that is no loop. The price is a call more than new and delete
/// pay.
template <class Library>
struct outlined_calls {
    [[gnu::noinline]] static void* take() { return pool<line>::allocate(); }
    [[gnu::noinline]] static void give(void* p) noexcept { pool<line>::deallocate(static_cast<line*>(p)); }
};

} // namespace linn::tool::worker
