// SPDX-License-Identifier: Apache-2.0
// Passes the tool's trial, and stops for ever once another program allocates in earnest.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void __libc_free(void*);

namespace {
unsigned long calls = 0;
}

extern "C" void* malloc(std::size_t size) {
    if (++calls > 4000 && program_invocation_short_name != std::string_view{"linn-allocator-probe"}) {
        for (;;) {
            ::pause();
        }
    }
    return __libc_malloc(size);
}

extern "C" void free(void* p) {
    __libc_free(p);
}
