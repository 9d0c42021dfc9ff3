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
/// them with five instructions; neighbours have one, so few lines of cache are looked at. Behind it a table, in which an address
/// has one of the few places that its hash allows.
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

    /// False where there is no room.
    bool add(std::uintptr_t address) noexcept;

    /// Forgets all blocks. @pre no thread uses it
    void clear() noexcept;

    /// True if it was there.
    bool remove(std::uintptr_t address) noexcept;

private:
    using counter = std::atomic<std::uint16_t>;
    using place = std::atomic<std::uintptr_t>; ///< an address; 0: free

    static constexpr unsigned granule_bits = 13;
    static constexpr std::uint16_t full = 0xffff; ///< a counter that is not changed any more
    static constexpr std::size_t window = 16;     ///< places that a hash allows: two cache lines
    static constexpr unsigned table_bits = 20;
    static constexpr std::size_t table_bytes = sizeof(place) << table_bits;

    static std::size_t granule(std::uintptr_t address) noexcept {
        return static_cast<std::uint32_t>(address) >> granule_bits;
    }
    place* places_of(std::uintptr_t address) noexcept;
    static bool change(place* places, std::uintptr_t from, std::uintptr_t to) noexcept;
    void count(std::uintptr_t address, bool is_one_more) noexcept;

    counter near_[std::size_t{1} << (32 - granule_bits)];
    std::atomic<place*> table_; ///< mapped with the first block
};

[[gnu::visibility("hidden")]] extern sampled_blocks sample;

} // namespace linn::tool::preload
