// SPDX-License-Identifier: Apache-2.0
// Promise: under LeakSanitizer too, the child of a process whose other threads take and return memory may use pools.
//
// Breaks when the sanitizer's list of memory to search is in use at the fork: the child waits without end for a thread that
// it does not have, and the alarm ends it.
#include "busy_threads.hpp"

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
    linn_test::busy_threads threads;
    for (int t = 0; t < 3; ++t) {
        threads.start([&] {
            linn::pool_resource resource;
            while (threads.goes_on()) {
                map_and_unmap(resource);
                threads.worked();
            }
        });
    }
    linn::pool_resource resource;
    threads.fork(50, 50, 10, [&] { map_and_unmap(resource); });
}
