// SPDX-License-Identifier: Apache-2.0
// A program with the operators of few_operators.cpp; the other forms are built on these by the standard.
#include <new>

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
