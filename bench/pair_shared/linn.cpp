// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"

#include <linn/pool.hpp>

namespace linn::bench::pair_shared {
namespace {

/// Inlined into the loop; GCC asks for the TLS address once an operation all the same.
struct storage {
    static node* take() { return pool<node>::allocate(); }
    static void give(node* p) noexcept { pool<node>::deallocate(p); }
};

} // namespace

void run_linn(sampler& s) {
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair_shared
