// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_INPUT_HPP
#define LINN_TESTS_FUZZ_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <span>

namespace linn_fuzz {

/// The bytes of one input, read as choices. Behind its end every choice is 0, so any bytes are an input, and one cut
/// short means nearly the same.
class input {
public:
    input(const std::uint8_t* data, std::size_t size) noexcept : rest_{data, size} {}

    [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return rest_.size(); }

    std::size_t byte() noexcept {
        if (rest_.empty()) {
            return 0;
        }
        const std::size_t value = rest_.front();
        rest_ = rest_.subspan(1);
        return value;
    }

    /// In [0, n), from as few bytes as can tell n values apart. @pre n != 0
    std::size_t below(std::size_t n) noexcept {
        std::size_t value = 0;
        for (std::size_t most = n - 1; most != 0; most >>= 8) {
            value = value << 8 | byte();
        }
        return value % n;
    }
    /// In [low, high].
    std::size_t between(std::size_t low, std::size_t high) noexcept { return low + below(high - low + 1); }
    /// In [0, n), seven times of eight below 16: many are rare.
    std::size_t few_of(std::size_t n) noexcept { return below(n < 16 || below(8) == 0 ? n : 16); }
    bool flag() noexcept { return (byte() & 1) != 0; }

    std::span<const std::uint8_t> bytes(std::size_t n) noexcept {
        const auto taken = rest_.first(n < rest_.size() ? n : rest_.size());
        rest_ = rest_.subspan(taken.size());
        return taken;
    }

private:
    std::span<const std::uint8_t> rest_;
};

} // namespace linn_fuzz

#endif
