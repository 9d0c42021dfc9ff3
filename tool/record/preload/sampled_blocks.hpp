// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The live blocks of the sample, by address. No locks; safe in signal handlers. A forked child has its own copy, as it has of
/// the blocks. All zero at first.
///
/// Most releases are of other blocks: a filter of counters answers them with one load. Behind it are tables of growing size, each
/// made when the smaller ones have no room; an address is in one of the few places that its hash allows.
///
/// All operations are relaxed: an address is added before the program gets the block, and looked for by who has got the
/// address from it, so the program's own synchronisation orders both.
class sampled_blocks {
public:
    /// False: the block is not in the sample. True: look.
    [[gnu::always_inline]] bool may_hold(std::uintptr_t address) const noexcept {
        return filter_[filter_place(hash_of(address))].load(std::memory_order_relaxed) != 0;
    }

    /// False where there is no room.
    bool add(std::uintptr_t address) noexcept;

    /// Forgets all blocks, and gives the memory of their tables back. @pre nobody uses it
    void clear() noexcept;

    /// True if it was there.
    bool remove(std::uintptr_t address) noexcept;

private:
    static constexpr unsigned filter_bits = 13;
    static constexpr std::size_t window = 16; ///< places that a hash allows in one table: two cache lines
    static constexpr unsigned level_bits[] = {12, 16, 20};
    static constexpr std::size_t levels = sizeof level_bits / sizeof *level_bits;

    using place = std::atomic<std::uintptr_t>; ///< an address; 0: free

    static std::uint64_t hash_of(std::uintptr_t address) noexcept {
        return (address >> 4) * 0x9e37'79b9'7f4a'7c15u;
    }
    static std::size_t filter_place(std::uint64_t hash) noexcept { return hash >> (64 - filter_bits); }
    /// The first of the places in a table.
    static std::size_t first_place(std::uint64_t hash, std::size_t level) noexcept {
        return (hash * 0xd6e8'feb8'6659'fd93u >> (64 - level_bits[level])) / window * window;
    }
    static place* find(place* table, std::uint64_t hash, std::size_t level, std::uintptr_t address) noexcept;
    place* table(std::size_t level) noexcept;

    std::atomic<std::uint16_t> filter_[std::size_t{1} << filter_bits];
    std::atomic<place*> tables_[levels];
};

extern sampled_blocks sample;

} // namespace linn::tool::preload
