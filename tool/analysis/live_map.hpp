// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// A block that is live.
struct live_block {
    std::uint64_t address = 0; ///< 0: an empty place of the table
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    std::uint32_t site = 0;
    std::uint32_t thread = 0;
};

/// The live blocks of one process by address: open addressing with linear probing, at most half full. Blocks that lie
/// next to each other in the program lie near each other here, so that a program that walks through memory does not make
/// the analysis jump. The address is 0 in an empty place. @complexity constant on average
class live_map {
public:
    std::size_t size() const noexcept { return size_; }

    /// The block at an address, or null. The pointer is valid until the next insert or erase. @pre address is not 0
    live_block* find(std::uint64_t address) noexcept {
        if (places_.empty()) {
            return nullptr;
        }
        for (std::size_t i = home(address);; i = (i + 1) & mask_) {
            if (places_[i].address == address) {
                return &places_[i];
            }
            if (places_[i].address == 0) {
                return nullptr;
            }
        }
    }

    /// Adds a block. @pre its address is not 0 and not in the table
    void insert(const live_block& block) {
        if (2 * (size_ + 1) > places_.size()) {
            grow();
        }
        place(block);
        ++size_;
    }

    /// Takes out what find() gave.
    void erase(const live_block* block) noexcept {
        auto hole = static_cast<std::size_t>(block - places_.data());
        // Moves back what a search would otherwise not reach over the hole.
        for (std::size_t i = (hole + 1) & mask_; places_[i].address != 0; i = (i + 1) & mask_) {
            if (((i - home(places_[i].address)) & mask_) >= ((i - hole) & mask_)) {
                places_[hole] = places_[i];
                hole = i;
            }
        }
        places_[hole].address = 0;
        --size_;
    }

    /// Brings the place of an address into the cache.
    void prefetch(std::uint64_t address) const noexcept {
        if (!places_.empty()) {
            __builtin_prefetch(&places_[home(address)], 1);
        }
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (const live_block& block : places_) {
            if (block.address != 0) {
                visit(block);
            }
        }
    }

private:
    static constexpr std::size_t first_size = 1024;
    static constexpr unsigned region_bits = 12; // neighbours within a page stay together

    std::size_t home(std::uint64_t address) const noexcept {
        const std::uint64_t region = (address >> region_bits) * 0x9e37'79b9'7f4a'7c15U;
        const std::uint64_t inside = (address >> 4) & ((1U << (region_bits - 4)) - 1);
        return static_cast<std::size_t>((region >> shift_) + inside) & mask_;
    }

    void place(const live_block& block) noexcept {
        std::size_t i = home(block.address);
        while (places_[i].address != 0) {
            i = (i + 1) & mask_;
        }
        places_[i] = block;
    }

    void grow() {
        std::vector<live_block> old(places_.empty() ? first_size : 2 * places_.size());
        old.swap(places_);
        mask_ = places_.size() - 1;
        shift_ = static_cast<unsigned>(std::countl_zero(mask_)); // the best bits of a product are its highest
        for (const live_block& block : old) {
            if (block.address != 0) {
                place(block);
            }
        }
    }

    std::vector<live_block> places_;
    std::size_t size_ = 0;
    std::size_t mask_ = 0;
    unsigned shift_ = 0;
};

} // namespace linn::tool
