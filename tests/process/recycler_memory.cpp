// SPDX-License-Identifier: Apache-2.0
// Promise: a recycler loses no idle object when there is no memory: the memory to note what threads cache is there before they
// cache it.
//
// Breaks when a cache is opened without that memory: the objects in it are leaked when another thread empties it.
#include "process.hpp"

#include <linn/recycler.hpp>

namespace {
std::atomic<bool> no_memory{false};
}

void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return no_memory ? nullptr : std::malloc(n);
}
void* operator new(std::size_t n) {
    void* p = operator new(n, std::nothrow);
    if (p == nullptr) {
        throw std::bad_alloc{};
    }
    return p;
}
void operator delete(void* p) noexcept {
    std::free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

int main() {
    constexpr int threads = 8;
    constexpr int each = 20; // less than a cache holds
    linn::recycler<int> recycler{1024};
    std::atomic<int> holding{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
            std::vector<linn::recycler<int>::handle> held;
            for (int i = 0; i < each; ++i) {
                held.push_back(recycler.acquire());
            }
            ++holding;
            linn_test::wait_until([&] {
                return holding >= threads;
            }); // all at once: each has its own cache, and no object is idle
        });
    }
    linn_test::join_all(all);
    CHECK(recycler.idle() == threads * each);
    no_memory = true;
    const std::size_t destroyed = recycler.trim();
    no_memory = false;
    CHECK(destroyed == threads * each);
    CHECK(recycler.live() == 0);
}
