// SPDX-License-Identifier: Apache-2.0
// Replaces operator new and delete, and leaves malloc alone: no allocator for a whole program.
#include <cstddef>
#include <cstdlib>
#include <new>

void* operator new(std::size_t size) {
    if (void* p = std::malloc(size)) {
        return p;
    }
    throw std::bad_alloc{};
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
