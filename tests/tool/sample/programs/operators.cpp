// SPDX-License-Identifier: Apache-2.0
// A library with an operator new of its own, over malloc: the recorder sees the call of the operator and, within it, that of
// malloc.
#include <cstdlib>
#include <new>

void* operator new(std::size_t n) {
    if (void* p = std::malloc(n)) {
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
