// SPDX-License-Identifier: Apache-2.0
// An allocator that a signal handler may interrupt and call again. With COST its calls take a known time: malloc of 64 bytes and free
// of 96 bytes wait for so many ticks of the counter, all other calls take next to nothing.
#include "../../trace/programs/ticks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#ifndef COST
#define COST 0
#endif

namespace {

constexpr std::size_t room = std::size_t{64} << 30;
std::atomic<std::uintptr_t> next{0};

/// One free block, so that addresses come again.
std::atomic<std::uintptr_t> last_freed{0};

std::uintptr_t begin() {
    std::uintptr_t at = next.load();
    if (at == 0) {
        void* const p =
            ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) {
            __builtin_trap();
        }
        next.compare_exchange_strong(at, reinterpret_cast<std::uintptr_t>(p));
        at = next.load();
    }
    return at;
}
std::size_t& size_of(void* p) {
    return *reinterpret_cast<std::size_t*>(static_cast<char*>(p) - 16);
}
void* get(std::size_t n, std::size_t alignment) {
    begin();
    if (n > room / 64) {
        return nullptr;
    }
    if (const std::uintptr_t old = last_freed.exchange(0)) {
        void* const p = reinterpret_cast<void*>(old);
        if (size_of(p) == n && old % alignment == 0) {
            return p;
        }
    }
    const std::size_t all = (n + alignment + 31) / 16 * 16;
    const std::uintptr_t at = next.fetch_add(all) + 16;
    void* const p = reinterpret_cast<void*>((at + alignment - 1) & ~(alignment - 1));
    size_of(p) = n;
    return p;
}

} // namespace

#define LINN_EXPORT extern "C" __attribute__((visibility("default")))

LINN_EXPORT void* malloc(std::size_t n) {
    if (n == 64) {
        wait_ticks(COST);
    }
    return get(n, 16);
}
LINN_EXPORT void free(void* p) {
    if (p != nullptr) {
        if (size_of(p) == 96) {
            wait_ticks(COST);
        }
        last_freed.store(reinterpret_cast<std::uintptr_t>(p));
    }
}
LINN_EXPORT void* calloc(std::size_t n, std::size_t m) {
    void* const p = get(n * m, 16);
    return p != nullptr ? std::memset(p, 0, n * m) : nullptr;
}
LINN_EXPORT void* realloc(void* old, std::size_t n) {
    void* const p = get(n, 16);
    if (old != nullptr && p != nullptr) {
        std::memcpy(p, old, size_of(old) < n ? size_of(old) : n);
    }
    return p;
}
LINN_EXPORT void* memalign(std::size_t a, std::size_t n) {
    return get(n, a < 16 ? 16 : a);
}
LINN_EXPORT void* aligned_alloc(std::size_t a, std::size_t n) {
    return get(n, a < 16 ? 16 : a);
}
LINN_EXPORT int posix_memalign(void** p, std::size_t a, std::size_t n) {
    *p = get(n, a < 16 ? 16 : a);
    return 0;
}
