// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/worker/mapped_array.hpp"
#include "measure/ticks.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace linn::bench {

using tool::now_ns;
using tool::ticks;
/// Bookkeeping that does not come from the allocator under test.
template <class T>
using array = tool::worker::mapped_array<T>;

/// The object of most workloads: one cache line, and nothing to construct.
struct node {
    unsigned char bytes[64];
};

/// The pointer leaves the compiler's sight, so it can neither drop the allocation nor reuse its result.
[[gnu::always_inline]] inline void escape(const void* p) noexcept {
    asm volatile("" : : "g"(p) : "memory");
}

/// Reproducible random numbers. @source Vigna: splitmix64
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) noexcept : state_{seed} {}

    std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// Less than `bound`.
    std::size_t below(std::size_t bound) noexcept { return static_cast<std::size_t>(next() % bound); }

private:
    std::uint64_t state_;
};

/// Every order equally likely.
template <class T>
void shuffle(T* first, std::size_t n, random_numbers& random) noexcept {
    for (std::size_t i = n; i > 1; --i) {
        std::swap(first[i - 1], first[random.below(i)]);
    }
}

/// Ticks an operation of `work`, which does `operations` of them.
template <class Work>
double time_of(std::size_t operations, Work&& work) {
    const std::uint64_t start = ticks();
    work();
    return static_cast<double>(ticks() - start) / static_cast<double>(operations);
}

} // namespace linn::bench
