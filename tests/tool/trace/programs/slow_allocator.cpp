// SPDX-License-Identifier: Apache-2.0
// An allocator whose calls take a known time: malloc of 64 bytes and free of 96 bytes wait for COST ticks of the counter, all
// other calls take next to nothing. Nothing is given out twice.
#include "ticks.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstring>

namespace {

struct header {
    std::size_t bytes;
    std::size_t unused;
};

thread_local char* next = nullptr;
thread_local std::size_t left = 0;

void* block(std::size_t bytes) noexcept {
    const std::size_t needed = sizeof(header) + (bytes + 15) / 16 * 16;
    if (needed > left) {
        const std::size_t more = needed + (std::size_t{1} << 20);
        void* const fresh = ::mmap(nullptr, more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED) {
            return nullptr;
        }
        next = static_cast<char*>(fresh);
        left = more;
    }
    auto* const h = reinterpret_cast<header*>(next);
    h->bytes = bytes;
    next += needed;
    left -= needed;
    return h + 1;
}

} // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t bytes) noexcept {
    if (bytes == 64) {
        wait_ticks(COST);
    }
    return block(bytes);
}

extern "C" __attribute__((visibility("default"))) void free(void* p) noexcept {
    if (p != nullptr && (static_cast<header*>(p) - 1)->bytes == 96) {
        wait_ticks(COST);
    }
}

extern "C" __attribute__((visibility("default"))) void* calloc(std::size_t count,
                                                               std::size_t bytes) noexcept {
    return block(count * bytes);
}

extern "C" __attribute__((visibility("default"))) void* realloc(void* old, std::size_t bytes) noexcept {
    void* const fresh = block(bytes);
    if (old != nullptr && fresh != nullptr) {
        const std::size_t had = (static_cast<header*>(old) - 1)->bytes;
        std::memcpy(fresh, old, had < bytes ? had : bytes);
    }
    return fresh;
}
