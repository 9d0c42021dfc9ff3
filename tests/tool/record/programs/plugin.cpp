// SPDX-License-Identifier: Apache-2.0
// Two of the same layout, so at the same address one after the other: only their sizes tell them apart.
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) void work(int count) {
    for (int i = 0; i != count; ++i) {
        void* p = std::malloc(LINN_PLUGIN_BYTES);
        asm volatile("" : "+r"(p) : : "memory");
        std::free(p);
    }
}
