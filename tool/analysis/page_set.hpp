// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace linn::tool {

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
