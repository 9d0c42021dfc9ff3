// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../analysis/live_map.hpp"
#include "../../trace/sample_weight.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace linn::tool::live {

/// A block comes, goes, or moves.
struct block_event {
    std::uint64_t time = 0;        ///< in ticks
    std::uint64_t address = 0;     ///< of the new block; 0: none
    std::uint64_t old_address = 0; ///< of the block that is released; 0: none
    std::uint64_t bytes = 0;
    std::uint32_t image = 0;
    std::uint32_t site = 0; ///< small numbers, in each image from 0
    std::uint32_t thread = 0;
    bool is_noted = false; ///< as block_sample keeps it: followed for its size
};

/// What lives of a site, as an estimate.
struct live_sums {
    double blocks = 0;
    double bytes = 0;
    std::array<std::uint64_t, 4> sizes{}; ///< the first different ones; 0: none
};

/// How much a block_sample may take before it leaves something out.
struct sample_limits {
    std::size_t waiting = 16'384;   ///< events between two calls of settle()
    std::uint64_t passed = 200'000; ///< of those that tell_passed() tells, likewise
    std::size_t blocks = 131'072;
    // Once it does, so much of the first two: what is left is enough for an estimate, and costs less.
    std::size_t waiting_of_sample() const noexcept { return waiting / 4; }
    std::uint64_t passed_of_sample() const noexcept { return passed / 2; }
};

/// Decides which events may be of the sample, apart from it: for loops over many. Invariant: the mark of a hash is set if addresses of
/// that hash are in the sample, or if a block lives at one that is followed for its size.
struct sample_filter {
    /// Blocks of so many bytes may be followed for their size.
    static constexpr std::uint64_t large = 65'536;
    static constexpr unsigned bits = 12;
    static constexpr std::size_t places = std::size_t{1} << bits;
    using place_marks = std::array<bool, places>;

    const bool* marks; ///< by place()

    static std::uint64_t hash(std::uint64_t address) noexcept { return address * 0x9e37'79b9'7f4a'7c15u; }
    static std::size_t place(std::uint64_t address) noexcept { return hash(address) >> (64 - bits); }

    /// A release. @complexity a few instructions
    bool passes(std::uint64_t address) const noexcept { return marks[place(address)]; }
    /// An allocation of so many bytes. @complexity the same
    bool passes(std::uint64_t address, std::uint64_t bytes) const noexcept {
        return passes(address) || bytes >= large;
    }
};

/// Which blocks live, of a sample of addresses that is as small as the limits want: so the work and the memory are bounded whatever
/// the program does, and everything is exact as long as nothing is left out. A block is in the sample if a hash of its address is
/// below a bound, so that allocation and release of a block are both seen, or neither; it stands for as many as the bound left out
/// when it was allocated. Large blocks are all in the sample, since a few of them may be most of the bytes; what is large grows
/// while they are too many.
/// Invariants: the sums are those of the blocks in the maps, each with its weight; `large_` has the addresses of the noted blocks.
class block_sample {
public:
    /// `is_exact`: times order the events of all threads.
    block_sample(bool is_exact, sample_weight weight, sample_limits limits = {}) noexcept
        : is_exact_(is_exact),
          weight_(weight),
          limits_(limits) {
        marks_.fill(true);
    }
    block_sample(const block_sample&) = delete;
    block_sample& operator=(const block_sample&) = delete;

    /// What passes may be wanted. Valid as long as the sample.
    sample_filter filter() const noexcept { return {marks_.data()}; }
    bool wants(std::uint64_t address, std::uint64_t bytes) const noexcept {
        return wants_address(address) || is_large(bytes);
    }
    bool wants(std::uint64_t released) const noexcept {
        return wants_address(released) || large_.contains(released);
    }
    /// Whatever its size.
    bool wants_address(std::uint64_t address) const noexcept {
        return sample_filter::hash(address) <= bound_;
    }

    /// Keeps an event until settle(), if it is one of the sample. Events of one thread come in their order.
    void add(const block_event& e) {
        if ((e.address != 0 && wants(e.address, e.bytes)) || (e.old_address != 0 && wants(e.old_address))) {
            keep(e);
        }
    }

    /// Of so many bytes all blocks are followed.
    std::uint64_t large_from() const noexcept { return large_from_; }
    bool is_large(std::uint64_t bytes) const noexcept { return bytes >= large_from_; }
    /// A large block lives at the address, though add() was not told yet: releases of it are wanted.
    void note_large(std::uint64_t address);
    /// Undoes one of them.
    void forget_large(std::uint64_t address) noexcept;

    /// So many more events passed the filter since the last settle() than add() got: blocks that came and went. `for_size` more
    /// did so only because of large blocks, or of their hash. Leaves more out if they are too many.
    void tell_passed(std::uint64_t events, std::uint64_t for_size = 0);

    /// Applies the events up to this time. Those that come later with an earlier time are still applied, nearly always rightly.
    void settle(std::uint64_t until);

    /// Its process has ended: nothing of it lives.
    void forget(std::uint32_t image);

    /// One block in so many is followed; 1: all are.
    std::uint64_t one_in() const noexcept { return std::uint64_t{1} << shift_; }
    std::size_t blocks() const noexcept { return blocks_; } ///< in the sample

    /// What lives, by site; empty where none ever did.
    const std::vector<live_sums>& sums(std::uint32_t image) const;

private:
    struct followed_block {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
        double stands_for = 1; ///< so many blocks, by the bound when it was allocated
        std::uint32_t site = 0;
        bool is_noted = false; ///< followed for its size
    };
    struct early_release {
        std::uint64_t time = 0;
        std::uint32_t thread = 0;
        std::uint32_t round = 0; ///< of settle()
    };
    struct image_blocks {
        basic_live_map<followed_block> live;
        std::vector<live_sums> sums;
        std::unordered_map<std::uint64_t, early_release> early; ///< of blocks not seen yet, by address
    };

    static bool is_below(std::size_t place, std::uint64_t bound) noexcept {
        return place <= bound >> (64 - sample_filter::bits);
    }
    bool may_pass(std::size_t place) const noexcept {
        return is_below(place, bound_) || large_in_[place] != 0;
    }
    void take_one_in(unsigned shift) noexcept;
    void keep(block_event e);
    void apply(const block_event& e);
    void insert(image_blocks& of, const block_event& e, std::uint32_t site);
    void erase(image_blocks& of, const followed_block* block);
    void add_to_sums(image_blocks& of, const followed_block& block, double sign) const;
    bool was_released_early(image_blocks& of, const block_event& e);
    void leave_out();
    void coarsen();

    bool is_exact_;
    sample_weight weight_;
    sample_limits limits_;
    unsigned shift_ = 0;
    std::uint64_t bound_ = ~std::uint64_t{0};
    std::vector<block_event> waiting_;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order_; ///< of what waits: time and place
    std::uint64_t large_from_ = sample_filter::large;
    std::unordered_map<std::uint64_t, std::uint32_t> large_;      ///< how often an address was noted
    std::array<std::uint32_t, sample_filter::places> large_in_{}; ///< the same by place
    sample_filter::place_marks marks_{};
    std::map<std::uint32_t, image_blocks> images_;
    std::size_t blocks_ = 0;
    std::uint64_t passed_ = 0; ///< since the last settle()
    std::uint64_t passed_for_size_ = 0;
    std::uint32_t round_ = 0;
    unsigned calm_rounds_ = 0;
    unsigned large_calm_rounds_ = 0;
};

} // namespace linn::tool::live
