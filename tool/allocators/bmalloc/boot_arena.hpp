// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace linn::bmalloc {

/// Memory for the time before WebKit's allocator is there, and for what it allocates itself while it works. Blocks are
/// never reused: what lives here is small, and mostly lives as long as the process.
class boot_arena {
public:
    /// A zeroed block, or null when the arena is used up. Any thread, also inside a signal handler.
    void* allocate(std::size_t size, std::size_t alignment) noexcept;

    /// True for blocks of any arena; they are all the same.
    bool owns(const void* block) const noexcept;

    /// The size that the block was asked for with. @pre owns(block)
    std::size_t size_of(const void* block) const noexcept;
};

} // namespace linn::bmalloc
