// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cfloat> // doctest 2.4.9 needs it and, on macOS, does not include it
#include <doctest/doctest.h>
