// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/event.hpp"
#include "../trace/info.hpp"
#include "../trace/trace_file.hpp"
#include "trace_analysis.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
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

/// Where a value stands in a log2_histogram.
inline std::size_t log2_place(std::uint64_t value) noexcept {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(value | 1)) - 1,
                                 std::tuple_size_v<log2_histogram> - 1);
}

/// The most frequent of any number of sizes, in constant memory. Exact for up to 16 sizes; beyond that, what it gives
/// as a count is never too high. @source Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k
/// elements in data streams", 2005 (Space-Saving)
class frequent_sizes {
public:
    void add(std::uint64_t size, std::uint64_t times = 1) noexcept {
        if (sizes_[last_] != size || counts_[last_] == 0) {
            last_ = place_of(size);
        }
        counts_[last_] += times;
    }

    /// Size and count, most frequent first; 8 at most.
    counted_sizes top() const;

private:
    static constexpr std::size_t most = 16;

    std::size_t place_of(std::uint64_t size) noexcept;

    std::array<std::uint64_t, most> sizes_{};
    std::array<std::uint64_t, most> counts_{}; ///< 0: free
    std::array<std::uint64_t, most> errors_{}; ///< by how much a count may be too high
    std::size_t last_ = 0;
    std::size_t used_ = 0;
};

/// What is being counted for one site.
struct site_record {
    std::uint64_t peak_number = 0; ///< of the peak that live_at_peak was noted for
    std::uint64_t burst = 0;
    std::uint32_t last_thread = ~std::uint32_t{0};
    std::uint32_t stack = 0;
    std::uint32_t next = 0; ///< the next site of the same stack, by another call; 0: none
    allocation_call call = allocation_call::none;
    site_statistics counted; ///< `live_at_end`: what is live now
    frequent_sizes sizes;
    frequent_sizes resized;             ///< what a realloc made of its blocks
    std::vector<std::uint64_t> threads; ///< one bit each

    site_record() noexcept { counted.smallest = ~std::uint64_t{0}; }

    void count_thread(std::uint32_t thread);
    /// What a site had at the last peak is what it has until it changes for the first time afterwards. Called before a change.
    void note_peak(std::uint64_t number) noexcept {
        if (peak_number != number) {
            peak_number = number;
            counted.live_at_peak = counted.live_at_end;
            counted.live_bytes_at_peak = counted.live_bytes_at_end;
        }
    }
    void grow_by(std::uint64_t more) noexcept {
        counted.live_bytes_at_end += more;
        counted.peak_live_bytes = std::max(counted.peak_live_bytes, counted.live_bytes_at_end);
    }

    site_statistics statistics() const;
};

/// Makes an analysis out of events, given in the order of time, in one pass. Of a sample, each block counts as many times as
/// its weight says. Memory: in proportion to the blocks that
/// are live at once and to distinct stacks.
///
/// A block belongs to the process image that allocated it. A forked child inherits its parent's blocks; when it releases
/// one, that says nothing of the parent's block. An address that is given out although it is live was released by
/// another thread whose clock, or whose turn at the recorder, was behind: the release that comes next from another
/// thread is taken for that of the old block.
class accumulator {
public:
    explicit accumulator(std::uint64_t sample_bytes = 0) : weight_{sample_bytes} {}

    void take(std::span<const event> events);

    /// The result. Knows which processes are forked ones from `info`. @pre called once
    trace_analysis finish(trace_info info);

private:
    using block_key = std::pair<std::uint32_t, std::uint64_t>; // process, address

    struct process_state {
        live_map live;
        page_set pages;
        std::uint64_t unknown_releases = 0;
    };

    struct thread_state {
        std::uint64_t last_address = 0;  ///< of the block that the last call got; 0: it was no allocation
        std::uint64_t last_bytes = 0;    ///< then: its bytes
        std::uint32_t last_site = 0;     ///< then: its site
        std::uint32_t released_site = 0; ///< of the block it released last; 0: it is not known
        double released_weight = 0;
    };

    struct pending_block {
        live_block block;
        std::uint64_t since = 0;
    };

    /// Of a block that was not known then.
    struct early_release {
        std::uint32_t thread = 0;
        std::uint64_t time = 0;
    };

    void allocate(const event& e);
    void release(const event& e);
    void reallocate(const event& e);

    process_state& process(std::uint32_t index);
    thread_state& thread(std::uint32_t index);
    std::uint32_t site_index(std::uint32_t stack, allocation_call call);

    void add_block(process_state& p, const event& e, std::uint32_t site, std::uint64_t born);
    /// The older of two blocks at one address, where the event means that one; it is not pending any more.
    std::optional<live_block> take_pending(const event& e, std::uint64_t address, const live_block& newer);
    void count_release(const live_block& block, const event& e, bool is_temporary);
    void forget(const live_block& block);
    /// More bytes may be live than ever before.
    void note_peak(std::uint64_t time) noexcept {
        if (live_bytes_ > peak_live_bytes_) {
            peak_live_bytes_ = live_bytes_;
            peak_ns_ = time;
            ++peaks_;
        }
    }
    /// Removes a block from the live ones.
    void end_life(const live_block& block, std::uint64_t weight);
    std::uint64_t weight_of(const live_block& block) const noexcept {
        return weight_.whole(block.bytes, block.address, block.time);
    }
    /// What the calls of a thread just before this one tell, where the trace has all of them.
    void note_neighbours(const event& e, std::uint32_t site);
    /// Of a block that is not known: its allocation may come next.
    void keep_early(const event& e);
    bool can_be_early(const early_release& r, std::uint64_t allocated) const noexcept;
    /// True where the release was told before the allocation.
    bool was_released_early(const event& e);

    sample_weight weight_;
    std::deque<site_record> sites_; ///< [0] is of no use: index 0 means none
    std::vector<std::uint32_t> site_of_stack_;
    std::vector<process_state> processes_;
    std::vector<thread_state> threads_;
    std::map<block_key, pending_block> pending_;
    std::map<block_key, early_release> early_;
    timeline_recorder over_time_;
    std::uint64_t live_ = 0;
    std::uint64_t live_bytes_ = 0;
    std::uint64_t peak_live_ = 0;
    std::uint64_t peak_live_bytes_ = 0;
    std::uint64_t peak_ns_ = 0;
    std::uint64_t peaks_ = 0; ///< how often there was more than ever before
    std::uint64_t burst_ = 0;
    std::uint64_t longest_burst_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t unseen_releases_ = 0;
    std::vector<std::uint64_t> allocating_threads_; ///< one bit each
};

/// Reads a trace in one pass. Memory: in proportion to live blocks and to distinct stacks. Throws what the reader throws.
trace_analysis analyse_trace(trace_reader& trace, const std::function<bool(double)>& progress = {});

} // namespace linn::tool
