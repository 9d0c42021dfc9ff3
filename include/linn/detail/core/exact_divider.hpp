// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_EXACT_DIVIDER_HPP
#define LINN_DETAIL_CORE_EXACT_DIVIDER_HPP

#include <linn/config.hpp>

#include <bit>
#include <cstddef>
#include <limits>

namespace linn::inline LINN_ABI::detail {

/// Divides multiples of a constant, and tells other numbers apart, with one multiplication and one
/// rotation: multiples of the divisor's odd part come down to their quotient modulo 2^64, and low bits
/// that are not zero are rotated to the top.
///
/// @source Granlund, Montgomery: Division by Invariant Integers using Multiplication, 1994, section 9
class exact_divider {
public:
    /// @pre `divisor` is not 0
    constexpr explicit exact_divider(std::size_t divisor) noexcept : shift_{std::countr_zero(divisor)} {
        const std::size_t odd = divisor >> shift_;
        inverse_ = odd; // right in its lowest 3 bits; each step doubles their number
        for (int right = 3; right < std::numeric_limits<std::size_t>::digits; right *= 2) {
            inverse_ *= 2 - odd * inverse_;
        }
    }

    /// `n` / divisor if that is exact, else a number greater than any quotient.
    [[nodiscard]] constexpr std::size_t quotient(std::size_t n) const noexcept {
        return std::rotr(n * inverse_, shift_);
    }

private:
    int shift_;
    std::size_t inverse_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
