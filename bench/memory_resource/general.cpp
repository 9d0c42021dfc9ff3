// SPDX-License-Identifier: Apache-2.0
#include "memory_resource.hpp"

namespace linn::bench::memory_resource {

/// new and delete by way of std::pmr: whatever allocator the process was started with.
void run_general(sampler& s) {
    measure(s, true, [] { return std::pmr::new_delete_resource(); });
}

} // namespace linn::bench::memory_resource
