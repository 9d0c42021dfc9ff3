// SPDX-License-Identifier: Apache-2.0
#include "reuse.hpp"

#include <linn/allocator.hpp>
#include <linn/memory_resource.hpp>

#include <memory_resource>

namespace linn::tool::worker {
namespace {

struct standard {
    template <class T>
    static std::allocator<T> allocator() {
        return {};
    }
};

struct polymorphic {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        static auto& resource = *new std::pmr::unsynchronized_pool_resource;
        return &resource;
    }
};

struct pooled {
    template <class T>
    static linn::allocator<T> allocator() {
        return {};
    }
};

struct from_resource {
    template <class T>
    static std::pmr::polymorphic_allocator<T> allocator() {
        std::pmr::memory_resource* all = default_pool_resource();
        asm volatile("" : "+r"(all)); // the compiler does not know which resource it is
        return all;
    }
};

constexpr variant all[] = {
    {"reuse", "general", &run_reuse<standard>},
    {"reuse", "pmr_unsynchronized", &run_reuse<polymorphic>},
    {"reuse", "linn", &run_reuse<pooled>},
    {"reuse", "linn_pool_resource", &run_reuse<from_resource>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
