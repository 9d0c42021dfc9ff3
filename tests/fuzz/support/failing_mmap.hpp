// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_FAILING_MMAP_HPP
#define LINN_TESTS_FUZZ_FAILING_MMAP_HPP

#include "failing_scope.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstddef>

// Targets that include this are linked with --wrap=mmap: the headers' own calls of mmap come here.
extern "C" void* __real_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);
extern "C" void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file, off_t offset);

// Used by the linker only.
[[gnu::used]] inline void* __wrap_mmap(void* address, std::size_t bytes, int access, int flags, int file,
                                       off_t offset) {
    if (linn_fuzz::failing_scope::refuses()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(address, bytes, access, flags, file, offset);
}

#endif
