// SPDX-License-Identifier: Apache-2.0
#include "reuse.hpp"

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

constexpr variant all[] = {
    {"reuse", "general", &run_reuse<standard>},
    {"reuse", "pmr_unsynchronized", &run_reuse<polymorphic>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
