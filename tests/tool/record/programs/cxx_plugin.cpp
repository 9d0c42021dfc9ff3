// SPDX-License-Identifier: Apache-2.0
// Brings the C++ runtime into a program that has none. Its bad_alloc is thrown through the recorder.
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" __attribute__((visibility("default"))) int work_in_cxx() {
    for (int i = 0; i != 7; ++i) {
        int* p = new int[28'000];
        asm volatile("" : "+r"(p) : : "memory");
        delete[] p;
    }
    std::size_t huge = PTRDIFF_MAX - 4096;
    asm volatile("" : "+r"(huge));
    try {
        ::operator delete(::operator new(huge));
    } catch (const std::bad_alloc&) {
        return 0;
    }
    return 1;
}
