// SPDX-License-Identifier: Apache-2.0
#include "scattered.hpp"
#include "support/linn_storage.hpp"

namespace linn::bench::scattered {

void run_linn(sampler& s) {
    measure<linn_storage>(s);
}

} // namespace linn::bench::scattered
