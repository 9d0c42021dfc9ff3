// SPDX-License-Identifier: Apache-2.0
// Promise: with LINN_ASAN_POOLS objects lie in slabs under AddressSanitizer too, and what is free there
// is poisoned: use after free of pooled objects and of nodes of containers is reported as well.
//
// Breaks when freed objects stay readable in a cache. The scenarios are those of tools_asan.
#define LINN_ASAN_POOLS 1
#include "tools_asan.cpp"
