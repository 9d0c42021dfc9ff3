// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// Memory for those who allocate while the real allocator is being looked for: dlsym itself. Never reused; not recorded,
/// for the program did not ask for it.
class boot_arena {
public:
    static const void* begin() noexcept { return memory; }
    static constexpr std::size_t capacity = std::size_t{64} << 10;

    /// A zeroed block, or null when all is used up.
    static void* allocate(std::size_t bytes, std::size_t alignment = 16) noexcept;

    static bool owns(const void* block) noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory) < capacity;
    }
    /// What was asked for. @pre owns(block)
    static std::size_t size_of(const void* block) noexcept {
        return *reinterpret_cast<const std::size_t*>(static_cast<const unsigned char*>(block) - 16);
    }

private:
    alignas(16) static unsigned char memory[capacity];
};

} // namespace linn::tool::preload
