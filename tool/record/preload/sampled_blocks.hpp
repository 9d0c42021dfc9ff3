// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::preload {

/// The live blocks of the sample, by address. No locks; safe in signal handlers. A forked child has its own copy, as it has of
/// the blocks. All zero at first.
///
/// Most releases are of other blocks. A counter for each 8 KiB of the address space, the lowest 4 GiB of it and then again, answers
/// them with five instructions; neighbours have one, so few lines of cache are looked at. Behind it a filter of counters by hash, for
/// the neighbours of a sampled block, and tables of growing size, each made when the smaller ones have no room; an address is in one of the few places that its hash allows.
///
/// All operations are relaxed: an address is added before the program gets the block, and looked for by who has got the
/// address from it, so the program's own synchronisation orders both.
class sampled_blocks {
public:
    /// False: the block is not in the sample. True: look.
    [[gnu::always_inline]] bool may_hold(std::uintptr_t address) const noexcept {
        const counter& near = near_[granule(address)];
#if defined(__x86_64__)
        bool is_some = false; // compilers load what is atomic before they compare it
        asm("cmpw $0, %[near]" : "=@ccne"(is_some) : [near] "m"(near));
        return is_some;
#else
        return near.load(std::memory_order_relaxed) != 0;
#endif
    }

    /// may_hold() is true of these from now on: they are not to be given back to an allocator.
    void look_at_all(const void* begin, std::size_t bytes) noexcept;

    /// False where there is no room.
    bool add(std::uintptr_t address) noexcept;

    /// Forgets all blocks, and unmaps their tables. @pre no thread uses it
    void clear() noexcept;

    /// True if it was there.
    [[gnu::always_inline]] bool remove(std::uintptr_t address) noexcept {
        return filter_[filter_place(hash_of(address))].load(std::memory_order_relaxed) != 0 &&
               remove_counted(address);
    }

private:
    using counter = std::atomic<std::uint16_t>;

    static constexpr unsigned granule_bits = 13;
    static constexpr unsigned filter_bits = 13;
    static constexpr std::uint16_t full = 0xffff; ///< a counter that is not changed any more
    static constexpr std::size_t window = 16;     ///< places that a hash allows in one table: two cache lines
    static constexpr unsigned level_bits[] = {12, 16, 20};
    static constexpr std::size_t levels = sizeof level_bits / sizeof *level_bits;

    using place = std::atomic<std::uintptr_t>; ///< an address; 0: free

    static std::uint64_t hash_of(std::uintptr_t address) noexcept {
        return (address >> 4) * 0x9e37'79b9'7f4a'7c15u;
    }
    static std::size_t filter_place(std::uint64_t hash) noexcept { return hash >> (64 - filter_bits); }
    static std::size_t granule(std::uintptr_t address) noexcept {
        return static_cast<std::uint32_t>(address) >> granule_bits;
    }
    /// The first of the places in a table.
    static std::size_t first_place(std::uint64_t hash, std::size_t level) noexcept {
        return (hash * 0xd6e8'feb8'6659'fd93u >> (64 - level_bits[level])) / window * window;
    }
    static place* find(place* table, std::uint64_t hash, std::size_t level, std::uintptr_t address) noexcept;
    place* table(std::size_t level) noexcept;
    static void count(counter& c, bool is_one_more) noexcept;
    bool remove_counted(std::uintptr_t address) noexcept;

    counter near_[std::size_t{1} << (32 - granule_bits)];
    counter filter_[std::size_t{1} << filter_bits];
    std::atomic<place*> tables_[levels];
};

[[gnu::visibility("hidden")]] extern sampled_blocks sample;

} // namespace linn::tool::preload
