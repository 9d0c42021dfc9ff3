// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace linn::tool::unwind {

/// Where the canonical frame address (CFA) of a call comes from. The return address lies below it.
enum class rule_kind : std::uint8_t {
    none = 0,           ///< no rule: an empty entry of the table
    stack_pointer = 1,  ///< rsp + offset
    frame_pointer = 2,  ///< rbp + offset
    saved_by_frame = 3, ///< the word at rbp + offset: the stack was realigned
    end = 4,            ///< the outermost frame, or code without unwind tables
    odd = 5,            ///< something rarer, which the table's row says: cfi.hpp
    cut = 6,            ///< it cannot be followed: the stack ends too early
};

/// Where the caller's rbp is.
enum class saved_rbp : std::uint8_t { unchanged = 0, below_cfa = 1, by_frame_pointer = 2 };

/// How to get from one frame to its caller, in 31 bits: nearly all that compilers write.
class rule {
public:
    static constexpr unsigned bit_count = 31;

    constexpr rule() = default;
    explicit constexpr rule(rule_kind kind) : bits_(static_cast<std::uint32_t>(kind)) {}

    /// Offsets in bytes. The kind is odd if one does not fit.
    static constexpr rule make(rule_kind kind, std::int64_t cfa_offset, saved_rbp rbp,
                               std::int64_t rbp_offset) {
        if (!fits(cfa_offset, cfa_bits) || !fits(rbp_offset, rbp_bits)) {
            return rule{rule_kind::odd};
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

    /// The caller's frame is this one's size further up, and its rbp is where it was or in this frame: so it is nearly always.
    constexpr bool is_plain() const {
        constexpr std::uint32_t kind_and_rbp = (1u << (kind_bits + 2)) - 1;
        constexpr auto saved = static_cast<std::uint32_t>(saved_rbp::below_cfa) << kind_bits;
        return (bits_ & kind_and_rbp & ~saved) == static_cast<std::uint32_t>(rule_kind::stack_pointer);
    }

    /// Nearly all rules fit fewer bits still: those of frames below 64 KiB.
    static constexpr unsigned short_bits = 28;
    constexpr bool is_short() const { return from_short(to_short()) == *this; }
    constexpr std::uint32_t to_short() const { return bits_ & ((1u << short_bits) - 1); }
    static constexpr rule from_short(std::uint32_t bits) {
        constexpr unsigned above = 32 - short_bits;
        return from_bits(static_cast<std::uint32_t>(static_cast<std::int32_t>(bits << above) >> above) &
                         ((1u << bit_count) - 1));
    }

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

} // namespace linn::tool::unwind
