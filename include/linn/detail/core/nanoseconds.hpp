// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_NANOSECONDS_HPP
#define LINN_DETAIL_CORE_NANOSECONDS_HPP

#include <linn/config.hpp>

#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// A `std::chrono::duration`. By its members, since <chrono> costs more to compile than all of a pool.
template <class D>
concept duration = requires(const D& d) {
    static_cast<double>(d.count());
    D::period::num;
    D::period::den;
};

/// Rounded up; 0 for a negative one. The largest value for one that is longer than 292 years.
template <duration D>
constexpr std::uint64_t nanoseconds(const D& d) noexcept {
    const double ns =
        static_cast<double>(d.count()) * (1e9 * static_cast<double>(D::period::num) / D::period::den);
    if (!(ns > 0)) { // or not a number
        return 0;
    }
    if (ns >= 0x1p63) {
        return ~std::uint64_t{0};
    }
    const auto whole = static_cast<std::uint64_t>(ns);
    return whole + (static_cast<double>(whole) < ns ? 1U : 0U);
}

} // namespace linn::inline LINN_ABI::detail

#endif
