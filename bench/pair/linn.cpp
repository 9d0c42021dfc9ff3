// SPDX-License-Identifier: Apache-2.0
#include "pair.hpp"
#include "support/linn_storage.hpp"

namespace linn::bench::pair {

void run_linn(sampler& s) {
    measure_pairs<linn_storage>(s);
}

} // namespace linn::bench::pair
