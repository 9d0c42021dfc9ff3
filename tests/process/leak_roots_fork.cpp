// SPDX-License-Identifier: Apache-2.0
// Promise: under LeakSanitizer too, the child of a process whose other threads take and return memory may use pools.
//
// Breaks when the sanitizer's list of memory to search is in use at the fork: the child waits without end for a thread that
// it does not have, and the alarm ends it.
#define LINN_ASAN_POOLS 1
#include "process.hpp"

#include <linn/memory_resource.hpp>

// Without a sanitizer the test plays its part, with a list that is in use nearly always.
#if defined(__ELF__) && !defined(LINN_TEST_ASAN) && !defined(LINN_TEST_TSAN)
namespace {

std::atomic_flag list_in_use; // a copy of it that is set stays set in the child

void search_the_list() {
    while (list_in_use.test_and_set(std::memory_order_acquire)) {
        std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::microseconds{100});
    list_in_use.clear(std::memory_order_release);
}

} // namespace

extern "C" {
void __lsan_register_root_region(const void*, std::size_t) {
    search_the_list();
}
void __lsan_unregister_root_region(const void*, std::size_t) {
    search_the_list();
}
}
#endif

namespace {

// No operator new: AddressSanitizer's, in GCC 12, hangs in such a child whatever the program does.
void map_and_unmap(linn::pool_resource& resource) {
    constexpr std::size_t bytes = 100 * linn_test::kib;
    resource.deallocate(resource.allocate(bytes), bytes);
    resource.trim();
}

} // namespace

int main() {
    std::atomic<bool> over{false};
    std::atomic<std::size_t> rounds{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            linn::pool_resource resource;
            while (!over) {
                map_and_unmap(resource);
                ++rounds;
            }
        });
    }
    linn::pool_resource resource;
    const int forks = linn_test::on_memcheck() ? 3 : 50;
    for (int i = 0; i < forks; ++i) {
        const std::size_t then = rounds;
        while (rounds < then + 10) {
            std::this_thread::yield();
        }
        linn_test::check_forked([&] { map_and_unmap(resource); });
    }
    over = true;
    for (std::thread& t : threads) {
        t.join();
    }
}
