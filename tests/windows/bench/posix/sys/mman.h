// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tool/bench/worker/mapped_array.hpp needs of a POSIX system, on Windows: memory that is there at once.
#include <linn/detail/os/pages.hpp>

#include <cstddef>
#include <cstring>
#include <ctime>

namespace std {
using ::timespec; // the C library has it, its C++ header forgets it
}

#define PROT_READ 0
#define PROT_WRITE 0
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_POPULATE 0
#define MAP_FAILED (static_cast<void*>(nullptr))

inline void* mmap(void*, std::size_t bytes, int, int, int, int) {
    void* p = linn::detail::system_pages::map(bytes, 4096);
    if (p != nullptr) {
        std::memset(p, 0, bytes);
    }
    return p;
}

inline int munmap(void* p, std::size_t bytes) {
    linn::detail::system_pages::unmap(p, bytes, 4096);
    return 0;
}
