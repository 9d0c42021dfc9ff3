// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_UNALIASED_HPP
#define LINN_DETAIL_CORE_UNALIASED_HPP

#include <linn/config.hpp>

namespace linn::inline LINN_ABI::detail {

/// A number that no store of the program can change, for all that the compiler knows: it is kept as an enumeration of our
/// own, and stays in a register across what the program writes through its pointers. See slot_place.
template <class Number>
class unaliased {
public:
    constexpr unaliased() noexcept = default;
    constexpr unaliased(Number n) noexcept : value_{static_cast<hidden>(n)} {}

    constexpr operator Number() const noexcept { return static_cast<Number>(value_); }

    constexpr unaliased& operator+=(Number n) noexcept {
        return *this = static_cast<Number>(static_cast<Number>(value_) + n);
    }
    constexpr unaliased& operator-=(Number n) noexcept {
        return *this = static_cast<Number>(static_cast<Number>(value_) - n);
    }
    constexpr Number operator++(int) noexcept {
        const Number before = *this;
        *this += 1;
        return before;
    }
    constexpr Number operator--() noexcept { return *this -= 1; }

private:
    enum class hidden : Number {};
    hidden value_{};
};

} // namespace linn::inline LINN_ABI::detail

#endif
