// SPDX-License-Identifier: Apache-2.0
// A library that a program opens, with a call of its own that a plan can name.
#include "sites.hpp"

#include <cstdlib>

LINN_SITE void* site_of_plugin() {
    return kept(std::malloc(LINN_PLUGIN_BYTES));
}
extern "C" __attribute__((visibility("default"))) void give_in_plugin(void* p) {
    std::free(p);
}
