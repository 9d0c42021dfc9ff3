// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
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

/// The pages of a process that blocks have lain in: the first block there has the page fault. One bit a page.
class page_set {
public:
    /// How many of the block's pages are new. @complexity constant for a block of few pages
    std::uint64_t add(std::uint64_t address, std::uint64_t bytes) {
        std::uint64_t fresh = 0;
        for_each_page(address, bytes, [&](std::uint64_t& word, std::uint64_t bit) {
            fresh += static_cast<std::uint64_t>((word & bit) == 0);
            word |= bit;
        });
        return fresh;
    }
    /// A large block is released, which the allocator gives back to the system: its pages will be new again.
    void remove(std::uint64_t address, std::uint64_t bytes) {
        if (bytes >= mapped_bytes && (address & (page_bytes - 1)) <= most_header) {
            for_each_page(address, bytes, [](std::uint64_t& word, std::uint64_t bit) { word &= ~bit; });
        }
    }

private:
    static constexpr unsigned page_bits = 12;
    static constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_bits;
    static constexpr std::uint64_t mapped_bytes = std::uint64_t{128}
                                                  << 10; ///< at least, of a mapping of its own
    static constexpr std::uint64_t most_header = 64;     ///< in front of the block in its mapping
    static constexpr std::uint64_t most_pages = std::uint64_t{1} << 20; ///< of one block that are looked at
    static constexpr std::size_t words = 512;                           ///< 128 MiB of addresses
    using region = std::array<std::uint64_t, words>;

    /// Calls `visit(word, bit)` for each page of the block.
    template <class Visit>
    void for_each_page(std::uint64_t address, std::uint64_t bytes, Visit&& visit) {
        const std::uint64_t first = address >> page_bits;
        const std::uint64_t last = (address + (bytes == 0 ? 0 : bytes - 1)) >> page_bits;
        for (std::uint64_t page = first; page <= last && page - first < most_pages; ++page) {
            visit(word_of(page), std::uint64_t{1} << (page % 64));
        }
    }

    std::uint64_t& word_of(std::uint64_t page) {
        const std::uint64_t number = page / (64 * words);
        if (number != last_number_ || last_ == nullptr) {
            std::unique_ptr<region>& found = regions_[number];
            if (!found) {
                found = std::make_unique<region>();
            }
            last_ = found.get();
            last_number_ = number;
        }
        return (*last_)[page / 64 % words];
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<region>> regions_;
    region* last_ = nullptr;
    std::uint64_t last_number_ = 0;
};

} // namespace linn::tool
