// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_RANDOM_HPP
#define LINN_TESTS_SUPPORT_RANDOM_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace linn_test {

/// A small generator with the same numbers on every platform, so that a failure can be repeated.
/// @source Vigna: splitmix64, 2015
class random_source {
public:
    using result_type = std::uint64_t;
    explicit random_source(std::uint64_t seed) : state_{seed} {}

    std::uint64_t operator()() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// In [0, n).
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() % n); }

    static constexpr std::uint64_t min() { return 0; }
    static constexpr std::uint64_t max() { return UINT64_MAX; }

private:
    std::uint64_t state_;
};

/// The order in which tests of what a pool keeps free its objects: no bound on memory may depend on a better one.
template <class Range>
void shuffle(Range& range, std::uint64_t seed = 1) {
    std::shuffle(range.begin(), range.end(), random_source{seed});
}

} // namespace linn_test

#endif
