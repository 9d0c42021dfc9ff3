// SPDX-License-Identifier: Apache-2.0
#include "scaling.hpp"
#include "support/general_storage.hpp"

namespace linn::bench::scaling {

void run_general(sampler& s) {
    measure<general_storage>(s);
}

} // namespace linn::bench::scaling
