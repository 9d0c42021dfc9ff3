// SPDX-License-Identifier: Apache-2.0
// hot_loop pairs|empty N: N hot pairs, or a loop that only moves a pointer, for Callgrind to count.
#include <linn/pool.hpp>

#include <cstdlib>
#include <cstring>

namespace {

struct node {
    unsigned char bytes[64];
};

void escape(const void* p) {
    asm volatile("" : : "r"(p) : "memory");
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const unsigned long n = std::strtoul(argv[2], nullptr, 10);
    node* p = linn::pool<node>::allocate();
    if (std::strcmp(argv[1], "pairs") == 0) {
        for (unsigned long i = 0; i != n; ++i) {
            node* q = linn::pool<node>::allocate();
            escape(q);
            linn::pool<node>::deallocate(q);
        }
    } else {
        for (unsigned long i = 0; i != n; ++i) {
            escape(p);
        }
    }
    linn::pool<node>::deallocate(p);
}
