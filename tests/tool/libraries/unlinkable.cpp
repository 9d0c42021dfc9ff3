// SPDX-License-Identifier: Apache-2.0
// Serves posix_memalign by way of a function that nobody has: a library whose dependency was forgotten.
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);
extern "C" int linn_test_function_of_nobody(void**, std::size_t, std::size_t);

extern "C" void* malloc(std::size_t size) {
    return __libc_malloc(size);
}
extern "C" void free(void* p) {
    __libc_free(p);
}
extern "C" int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    return linn_test_function_of_nobody(result, alignment, size);
}
