// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <linn/memory_resource.hpp>

#include <memory_resource>

namespace linn::tool::worker {
namespace {

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

constexpr auto all = all_programs<resource_memory>("linn_pool_resource");

const variants here{all};

} // namespace
} // namespace linn::tool::worker
