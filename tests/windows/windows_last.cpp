// SPDX-License-Identifier: Apache-2.0
// Promise: Linn's headers can be included before <windows.h>, whose declarations agree with theirs.
// clang-format off: the order is what is tested
#include <linn/linn.hpp>
#include <linn/node_types.hpp>
#include <linn/zero_fill.hpp>

#include <windows.h>
// clang-format on

int linn_windows_first();

int main() {
    const ULONGLONG now = ::GetTickCount64();
    return linn::pool<int>::statistics().live == 0 && ::GetTickCount64() >= now ? linn_windows_first() : 1;
}
