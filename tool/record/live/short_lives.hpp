// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "block_sample.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace linn::tool::live {

/// The events of one thread in a row, without the blocks that come and go among them: most blocks of most programs, of which nothing
/// is left to know. What lives longer goes on to the sample. Invariant: of one address, the sample gets the events in their order.
class short_lives {
public:
    explicit short_lives(block_sample& next) noexcept : next_(next) {}

    void begin(std::uint32_t image, std::uint32_t thread) noexcept {
        image_ = image;
        thread_ = thread;
    }

    void allocate(std::uint64_t time, std::uint64_t address, std::uint64_t bytes, std::uint32_t site) {
        const bool is_large = next_.is_large(bytes);
        if (next_.wants_address(address)) {
            ++passed_;
        } else if (is_large) {
            ++passed_for_size_;
        } else {
            return;
        }
        block& place = blocks_[place_of(address)];
        if (place.address != 0) {
            hand_on(place);
        }
        place = {time, address, bytes, site, is_large};
        if (is_large) {
            next_.note_large(address);
        }
    }
    void release(std::uint64_t time, std::uint64_t address) {
        if (!next_.wants_address(address)) {
            ++passed_for_size_;
            if (!next_.wants(address)) {
                return;
            }
        }
        block& place = blocks_[place_of(address)];
        if (place.address == address) {
            clear(place);
            return;
        }
        next_.add({time, 0, address, 0, image_, 0, thread_});
    }
    void move(std::uint64_t time, std::uint64_t old, std::uint64_t address, std::uint64_t bytes,
              std::uint32_t site) {
        if (block& place = blocks_[place_of(old)]; place.address == old) {
            clear(place);
            return allocate(time, address, bytes, place.site);
        }
        if (block& place = blocks_[place_of(address)]; place.address == address) {
            hand_on(place);
        }
        next_.add({time, address, old, bytes, image_, site, thread_});
    }

    /// The last of them for now.
    void end() {
        next_.tell_passed(std::exchange(passed_, 0), std::exchange(passed_for_size_, 0));
        for (block& place : blocks_) {
            if (place.address != 0) {
                hand_on(place);
            }
        }
    }

private:
    struct block {
        std::uint64_t time = 0;
        std::uint64_t address = 0; ///< 0: none
        std::uint64_t bytes = 0;
        std::uint32_t site = 0;
        bool is_noted = false; ///< as large
    };

    static constexpr std::size_t places = 1024;

    static std::size_t place_of(std::uint64_t address) noexcept {
        return (address >> 4 ^ address >> 14) % places;
    }
    void clear(block& b) noexcept {
        if (b.is_noted) {
            next_.forget_large(b.address);
        }
        b.address = 0;
    }
    void hand_on(block& b) {
        const block_event e{b.time, b.address, 0, b.bytes, image_, b.site, thread_};
        clear(b);
        next_.add(e);
    }

    block_sample& next_;
    std::uint64_t passed_ = 0;
    std::uint64_t passed_for_size_ = 0;
    std::uint32_t image_ = 0;
    std::uint32_t thread_ = 0;
    std::array<block, places> blocks_{};
};

} // namespace linn::tool::live
