// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"

#include <linn/pool.hpp>

namespace linn::bench::pair_shared {
namespace {

/// As linn_call.cpp: what differs is how the compiler asks for the TLS address.
struct storage {
    [[gnu::noinline]] static node* take() { return pool<node>::allocate(); }
    [[gnu::noinline]] static void give(node* p) noexcept { pool<node>::deallocate(p); }
};

} // namespace

void run_linn_descriptor_call(sampler& s) {
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair_shared
