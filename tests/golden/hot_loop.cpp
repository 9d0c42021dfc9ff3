// SPDX-License-Identifier: Apache-2.0
// hot_loop MODE N, for Callgrind to count: N hot pairs, one by one or a batch at a time, or the same loops without a pool.
#include <linn/memory_resource.hpp>
#include <linn/pool.hpp>

#include <cstdlib>
#include <cstring>
#include <memory_resource>

namespace {

struct node {
    void* owner; // a store through it may change any pointer
    unsigned char bytes[56];
};

void escape(const void* p) {
    asm volatile("" : : "r"(p) : "memory");
}

constexpr unsigned long batch = 16; // what two magazines hold without a visit

/// All of `batch` objects, then none: the compiler keeps what it can in registers.
template <class Make, class Drop>
[[gnu::noinline]] void batches(unsigned long n, Make make, Drop drop) {
    node* objects[batch];
    for (unsigned long i = 0; i < n; i += batch) {
        for (node*& p : objects) {
            p = make();
            p->owner = &p;
        }
        escape(objects);
        for (node* p : objects) {
            drop(p);
        }
    }
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
    } else if (std::strcmp(argv[1], "batches") == 0) {
        batches(
            n, [] { return linn::pool<node>::allocate(); }, [](node* q) { linn::pool<node>::deallocate(q); });
    } else if (std::strcmp(argv[1], "resource_pairs") == 0) {
        std::pmr::memory_resource* r = linn::default_pool_resource();
        asm volatile("" : "+r"(r)); // a program does not know which resource it has
        for (unsigned long i = 0; i != n; ++i) {
            void* q = r->allocate(sizeof(node), alignof(node));
            escape(q);
            r->deallocate(q, sizeof(node), alignof(node));
        }
    } else if (std::strcmp(argv[1], "empty_batches") == 0) {
        batches(n, [p] { return p; }, &escape);
    } else {
        for (unsigned long i = 0; i != n; ++i) {
            escape(p);
        }
    }
    linn::pool<node>::deallocate(p);
}
