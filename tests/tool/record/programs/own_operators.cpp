// SPDX-License-Identifier: Apache-2.0
// Replaces operator new and delete, on top of malloc with a header; the other forms are built on these by the standard.
#include <cstdio>
#include <cstdlib>
#include <new>

void* operator new(std::size_t n) {
    void* const p = std::malloc(n + 32);
    if (p == nullptr) {
        throw std::bad_alloc{};
    }
    return static_cast<char*>(p) + 32;
}
void operator delete(void* p) noexcept {
    if (p != nullptr) {
        std::free(static_cast<char*>(p) - 32);
    }
}
void operator delete(void* p, std::size_t) noexcept {
    ::operator delete(p);
}

int main() {
    for (int i = 0; i != 6; ++i) {
        void* p = ::operator new(120'001);
        asm volatile("" : "+r"(p) : : "memory");
        ::operator delete(p);
        p = ::operator new[](120'002);
        asm volatile("" : "+r"(p) : : "memory");
        ::operator delete[](p);
        p = ::operator new(120'003, std::nothrow);
        asm volatile("" : "+r"(p) : : "memory");
        ::operator delete(p, std::nothrow);
    }
    return 0;
}
