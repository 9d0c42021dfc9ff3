// SPDX-License-Identifier: Apache-2.0
// The kinds of memory over which each of the programs runs.
#include "size_pools.hpp"
#include "threads.hpp"

#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace linn::tool::worker {
namespace {

/// Every program knows the size of a block that it frees, and passes it.
struct new_delete {
    static void* take(std::size_t bytes) { return ::operator new(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { ::operator delete(p, bytes); }
};

template <std::size_t Bytes>
struct pool_of {
    using object = sized_object<Bytes>;
    static void* take() { return pool<object>::allocate(); }
    static void give(void* p) noexcept { pool<object>::deallocate(static_cast<object*>(p)); }
};

/// One for all threads and sizes, called as any `std::pmr::memory_resource`.
struct resource_memory {
    static void* take(std::size_t bytes) { return shared()->allocate(bytes); }
    static void give(void* p, std::size_t bytes) noexcept { shared()->deallocate(p, bytes); }

private:
    static std::pmr::memory_resource* shared() noexcept {
        std::pmr::memory_resource* r = default_pool_resource();
        asm volatile("" : "+r"(r)); // a program does not know which resource it has
        return r;
    }
};

constexpr auto general = all_programs<new_delete>("new_delete");
constexpr auto pools = all_programs<size_pools<pool_of>>("linn_pool");
constexpr auto resources = all_programs<resource_memory>("linn_pool_resource");

const variants here[]{variants{general}, variants{pools}, variants{resources}};

} // namespace
} // namespace linn::tool::worker
