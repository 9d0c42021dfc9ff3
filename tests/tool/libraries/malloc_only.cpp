// SPDX-License-Identifier: Apache-2.0
// A preload library without operator new and delete, which the C++ runtime then forwards to its malloc: slower by
// some nanoseconds, but really in effect.
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

extern "C" void* malloc(std::size_t size) {
    return __libc_malloc(size);
}
extern "C" void free(void* p) {
    __libc_free(p);
}
