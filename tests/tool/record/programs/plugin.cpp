// SPDX-License-Identifier: Apache-2.0
// Two of the same layout, so at the same address one after the other: only their sizes and a name tell them apart.
#include <cstdlib>

template <int Bytes>
__attribute__((noinline)) void allocate(int count) {
    for (int i = 0; i != count; ++i) {
        void* p = std::malloc(Bytes);
        asm volatile("" : "+r"(p) : : "memory");
        std::free(p);
    }
}

extern "C" __attribute__((visibility("default"))) void work(int count) {
    allocate<LINN_PLUGIN_BYTES>(count);
}
