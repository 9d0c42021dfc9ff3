// SPDX-License-Identifier: Apache-2.0
#define LINN_INITIAL_EXEC
#include "pair_shared.hpp"

#include <linn/pool.hpp>

namespace linn::bench::pair_shared {
namespace {

struct storage {
    static node* take() { return pool<node>::allocate(); }
    static void give(node* p) noexcept { pool<node>::deallocate(p); }
};

} // namespace

void run_linn_initial_exec(sampler& s) {
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair_shared
