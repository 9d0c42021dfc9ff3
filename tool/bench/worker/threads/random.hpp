// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn::tool::worker {

/// The same numbers for every contender: each thread of a program has one, seeded by its index.
/// @source Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014 (SplitMix64)
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed * 0xd1342543de82ef95u + 1} {}

    std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    /// Below `n`, which is less than 2^32.
    std::uint32_t below(std::uint32_t n) noexcept { return share(next(), n); }

    /// From `least` to `most`, each as likely.
    std::uint32_t between(std::uint32_t least, std::uint32_t most) noexcept {
        return least + below(most - least + 1);
    }

    /// From `least` to `most`, with a probability that falls linearly to about 0 at `most`: the smaller of two.
    std::uint32_t falling(std::uint32_t least, std::uint32_t most) noexcept {
        const std::uint64_t r = next();
        const std::uint32_t a = share(r, most - least + 1);
        const std::uint32_t b = share(r >> 32, most - least + 1, 0xffffffffu);
        return least + (a < b ? a : b);
    }

    /// From `least` to `most`, with a probability that falls with the square of the size (a Pareto distribution of
    /// exponent 1, cut off).
    std::uint32_t inverse_square(std::uint32_t least, std::uint32_t most) noexcept {
        const std::uint64_t range = std::uint64_t{1} << 20;
        const std::uint64_t cut = range - (range * least / most); // all that are larger than `most`
        const std::uint64_t u = range - below(static_cast<std::uint32_t>(cut));
        return static_cast<std::uint32_t>(range * least / u);
    }

private:
    static std::uint32_t share(std::uint64_t r, std::uint32_t n, std::uint64_t mask = 0xffffffffu) noexcept {
        return static_cast<std::uint32_t>(((r & mask) * n) >> 32);
    }

    std::uint64_t state_;
};

} // namespace linn::tool::worker
