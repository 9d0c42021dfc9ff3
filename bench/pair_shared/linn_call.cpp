// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"

#include <linn/pool.hpp>

namespace linn::bench::pair_shared {
namespace {

/// Not inlined, so every operation asks for the TLS address, as it does in code that is no loop. The price is
/// a call more than new and delete pay.
struct storage {
    [[gnu::noinline]] static node* take() { return pool<node>::allocate(); }
    [[gnu::noinline]] static void give(node* p) noexcept { pool<node>::deallocate(p); }
};

} // namespace

void run_linn_call(sampler& s) {
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair_shared
