// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"

#include <linn/pool.hpp>

namespace linn::bench::pair_shared {
namespace {

/// The thread's cache is looked up once for the loop.
struct storage {
    node* take() { return here.allocate(); }
    void give(node* p) noexcept { here.deallocate(p); }
    pool<node>::thread_view here = pool<node>::on_this_thread();
};

} // namespace

void run_linn_view(sampler& s) {
    measure_pairs<storage>(s);
}

} // namespace linn::bench::pair_shared
