// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <memory_resource>

namespace linn::tool::worker {

/// Objects of that size from a pool of their own.
template <std::size_t Bytes>
struct pool_source {
    struct object {
        char bytes[Bytes];
    };

    static void* take() { return pool<object>::allocate(); }
    static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
    static pool_statistics statistics() noexcept { return pool<object>::statistics(); }
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
