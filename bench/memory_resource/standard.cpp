// SPDX-License-Identifier: Apache-2.0
#include "memory_resource.hpp"

#include <memory>

namespace linn::bench::memory_resource {

void run_unsynchronized(sampler& s) {
    measure(s, false, [] { return std::make_unique<std::pmr::unsynchronized_pool_resource>(); });
}

void run_synchronized(sampler& s) {
    measure(s, true, [] { return std::make_unique<std::pmr::synchronized_pool_resource>(); });
}

} // namespace linn::bench::memory_resource
