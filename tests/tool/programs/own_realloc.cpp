// SPDX-License-Identifier: Apache-2.0
// A program whose realloc, and nothing else, is its own: it takes blocks of the C library alone.
#include <cstddef>
#include <cstdlib>

extern "C" void* __libc_realloc(void* block, std::size_t bytes); // NOLINT: glibc's name
extern "C" void* realloc(void* block, std::size_t bytes) {
    return __libc_realloc(block, bytes);
}

int main() {
    std::free(std::realloc(std::malloc(40), 80));
}
