// SPDX-License-Identifier: Apache-2.0
// Promise: Linn's headers can be included after <windows.h> with all its macros (min, max, small, interface).
// clang-format off: the order is what is tested
#include <windows.h>

#include <linn/linn.hpp>
#include <linn/node_types.hpp>
#include <linn/zero_fill.hpp>
// clang-format on

int linn_windows_first() {
    return linn::pool<int>::statistics().live == 0 ? 0 : 1;
}
