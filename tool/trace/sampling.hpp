// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

// Sampling by bytes: the recorder takes a block where a Poisson process along the allocated bytes has a point in it, so with
// the chance 1 - exp(-bytes / mean). The readers give each block the weight 1 / chance, which makes every sum unbiased. Free
// of everything that a program without a C++ runtime does not have.
namespace linn::tool::sampling {

/// The largest mean distance between two points, in bytes.
inline constexpr std::uint64_t most_mean = std::uint64_t{1} << 40;

/// What a block of a trace counts as. The recorder takes none without bytes.
constexpr std::uint64_t counted_bytes(std::uint64_t bytes) noexcept {
    return bytes == 0 ? 1 : bytes;
}

/// The natural logarithm, to 10 digits; without the C library's. @pre 0 < x, and it is no denormal number
constexpr double log_of(double x) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    auto exponent = static_cast<int>(bits >> 52) - 1023;
    double m = std::bit_cast<double>((bits & 0xf'ffff'ffff'ffffu) | std::uint64_t{1023} << 52); // [1, 2)
    if (m > 1.414213562373095) {
        m /= 2;
        ++exponent;
    }
    const double s = (m - 1) / (m + 1);
    const double q = s * s;
    const double series = 1 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q / 11))));
    return 2 * s * series + exponent * 0.693147180559945309;
}

/// Where the points lie, for one thread. All zero at first.
struct byte_sampler {
    /// Bytes up to the next point, which lies in the block that asks for as many; 0: hold().
    std::uint64_t left;
    std::uint64_t random; ///< state of the generator; 0: not seeded
    std::uint64_t kept;   ///< `left`, while it is held

    /// Goes over the bytes of a block; false if a point lies in them, and then nothing has changed.
    [[gnu::always_inline]] bool passes(std::uint64_t bytes) noexcept {
#if defined(__x86_64__)
        // Two instructions with the jump; compilers make five of it.
        bool is_above = false;
        asm("subq %[bytes], %[left]" : [left] "+m"(left), "=@cca"(is_above) : [bytes] "r"(bytes));
        if (is_above) [[likely]] {
            return true;
        }
        left += bytes;
        return false;
#else
        if (left > bytes) [[likely]] {
            left -= bytes;
            return true;
        }
        return false;
#endif
    }
    /// A block that passed is not one after all.
    void take_back(std::uint64_t bytes) noexcept { left += bytes; }
    /// The next block of any size does not pass: let_go() and passes() then tell whether a point lies in it. @pre seeded
    void hold() noexcept {
        kept = is_held() ? kept : left;
        left = 0;
    }
    bool is_held() const noexcept { return left == 0 && random != 0; }
    void let_go() noexcept { left = kept; } ///< @pre is_held()
    /// For good: passes() is true from now on.
    void stop() noexcept { left = std::uint64_t{1} << 62; }

    void seed(std::uint64_t with) noexcept { random = (with * 0x9e37'79b9'7f4a'7c15u) | 1; }
    /// A new point. The process has no memory, so it does not matter how far the last one was overrun.
    void draw(double mean) noexcept {
        random ^= random << 13; // Marsaglia's xorshift
        random ^= random >> 7;
        random ^= random << 17;
        // In (0, 1]; the lowest bits of the generator are its worst.
        const double uniform = static_cast<double>((random >> 11) + 1) * 0x1p-53;
        left = static_cast<std::uint64_t>(-log_of(uniform) * mean) + 1;
    }
};

} // namespace linn::tool::sampling
