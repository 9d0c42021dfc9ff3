// SPDX-License-Identifier: Apache-2.0
#include "pair_shared.hpp"
#include "support/general_storage.hpp"

namespace linn::bench::pair_shared {

void run_general(sampler& s) {
    measure_pairs<general_storage>(s);
}

} // namespace linn::bench::pair_shared
