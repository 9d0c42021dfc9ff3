// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_ASAN_POOLS what is free in a pool_resource is poisoned, and what goes back to upstream is not:
// its owner may use it for something else.
//
// Breaks if slabs are returned poisoned: the next user of that memory is blamed for it.
#define LINN_ASAN_POOLS 1
#include "process.hpp"

#include <linn/memory_resource.hpp>

#include <memory_resource>

namespace {

alignas(64) std::array<unsigned char, 1 << 20> memory;

/// What is allocated here is freed again; the last one is returned.
volatile unsigned char* use(linn::pool_resource& resource) {
    std::array<void*, 100> all{};
    for (void*& p : all) {
        p = resource.allocate(64, 8);
        std::memset(p, 1, 64);
    }
    for (void* p : all) {
        resource.deallocate(p, 64, 8);
    }
    return static_cast<unsigned char*>(all.back());
}

} // namespace

int main() {
    if (!linn_test::asan) {
        return linn_test::skip("not built with AddressSanitizer");
    }
    const auto child = linn_test::run_child([] {
        linn::pool_resource resource;
        *use(resource) = 2;
    });
    child.expect(!child.exited_with(0) && child.says("use-after-poison"), "use after free");

    for (const bool by_trim : {false, true}) {
        std::pmr::monotonic_buffer_resource arena{memory.data(), memory.size(),
                                                  std::pmr::null_memory_resource()};
        linn::pool_resource resource{&arena};
        volatile unsigned char* last = use(resource);
        CHECK(last >= memory.data() && last < memory.data() + memory.size());
        if (by_trim) {
            CHECK(resource.trim() != 0);
        } else {
            resource.release();
        }
        *last = 3;
    }
}
