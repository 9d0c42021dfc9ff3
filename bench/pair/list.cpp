// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"
#include "support/list_pool.hpp"

namespace linn::bench::pair {

void run_list(sampler& s) {
    measure_pairs<list_pool<node>>(s);
}

} // namespace linn::bench::pair
