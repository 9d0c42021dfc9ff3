// SPDX-License-Identifier: Apache-2.0
// The library `linn::compiled`: what the headers only declare where LINN_COMPILED is defined.
#define LINN_DETAIL_COMPILING
#include <linn/pool.hpp>

namespace linn::inline LINN_ABI::detail {

LINN_DETAIL_POOL_FUNCTIONS()

} // namespace linn::inline LINN_ABI::detail
