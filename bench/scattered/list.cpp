// SPDX-License-Identifier: Apache-2.0
#include "scattered.hpp"
#include "support/list_pool.hpp"

namespace linn::bench::scattered {

void run_list(sampler& s) {
    measure<list_pool<node>>(s);
}

} // namespace linn::bench::scattered
