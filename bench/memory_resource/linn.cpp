// SPDX-License-Identifier: Apache-2.0
#include "memory_resource.hpp"

#include <linn/memory_resource.hpp>

#include <memory>

namespace linn::bench::memory_resource {

void run_linn(sampler& s) {
    measure(s, true, [] { return std::make_unique<pool_resource>(); });
}

void run_linn_over_upstream(sampler& s) {
    measure(s, true, [] { return std::make_unique<pool_resource>(std::pmr::new_delete_resource()); });
}

} // namespace linn::bench::memory_resource
