// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// Where the canonical frame address (CFA) of a call comes from. The return address lies below it.
enum class rule_kind : std::uint8_t {
    none = 0,           ///< no rule: an empty entry of the table
    stack_pointer = 1,  ///< rsp + offset
    frame_pointer = 2,  ///< rbp + offset
    saved_by_frame = 3, ///< the word at rbp + offset: the stack was realigned
    end = 4,            ///< the outermost frame, a signal's, or code without unwind tables
    cut = 5,            ///< it cannot be followed: the stack ends too early
};

/// Where the caller's rbp is.
enum class saved_rbp : std::uint8_t { unchanged = 0, below_cfa = 1, by_frame_pointer = 2 };

/// How to get from one frame to its caller, in 31 bits: nearly all that compilers write.
class rule {
public:
    static constexpr unsigned bit_count = 31;

    constexpr rule() = default;
    explicit constexpr rule(rule_kind kind) : bits_(static_cast<std::uint32_t>(kind)) {}

    /// Offsets in bytes. The kind is cut if one does not fit.
    static constexpr rule make(rule_kind kind, std::int64_t cfa_offset, saved_rbp rbp,
                               std::int64_t rbp_offset) {
        if (!fits(cfa_offset, cfa_bits) || !fits(rbp_offset, rbp_bits)) {
            return rule{rule_kind::cut};
        }
        rule result{kind};
        result.bits_ |= static_cast<std::uint32_t>(rbp) << kind_bits;
        result.bits_ |= low(rbp_offset / 8, rbp_bits) << rbp_shift;
        result.bits_ |= low(cfa_offset / 8, cfa_bits) << cfa_shift;
        return result;
    }
    static constexpr rule from_bits(std::uint32_t bits) {
        rule result;
        result.bits_ = bits;
        return result;
    }

    constexpr std::uint32_t bits() const { return bits_; }
    constexpr rule_kind kind() const { return static_cast<rule_kind>(bits_ & ((1u << kind_bits) - 1)); }
    constexpr saved_rbp rbp() const { return static_cast<saved_rbp>(bits_ >> kind_bits & 3u); }
    constexpr std::int64_t cfa_offset() const { return extend(bits_ >> cfa_shift, cfa_bits); }
    constexpr std::int64_t rbp_offset() const { return extend(bits_ >> rbp_shift, rbp_bits); }
    constexpr bool operator==(const rule&) const = default;

private:
    static constexpr unsigned kind_bits = 3;
    static constexpr unsigned rbp_bits = 9;
    static constexpr unsigned cfa_bits = 17;
    static constexpr unsigned rbp_shift = kind_bits + 2;
    static constexpr unsigned cfa_shift = rbp_shift + rbp_bits;
    static_assert(cfa_shift + cfa_bits == bit_count);

    static constexpr bool fits(std::int64_t bytes, unsigned bits) {
        const std::int64_t limit = std::int64_t{8} << (bits - 1);
        return bytes % 8 == 0 && bytes >= -limit && bytes < limit;
    }
    static constexpr std::uint32_t low(std::int64_t value, unsigned bits) {
        return static_cast<std::uint32_t>(value) & ((1u << bits) - 1);
    }
    static constexpr std::int64_t extend(std::uint32_t value, unsigned bits) {
        return std::int64_t{static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits)} * 8;
    }

    std::uint32_t bits_ = 0;
};

/// Addresses above are not kept: no program of today is mapped there.
inline constexpr unsigned address_bits = 48;

/// A permutation of the 48-bit numbers, for tables whose sets and tags together are the address.
constexpr std::uint64_t scramble(std::uintptr_t address) {
    constexpr std::uint64_t odd = 0x9e37'79b9'7f4b;
    return (address * odd) & ((std::uint64_t{1} << address_bits) - 1);
}

/// Makes all words of a table zero. Memory that was never used is not touched.
template <typename Word, std::size_t Count>
void clear_used(std::atomic<Word> (&words)[Count]) noexcept {
    for (std::atomic<Word>& word : words) {
        if (word.load(std::memory_order_relaxed) != Word{}) {
            word.store(Word{}, std::memory_order_relaxed);
        }
    }
}

/// Return address -> rule, for all threads: 64 k entries in sets of two. An entry is one word with all of the key, so
/// there is nothing to lock and nothing to tear; who comes last wins. All zero is empty.
class rule_table {
public:
    static constexpr std::size_t sets = std::size_t{1} << 15;
    static constexpr std::size_t ways = 2;

    /// The rule, or one of kind none.
    rule find(std::uintptr_t address) const noexcept {
        const std::uint64_t key = scramble(address);
        const auto& set = entries_[set_of(key)];
        for (const auto& entry : set) {
            const std::uint64_t word = entry.load(std::memory_order_relaxed);
            if (word >> rule::bit_count == (key & tag_mask)) {
                return rule::from_bits(static_cast<std::uint32_t>(word & rule_mask));
            }
        }
        return {};
    }

    void insert(std::uintptr_t address, rule value) noexcept {
        if (address >> address_bits != 0) {
            return;
        }
        const std::uint64_t key = scramble(address);
        auto& set = entries_[set_of(key)];
        // The newest lies first, and what was there moves back.
        set[1].store(set[0].load(std::memory_order_relaxed), std::memory_order_relaxed);
        set[0].store((key & tag_mask) << rule::bit_count | value.bits(), std::memory_order_relaxed);
    }

    void clear() noexcept {
        for (auto& set : entries_) {
            clear_used(set);
        }
    }

private:
    static constexpr unsigned tag_bits = 33;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << tag_bits) - 1;
    static constexpr std::uint64_t rule_mask = (std::uint64_t{1} << rule::bit_count) - 1;
    static_assert(tag_bits + rule::bit_count == 64);
    static_assert(sets == std::size_t{1} << (address_bits - tag_bits));

    static constexpr std::size_t set_of(std::uint64_t key) {
        return static_cast<std::size_t>(key >> tag_bits);
    }

    std::atomic<std::uint64_t> entries_[sets][ways];
};

} // namespace linn::tool::unwind
