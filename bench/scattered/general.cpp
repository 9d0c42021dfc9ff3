// SPDX-License-Identifier: Apache-2.0
#include "scattered.hpp"
#include "support/general_storage.hpp"

namespace linn::bench::scattered {

void run_general(sampler& s) {
    measure<general_storage>(s);
}

} // namespace linn::bench::scattered
