// SPDX-License-Identifier: Apache-2.0
// Promise: Linn's headers can be included after <windows.h> with all its macros (min, max, small, interface).
#include <linn/linn.hpp>
#include <linn/node_types.hpp>
#include <linn/zero_fill.hpp>

#include <windows.h>

int linn_windows_first() {
    return linn::pool<int>::statistics().live == 0 ? 0 : 1;
}
