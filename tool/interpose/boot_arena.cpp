// SPDX-License-Identifier: Apache-2.0
#include "boot_arena.hpp"

#include <atomic>

namespace linn::tool::preload {

alignas(16) constinit unsigned char boot_arena::memory[capacity];

namespace {
constinit std::atomic<std::size_t> used{0};
} // namespace

void* boot_arena::allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes > capacity || alignment > 4096) {
        return nullptr;
    }
    const std::size_t room = (bytes + 15) / 16 * 16 + 16 + (alignment > 16 ? alignment : 0);
    const std::size_t start = used.fetch_add(room, std::memory_order_relaxed);
    if (start + room > capacity || start > capacity) {
        return nullptr;
    }
    std::uintptr_t at = reinterpret_cast<std::uintptr_t>(memory) + start + 16;
    if (alignment > 16) {
        at = (at + alignment - 1) & ~(alignment - 1);
    }
    auto* const block = reinterpret_cast<unsigned char*>(at);
    *reinterpret_cast<std::size_t*>(block - 16) = bytes;
    return block;
}

} // namespace linn::tool::preload
