// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace linn::tool::worker {

/// The object of these scenarios: one cache line, and nothing to construct.
inline constexpr std::size_t object_bytes = 64;

/// `rounds` times: allocates `n` objects, then frees them in the same order. Nothing touches them.
using object_loop = void(void** live, std::size_t n, std::size_t rounds);

/// `Source` has `void* take()` and `void give(void*)`.
template <class Source>
[[gnu::always_inline]] inline void allocate_and_free(void** live, std::size_t n, std::size_t rounds) {
    Source source; // empty, or what a thread keeps for a loop
    for (std::size_t r = 0; r != rounds; ++r) {
        for (std::size_t i = 0; i != n; ++i) {
            void* p = source.take();
            escape(p);
            live[i] = p;
        }
        for (std::size_t i = 0; i != n; ++i) {
            source.give(live[i]);
            escape(live);
        }
    }
}

/// The loop for a source. One object at a time has code of its own, where a loop would cost more than its body.
template <class Source>
[[gnu::noinline]] void pair_rounds(void** live, std::size_t n, std::size_t rounds) {
    if (n == 1) {
        allocate_and_free<Source>(live, 1, rounds);
    } else {
        allocate_and_free<Source>(live, n, rounds);
    }
}

/// Plain new and delete: the allocator that the process was started with.
template <std::size_t Bytes>
struct general_source {
    static void* take() { return ::operator new(Bytes); }
    static void give(void* p) noexcept { ::operator delete(p, Bytes); }
};

/// An object of that size, aligned as an object of that size may need, to 16 at most.
template <std::size_t Bytes>
struct alignas((Bytes & (~Bytes + 1)) < 16 ? (Bytes & (~Bytes + 1)) : 16) sized_object {
    unsigned char bytes[Bytes];
};

/// Objects of that size from a pool of their own.
template <std::size_t Bytes>
struct pool_source {
    using object = sized_object<Bytes>;

    static void* take() { return pool<object>::allocate(); }
    static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
};

/// Blocks of that size from one resource for all sizes and threads. The compiler knows neither.
template <std::size_t Bytes, auto Resource = &default_pool_resource>
struct resource_source {
    std::size_t bytes = Bytes;
    std::pmr::memory_resource* from = Resource();

    resource_source() noexcept { asm volatile("" : "+r"(bytes), "+r"(from)); }
    void* take() const { return from->allocate(bytes); }
    void give(void* p) const { from->deallocate(p, bytes); }
};

} // namespace linn::tool::worker

// The loops of the scenario pairs-shared, each in a shared library with all that it calls: what a plugin pays for the address
// of something thread-local. library.cpp is compiled once for each of these namespaces: as programs are, with
// -mtls-dialect=gnu2 (descriptors instead of __tls_get_addr), and with LINN_INITIAL_EXEC.
#define LINN_LIBRARY_LOOPS(library)                                                                          \
    namespace linn::tool::worker::library {                                                                  \
    [[gnu::visibility("default")]] object_loop general, inlined, outlined, view;                             \
    }
LINN_LIBRARY_LOOPS(usual)
LINN_LIBRARY_LOOPS(descriptor)
LINN_LIBRARY_LOOPS(initial_exec)
