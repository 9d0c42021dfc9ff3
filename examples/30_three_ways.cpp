// SPDX-License-Identifier: Apache-2.0
// The ways to construct a shared_ptr, and how often each asks the general allocator for memory.
#include <linn/allocator.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

std::size_t allocations = 0;

[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    void* p = std::malloc(bytes);
    return p != nullptr ? p : throw std::bad_alloc{};
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}

struct packet {
    packet() {} // fills nothing
    unsigned char bytes[1500];
};

template <class Make>
void count(const char* way, Make make) {
    static_cast<void>(make()); // the first one may set something up
    const std::size_t before = allocations;
    static_cast<void>(make());
    std::printf("%-34s %zu\n", way, allocations - before);
}

int main() {
    linn::recycler<packet> packets;
    // [ways]
    count("shared_ptr(new T)", [] { return std::shared_ptr<packet>(new packet); });
    count("std::make_shared", [] { return std::make_shared<packet>(); });
    count("shared_ptr(pool, deleter)",
          [] { return std::shared_ptr<packet>(linn::pool<packet>::create(), linn::pool_delete<packet>{}); });
    count("the same, pooled control block", [] {
        return std::shared_ptr<packet>(linn::pool<packet>::create(), linn::pool_delete<packet>{},
                                       linn::allocator<packet>{});
    });
    count("allocate_shared(linn::allocator)",
          [] { return std::allocate_shared<packet>(linn::allocator<packet>{}); });
    count("linn::make_shared", [] { return linn::make_shared<packet>(); });
    count("recycler::acquire_shared", [&] { return packets.acquire_shared(); });
    // [/ways]
}
