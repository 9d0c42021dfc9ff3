// SPDX-License-Identifier: Apache-2.0
#include "live_sets.hpp"

#include <linn/memory_resource.hpp>

#include <memory_resource>

namespace linn::bench::live_sets {
namespace {

/// As a container reaches it: by the interface of the standard.
template <std::size_t bytes>
struct storage {
    std::pmr::memory_resource* resource;

    void* take() { return resource->allocate(bytes, alignof(std::max_align_t)); }
    void give(void* p) noexcept { resource->deallocate(p, bytes, alignof(std::max_align_t)); }
};

} // namespace

void run_resource(sampler& s) {
    pool_resource resource;
    std::pmr::memory_resource* r = &resource;
    asm("" : "+r"(r)); // so that the compiler does not know which resource it is
    measure_all(s, [r]<std::size_t bytes> { return storage<bytes>{r}; });
}

} // namespace linn::bench::live_sets
