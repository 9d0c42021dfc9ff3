// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
// clang-format off: doctest 2.4.9 needs <cfloat>, and does not include it on macOS
#include <cfloat>
#include <doctest/doctest.h>
