// SPDX-License-Identifier: Apache-2.0
// A std::pmr resource that pools: shared by threads, given back all at once.
#include <linn/memory_resource.hpp>

#include <cstdio>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

std::size_t live(const linn::pool_resource& r) {
    std::size_t n = 0;
    for (const linn::pool_statistics& s : r.statistics()) { // one entry a size class
        n += s.live;
    }
    return n;
}

int main() {
    // [use]
    linn::pool_resource pool; // must outlive what uses it
    {
        std::pmr::map<int, std::pmr::string> names{&pool};
        for (int i = 0; i < 1000; ++i) {
            names[i] = "a name that is too long for the string itself";
        }
        std::thread{[&] { names.erase(7); }}.join(); // any thread may free
        std::printf("%zu names, %zu blocks\n", names.size(), live(pool));
    }
    std::printf("afterwards: %zu blocks\n", live(pool));
    pool.trim(); // unused memory goes back to the system now
    // [/use]

    // [release]
    std::pmr::vector<int>* numbers = nullptr;
    {
        std::pmr::polymorphic_allocator<> allocator{&pool};
        numbers = allocator.new_object<std::pmr::vector<int>>(100, 1);
    }
    std::printf("%zu numbers, %zu blocks\n", numbers->size(), live(pool));
    pool.release(); // all of it, with no destructor called
    std::printf("released: %zu blocks\n", live(pool));
    // [/release]

    // [upstream]
    std::pmr::monotonic_buffer_resource arena; // asked by one thread at a time: it need not be safe for them
    linn::pool_resource over_arena{{.slab_bytes = 16384}, &arena}; // takes all its memory from there
    std::pmr::vector<std::pmr::string> words{{"one", "two"}, &over_arena};
    std::printf("%zu words\n", words.size());
    // [/upstream]
}
