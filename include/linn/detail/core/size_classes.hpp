// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_SIZE_CLASSES_HPP
#define LINN_DETAIL_CORE_SIZE_CLASSES_HPP

#include <linn/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace linn::inline LINN_ABI::detail {

/// The sizes that a memory resource rounds requests up to: multiples of 8 up to 64, then four to each
/// doubling. So a slot is at most 7 bytes (up to 64), else 25 % larger than what was asked for.
///
/// A request that is first rounded up to a multiple of its alignment gets a class that is a multiple of
/// that alignment as well, since classes between 2^k and 2^(k+1) are the multiples of 2^(k-2). So slots
/// that lie at multiples of the largest power of two in their size honour every alignment.
inline constexpr unsigned size_class_count = 52;
inline constexpr std::size_t largest_class_bytes = std::size_t{128} << 10;

/// The size of a class. @pre c < size_class_count
constexpr std::size_t class_bytes(unsigned c) noexcept {
    return c < 8 ? std::size_t{8} * (c + 1) : std::size_t{5 + (c - 8) % 4} << ((c - 8) / 4 + 4);
}

/// What every slot of a class is aligned to.
constexpr std::size_t class_align(unsigned c) noexcept {
    return class_bytes(c) & (~class_bytes(c) + 1);
}

/// `class_of`, computed. @pre 1 <= bytes <= largest_class_bytes
constexpr unsigned computed_class_of(std::size_t bytes) noexcept {
    if (bytes <= 64) {
        return static_cast<unsigned>((bytes - 1) / 8);
    }
    const auto width = static_cast<unsigned>(std::bit_width(bytes - 1)); // 7 for 65 to 128
    const auto quarter = static_cast<unsigned>((bytes - 1) >> (width - 3)) & 3U;
    return 4 * width - 20 + quarter;
}

/// The classes of small requests, by how many times 8 bytes they are long. Two cache lines, of which a program touches
/// those of its sizes. The computation costs more: a jump there and back for the commonest sizes, and for the others
/// `bsr`, which is slow on AMD.
inline constexpr std::size_t largest_small_bytes = 1024;
struct small_class_table {
    constexpr small_class_table() noexcept {
        for (std::size_t i = 0; i < largest_small_bytes / 8; ++i) {
            class_of[i] = static_cast<std::uint8_t>(computed_class_of(8 * (i + 1)));
        }
    }
    alignas(64) std::uint8_t class_of[largest_small_bytes / 8]{};
};
inline constexpr small_class_table small_classes{};

/// The smallest class that holds `last` + 1 bytes. @pre last < largest_small_bytes
constexpr unsigned small_class_of(std::size_t last) noexcept {
    return small_classes.class_of[last / 8];
}

/// The smallest class that holds `bytes`. @pre 1 <= bytes <= largest_class_bytes
/// @complexity constant
constexpr unsigned class_of(std::size_t bytes) noexcept {
    if (bytes > largest_class_bytes) {
        LINN_DETAIL_UNREACHABLE(); // GCC would warn of classes beyond the last where a size is a constant
    }
    return bytes <= largest_small_bytes ? small_class_of(bytes - 1) : computed_class_of(bytes);
}

static_assert(class_bytes(size_class_count - 1) == largest_class_bytes);
static_assert(class_of(largest_class_bytes) == size_class_count - 1 && class_of(65) == 8);

} // namespace linn::inline LINN_ABI::detail

#endif
