// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SLOT_BITMAP_HPP
#define LINN_DETAIL_CORE_SLOT_BITMAP_HPP

#include <linn/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// A set of slot numbers: one bit a slot, and above it one summary bit a word, set exactly when the word is not zero, so that the lowest
/// member is found fast in any slab. The words lie in the slab's header. All zero is the empty set: fresh pages are ready for use.
class slot_bitmap {
public:
    static constexpr std::size_t bits = 64;

    constexpr slot_bitmap() = default;
    constexpr slot_bitmap(std::uint64_t* words, std::size_t slot_count) noexcept
        : words_{words},
          summary_{words + words_for(slot_count)} {}

    /// The number of 64-bit words that `slots` bits and their summary need.
    static constexpr std::size_t storage_words(std::size_t slot_count) noexcept {
        return words_for(slot_count) + words_for(words_for(slot_count));
    }

    /// Adds [first, first + count). False, and nothing changed, when a member is there already.
    /// @complexity O(count / 64)
    bool insert(std::size_t first, std::size_t count) noexcept {
        if (!for_each_word(first, count,
                           [&](std::size_t w, std::uint64_t mask) { return (words_[w] & mask) == 0; })) {
            return false;
        }
        for_each_word(first, count, [&](std::size_t w, std::uint64_t mask) {
            if (words_[w] == 0) {
                summary_[w / bits] |= bit(w);
            }
            words_[w] |= mask;
            return true;
        });
        return true;
    }

    /// Adds one; false when it is there already. Calls `first(slot)`, which calls `note_word`, where its word has no other.
    /// @param words where the bitmap's words begin: the caller knows it without a load
    template <class First>
    [[LINN_DETAIL_ALWAYS_INLINE]] static bool insert_at(std::uint64_t* words, std::size_t slot,
                                                        First&& first) noexcept {
        std::uint64_t& word = words[slot / bits];
        const std::uint64_t before = word;
        const std::uint64_t after = before | bit(slot);
        if (after == before) [[LINN_DETAIL_UNLIKELY]] {
            return false;
        }
        if (before == 0) [[LINN_DETAIL_UNLIKELY]] {
            first(slot);
        }
        word = after;
        return true;
    }

    /// The word of `slot` is zero no longer.
    void note_word(std::size_t slot) noexcept { summary_[slot / bits / bits] |= bit(slot / bits); }

    /// Takes up to `want` members in ascending order. Calls `run(first, count)` once for a word whose members are one long stretch, and
    /// else for each member: to look for short stretches would cost mispredicted branches after random frees.
    /// @pre no member is below `from` @complexity O(taken + (slots - from) / 4096)
    template <class Run>
    [[LINN_DETAIL_ALWAYS_INLINE]] std::size_t take(std::size_t want, std::size_t slot_count, Run&& run,
                                                   std::size_t from = 0) noexcept {
        std::size_t left = want;
        const std::size_t summary_words = words_for(words_for(slot_count));
        for (std::size_t s = from / bits / bits; s < summary_words && left != 0; ++s) {
            while (summary_[s] != 0 && left != 0) {
                const std::size_t w = s * bits + lowest(summary_[s]);
                std::uint64_t word = words_[w];
                const std::size_t low = lowest(word);
                const std::uint64_t shifted = word >> low;
                if (shifted > 0xff && (shifted & (shifted + 1)) == 0) {
                    const std::size_t members = lowest(~shifted);
                    const std::size_t stretch = members < left ? members : left;
                    run(w * bits + low, stretch);
                    word &= ~(low_bits(stretch) << low);
                    left -= stretch;
                }
                for (; word != 0 && left != 0; --left, word &= word - 1) {
                    run(w * bits + lowest(word), std::size_t{1});
                }
                words_[w] = word;
                if (word == 0) {
                    summary_[s] &= summary_[s] - 1;
                }
            }
        }
        return want - left;
    }

    /// The first slot from `from` on that is a member, or that is none, and is none of `other`; `slot_count` where there is no such
    /// below that. @complexity O((slots - from) / 64)
    [[nodiscard, LINN_DETAIL_SLOW]] std::size_t find(bool member, std::size_t from, std::size_t slot_count,
                                                     const slot_bitmap* other = nullptr) const noexcept {
        std::uint64_t skipped = low_bits(from % bits);
        for (std::size_t w = from / bits; w < words_for(slot_count); ++w) {
            skipped |= other != nullptr ? other->words_[w] : 0;
            const std::uint64_t word = (member ? words_[w] : ~words_[w]) & ~skipped;
            skipped = 0;
            if (word != 0) {
                const std::size_t found = w * bits + lowest(word);
                return found < slot_count ? found : slot_count;
            }
        }
        return slot_count;
    }

    /// Calls `run(first, count)` for each longest stretch of members between `from` and `slot_count`, in order, until it returns false.
    /// @complexity O((slots - from) / 64 + stretches)
    template <class Run>
    void for_each_run(std::size_t from, std::size_t slot_count, Run&& run) const noexcept {
        for (std::size_t end = from;;) {
            const std::size_t begin = find(true, end, slot_count);
            end = find(false, begin, slot_count);
            if (begin == slot_count || !run(begin, end - begin)) {
                return;
            }
        }
    }

    [[nodiscard]] bool contains(std::size_t slot) const noexcept {
        return (words_[slot / bits] & bit(slot)) != 0;
    }

    /// Empties the set; members are all below `used`.
    void clear(std::size_t slot_count) noexcept {
        for (std::size_t w = 0; w < words_for(slot_count); ++w) {
            words_[w] = 0;
        }
        for (std::size_t s = 0; s < words_for(words_for(slot_count)); ++s) {
            summary_[s] = 0;
        }
    }

    /// How many slots below `slots` are members. @complexity O(slots / 64)
    [[nodiscard]] std::size_t count(std::size_t slot_count) const noexcept {
        std::size_t n = 0;
        for (std::size_t w = 0; w < words_for(slot_count); ++w) {
            n += static_cast<std::size_t>(std::popcount(words_[w] & low_bits(slot_count - w * bits)));
        }
        return n;
    }

private:
    static constexpr std::size_t words_for(std::size_t n) noexcept { return (n + bits - 1) / bits; }
    static constexpr std::uint64_t bit(std::size_t n) noexcept { return std::uint64_t{1} << (n % bits); }
    static constexpr std::uint64_t low_bits(std::size_t n) noexcept {
        return n >= bits ? ~std::uint64_t{0} : bit(n) - 1;
    }
    static std::size_t lowest(std::uint64_t word) noexcept {
        return static_cast<std::size_t>(std::countr_zero(word));
    }

    template <class Visit>
    static bool for_each_word(std::size_t first, std::size_t count, Visit&& visit) noexcept {
        while (count != 0) {
            const std::size_t offset = first % bits;
            const std::size_t here = count < bits - offset ? count : bits - offset;
            if (!visit(first / bits, low_bits(here) << offset)) {
                return false;
            }
            first += here;
            count -= here;
        }
        return true;
    }

    std::uint64_t* words_ = nullptr;
    std::uint64_t* summary_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
