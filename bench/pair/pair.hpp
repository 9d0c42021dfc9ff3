// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/pairs.hpp"

namespace linn::bench::pair {

void run_linn(sampler& s);
void run_floor(sampler& s);
void run_list(sampler& s);
void run_general(sampler& s);

} // namespace linn::bench::pair
