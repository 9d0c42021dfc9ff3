// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_PARKING_HPP
#define LINN_DETAIL_SYNC_PARKING_HPP

#include <linn/config.hpp>
#include <linn/detail/os/system.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <atomic>
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

/// A moment of `precise_clock`, or one of these two.
inline constexpr std::uint64_t at_once = 0;
inline constexpr std::uint64_t whenever = ~std::uint64_t{0};

/// How a thread sleeps until another one changes a number.
struct parking {
    /// So many nanoseconds from now; `whenever` when that is too far away.
    static std::uint64_t moment_in(std::uint64_t ns) noexcept {
        const std::uint64_t now = precise_clock::now_ns();
        return ns < whenever - now ? now + ns : whenever;
    }

    /// Sleeps while `word` is `expected`; may return early. @returns false when it is `until` already
    static bool sleep(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                      std::uint64_t until) noexcept {
        const std::uint64_t now = until != whenever ? precise_clock::now_ns() : 0;
        if (now < until) {
            mutex_platform::wait(word, expected, until - now);
        }
        return now < until;
    }

    /// Wakes a thread that sleeps on `word`, which the caller has changed.
    static void wake(std::atomic<std::uint32_t>& word) noexcept { mutex_platform::wake_one(word); }
};

} // namespace linn::inline LINN_ABI::detail

#endif
