// SPDX-License-Identifier: Apache-2.0
// Three of the operators, on top of malloc with a header: all other forms are the C++ runtime's, which calls these. Allocators that
// lack a form, as mimalloc 2.0 lacks the nothrow deletes, are like that; so are programs with an operator new of their own.
#include <cstdlib>
#include <new>

__attribute__((visibility("default"))) void* operator new(std::size_t n) {
    void* const p = std::malloc(n + 32);
    if (p == nullptr) {
        throw std::bad_alloc{};
    }
    return static_cast<char*>(p) + 32;
}
__attribute__((visibility("default"))) void operator delete(void* p) noexcept {
    if (p != nullptr) {
        std::free(static_cast<char*>(p) - 32);
    }
}
__attribute__((visibility("default"))) void operator delete(void* p, std::size_t) noexcept {
    ::operator delete(p);
}
