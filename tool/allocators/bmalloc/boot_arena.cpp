// SPDX-License-Identifier: Apache-2.0
#include "boot_arena.hpp"

#include <atomic>
#include <cstdint>

namespace linn::bmalloc {
namespace {

// Only the pages touched cost memory. As a static array, it is there before any constructor and has fixed bounds.
constexpr std::size_t capacity = std::size_t{64} << 20;
alignas(4096) char memory[capacity];
std::atomic<std::size_t> used{0};

constexpr std::size_t header = 16; // holds the size

} // namespace

void* boot_arena::allocate(std::size_t size, std::size_t alignment) noexcept {
    if (size > capacity || alignment > capacity) {
        return nullptr;
    }
    if (alignment < header) {
        alignment = header;
    }
    const std::size_t room = (size + header + alignment + header - 1) / header * header;
    const std::size_t start = used.fetch_add(room, std::memory_order_relaxed);
    if (start > capacity - header || room > capacity - start) {
        used.store(capacity, std::memory_order_relaxed);
        return nullptr;
    }
    std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory) + start + header;
    address = (address + alignment - 1) / alignment * alignment;
    auto* block = reinterpret_cast<char*>(address);
    *reinterpret_cast<std::size_t*>(block - header) = size;
    return block;
}

bool boot_arena::owns(const void* block) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    return address - reinterpret_cast<std::uintptr_t>(memory) < capacity;
}

std::size_t boot_arena::size_of(const void* block) const noexcept {
    return *reinterpret_cast<const std::size_t*>(static_cast<const char*>(block) - header);
}

} // namespace linn::bmalloc
