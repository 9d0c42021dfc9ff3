// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// The size class that a block's slot belongs to: multiples of 16 up to 1024, then four a doubling.
constexpr unsigned slot_class(std::uint64_t bytes) noexcept {
    if (bytes <= 1024) {
        return bytes == 0 ? 1 : static_cast<unsigned>((bytes + 15) / 16);
    }
    unsigned log2 = 10;
    while (bytes > std::uint64_t{1} << (log2 + 1)) {
        ++log2;
    }
    const std::uint64_t step = std::uint64_t{1} << (log2 - 2);
    return 64 + (log2 - 10) * 4 +
           static_cast<unsigned>((bytes - (std::uint64_t{1} << log2) + step - 1) / step);
}

/// The bytes of a class's largest block.
constexpr std::uint64_t slot_class_bytes(unsigned c) noexcept {
    if (c <= 64) {
        return std::uint64_t{c} * 16;
    }
    const unsigned log2 = 10 + (c - 65) / 4;
    return (std::uint64_t{1} << log2) + ((c - 65) % 4 + 1) * (std::uint64_t{1} << (log2 - 2));
}

/// A slot that a new block may use, and whether another stream must have emptied it first.
struct taken_slot {
    std::uint32_t number = 0;
    bool waits = false;
};

/// The slots of one stream. Only that stream puts blocks into them; what it emptied itself it reuses last in first out, as
/// allocators do.
///
/// What another stream emptied is reused later, so that the replay's streams may run apart a little without waiting for
/// each other at every block; large blocks are reused at once, for they must not pile up.
class slot_store {
public:
    /// A free slot of the class. `fresh(class)` makes a new one.
    template <class Fresh>
    taken_slot take(std::uint64_t bytes, Fresh fresh) {
        const unsigned c = slot_class(bytes);
        if (c >= lists_.size()) {
            lists_.resize(c + 1);
        }
        free_lists& lists = lists_[c];
        if (!lists.own.empty()) {
            const std::uint32_t slot = lists.own.back();
            lists.own.pop_back();
            return {slot, false};
        }
        const bool is_large = bytes > largest_loose_bytes;
        if (lists.emptied_by_others.size() > (is_large ? 0 : slack)) {
            return {is_large ? lists.emptied_by_others.take_last() : lists.emptied_by_others.take_first(),
                    true};
        }
        return {fresh(c), false};
    }

    /// The block of that size is gone, which this stream or another one did.
    void give(std::uint32_t slot, std::uint64_t bytes, bool by_another) {
        free_lists& lists = lists_[slot_class(bytes)];
        if (by_another) {
            lists.emptied_by_others.push_back(slot);
        } else {
            lists.own.push_back(slot);
        }
    }

private:
    static constexpr std::size_t slack = 64;
    static constexpr std::uint64_t largest_loose_bytes = 16 << 10;

    /// Both ends of a line; empty, it has no memory, for there are many of them.
    class queue {
    public:
        std::size_t size() const noexcept { return slots_.size() - first_; }
        void push_back(std::uint32_t slot) { slots_.push_back(slot); }
        std::uint32_t take_first() {
            const std::uint32_t slot = slots_[first_++];
            if (first_ * 2 > slots_.size()) {
                slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(first_));
                first_ = 0;
            }
            return slot;
        }
        std::uint32_t take_last() {
            const std::uint32_t slot = slots_.back();
            slots_.pop_back();
            return slot;
        }

    private:
        std::vector<std::uint32_t> slots_;
        std::size_t first_ = 0;
    };

    struct free_lists {
        std::vector<std::uint32_t> own;
        queue emptied_by_others;
    };

    std::vector<free_lists> lists_; // by class
};

} // namespace linn::tool
