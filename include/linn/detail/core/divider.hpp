// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_DIVIDER_HPP
#define LINN_DETAIL_CORE_DIVIDER_HPP

#include <linn/config.hpp>

#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// Divides 32-bit numbers by a divisor that is known only at run time, with one multiplication.
/// A slab's slot index is an offset divided by the slot size; the engine is not a template over
/// that size, and a hardware division would cost more than all the rest of a free.
///
/// @source Lemire, Kaser, Kurz: Faster remainder by direct computation, 2019
class divider {
public:
    constexpr divider() = default;
    constexpr explicit divider(std::uint32_t divisor) noexcept
        : reciprocal_{divisor > 1 ? UINT64_MAX / divisor + 1 : 0},
          divisor_{divisor} {}

    [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t n) const noexcept {
#ifdef __SIZEOF_INT128__
        __extension__ using wide = unsigned __int128;
        if (reciprocal_ == 0) [[__unlikely__]] {
            return n;
        }
        return static_cast<std::uint32_t>((static_cast<wide>(reciprocal_) * n) >> 64);
#else
        return n / divisor_;
#endif
    }

    [[nodiscard]] constexpr std::uint32_t divisor() const noexcept { return divisor_; }

private:
    std::uint64_t reciprocal_ = 0;
    std::uint32_t divisor_ = 1;
};

} // namespace linn::inline LINN_ABI::detail

#endif
