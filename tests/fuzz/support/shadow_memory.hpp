// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_SHADOW_MEMORY_HPP
#define LINN_TESTS_FUZZ_SHADOW_MEMORY_HPP

#include "expect.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace linn_fuzz {

/// A block that its allocator handed out.
struct shadow_block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t align = 1;
    std::size_t origin = 0; ///< which of the allocators under test
    std::uint64_t seed = 0; ///< of its content
};

/// All blocks that are live, as the test believes: none overlaps another, each is aligned, and each holds what was
/// written when it was handed out.
class shadow_memory {
public:
    [[nodiscard]] std::size_t size() const noexcept { return live_.size(); }
    [[nodiscard]] bool empty() const noexcept { return live_.empty(); }
    [[nodiscard]] const std::vector<shadow_block>& blocks() const noexcept { return live_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

    /// Live blocks of `origin`.
    [[nodiscard]] std::size_t count(std::size_t origin) const noexcept {
        return origin < counts_.size() ? counts_[origin] : 0;
    }

    void add(void* p, std::size_t bytes, std::size_t align, std::size_t origin) {
        expect(p != nullptr, "a block at null");
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        expect_equal(address % align, 0, "a misaligned block");
        // A block of no bytes still needs an address of its own.
        const std::uintptr_t end = address + (bytes != 0 ? bytes : 1);
        const auto [place, is_new] = by_address_.emplace(address, end);
        expect(is_new, "a block that is live was handed out again");
        if (place != by_address_.begin()) {
            expect(std::prev(place)->second <= address, "a block overlaps one before it");
        }
        if (const auto next = std::next(place); next != by_address_.end()) {
            expect(end <= next->first, "a block overlaps one behind it");
        }
        live_.push_back({static_cast<std::byte*>(p), bytes, align, origin, ++serial_ * 0x9e3779b97f4a7c15U});
        bytes_ += bytes;
        if (origin >= counts_.size()) {
            counts_.resize(origin + 1);
        }
        ++counts_[origin];
        each_word(live_.back(),
                  [](std::byte* at, std::size_t n, std::uint64_t word) { std::memcpy(at, &word, n); });
    }

    /// Checks the block's content and forgets it; the caller frees it. @pre index < size()
    shadow_block remove(std::size_t index) {
        const shadow_block block = live_[index];
        verify(block);
        by_address_.erase(reinterpret_cast<std::uintptr_t>(block.data));
        live_[index] = live_.back();
        live_.pop_back();
        bytes_ -= block.bytes;
        --counts_[block.origin];
        return block;
    }

    /// Takes up to `most` blocks of `origin` out, beginning the search at block `from`, as `remove` does.
    std::vector<shadow_block> remove_some(std::size_t origin, std::size_t from, std::size_t most) {
        std::vector<shadow_block> taken;
        for (std::size_t i = from % (live_.size() + 1); i < live_.size() && taken.size() != most;) {
            if (live_[i].origin == origin) {
                taken.push_back(remove(i));
            } else {
                ++i;
            }
        }
        return taken;
    }

    /// Checks and forgets what `gone(block)` selects.
    template <class Predicate>
    void remove_if(Predicate gone) {
        for (std::size_t i = live_.size(); i-- != 0;) {
            if (gone(live_[i])) {
                remove(i);
            }
        }
    }

    /// Without looking at their content, which may be gone.
    void forget_all() noexcept {
        live_.clear();
        by_address_.clear();
        counts_.clear();
        bytes_ = 0;
    }

    void verify_all() const {
        for (const shadow_block& block : live_) {
            verify(block);
        }
    }

    static void verify(const shadow_block& block) {
        each_word(block, [](const std::byte* at, std::size_t n, std::uint64_t word) {
            expect(std::memcmp(at, &word, n) == 0, "the content of a live block changed");
        });
    }

private:
    /// Of large blocks only the ends and one word of each 512 bytes are written.
    template <class Visit>
    static void each_word(const shadow_block& block, Visit visit) {
        constexpr std::size_t edge = 64;
        for (std::size_t i = 0; i < block.bytes;) {
            const std::size_t n = block.bytes - i < 8 ? block.bytes - i : 8;
            visit(block.data + i, n, block.seed + i);
            const bool in_middle = i >= edge && i + 512 + edge < block.bytes;
            i += in_middle ? 512 : 8;
        }
    }

    std::vector<shadow_block> live_;
    std::map<std::uintptr_t, std::uintptr_t> by_address_; ///< begin -> end
    std::vector<std::size_t> counts_;
    std::uint64_t serial_ = 0;
    std::size_t bytes_ = 0;
};

} // namespace linn_fuzz

#endif
