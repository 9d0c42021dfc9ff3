// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_CORE_POINTER_RUN_HPP
#define LINN_DETAIL_CORE_POINTER_RUN_HPP

#include <linn/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

// Writing and recognising arrays of equally spaced addresses: together most of the cost of a pair in
// a pool that is larger than what threads and depot cache. Sixteen bytes at a time, by the
// compilers' vectors where they have them, since that much every processor of interest has.

namespace linn::inline LINN_ABI::detail {

#if defined(LINN_DETAIL_VECTOR)
using addresses [[LINN_DETAIL_VECTOR(16)]] = std::uintptr_t;
inline constexpr std::size_t lanes = sizeof(addresses) / sizeof(std::uintptr_t);

/// `write_run_below` of whole blocks, `2 * lanes` addresses each.
[[LINN_DETAIL_SLOW]] inline void write_blocks_below(void** end, std::uintptr_t first, std::size_t blocks,
                                                    std::size_t step) noexcept {
    addresses upper{};
    for (std::size_t i = 0; i < lanes; ++i) {
        upper[i] = first + (lanes - 1 - i) * step;
    }
    addresses lower = upper + lanes * step;
    for (; blocks != 0; --blocks) {
        end -= 2 * lanes;
        std::memcpy(end, &lower, sizeof lower);
        std::memcpy(end + lanes, &upper, sizeof upper);
        lower += 2 * lanes * step;
        upper += 2 * lanes * step;
    }
}

/// Whether `sizeof...(Index) * lanes` addresses are `expected` and go on at that distance. Written out by the
/// pack, since compilers do not unroll loops at -O2. Leaves in `expected` what would come next.
template <std::size_t... Index>
[[LINN_DETAIL_ALWAYS_INLINE]] inline bool next_are(void* const* objects, addresses& expected,
                                                   std::uintptr_t stride,
                                                   std::index_sequence<Index...>) noexcept {
    addresses wrong{};
    const auto compare = [&](std::size_t at) {
        addresses here;
        std::memcpy(&here, objects + at, sizeof here);
        wrong |= here ^ expected;
        expected += stride;
    };
    (compare(Index * lanes), ...);
    std::uint64_t halves[2];
    std::memcpy(halves, &wrong, sizeof wrong);
    return (halves[0] | halves[1]) == 0;
}
#endif

/// Writes `count` addresses below `end`: `first` on top, each `step` further than the one above.
/// @returns the new end, `end - count`
inline void** write_run_below(void** end, std::byte* first, std::size_t count, std::size_t step) noexcept {
    auto address = reinterpret_cast<std::uintptr_t>(first);
#if defined(LINN_DETAIL_VECTOR)
    if (const std::size_t blocks = count / (2 * lanes); blocks != 0) {
        write_blocks_below(end, address, blocks, step);
        end -= blocks * 2 * lanes;
        address += blocks * 2 * lanes * step;
        count -= blocks * 2 * lanes;
    }
#endif
    for (; count != 0; --count, address += step) {
        *--end = reinterpret_cast<void*>(address);
    }
    return end;
}

/// How many of `objects` follow each other at distance `step`, counting from the first.
/// @pre count >= 1
inline std::size_t run_length(void* const* objects, std::size_t count, std::uintptr_t step) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(objects[0]);
    std::size_t n = 0;
#if defined(LINN_DETAIL_VECTOR)
    constexpr std::size_t vectors = 8;
    constexpr std::size_t block = vectors * lanes;
    addresses expected{};
    for (std::size_t i = 0; i < lanes; ++i) {
        expected[i] = address + i * step;
    }
    while (n + block <= count &&
           next_are(objects + n, expected, lanes * step, std::make_index_sequence<vectors>{})) {
        n += block;
    }
#endif
    while (n < count && reinterpret_cast<std::uintptr_t>(objects[n]) == address + n * step) {
        ++n;
    }
    return n;
}

/// Copies `count` pointers of any type so that the last comes first. What is popped from a magazine one by
/// one comes from its end; so does what is moved at once.
inline void copy_reversed(void* to, const void* from, std::size_t count) noexcept {
    auto* out = static_cast<std::byte*>(to);
    const auto* in = static_cast<const std::byte*>(from) + count * sizeof(void*);
#if defined(LINN_DETAIL_VECTOR)
    for (; count >= lanes; count -= lanes) {
        addresses v;
        in -= sizeof v;
        std::memcpy(&v, in, sizeof v);
        addresses turned{};
        for (std::size_t i = 0; i < lanes; ++i) {
            turned[i] = v[lanes - 1 - i];
        }
        std::memcpy(out, &turned, sizeof turned);
        out += sizeof v;
    }
#endif
    for (; count != 0; --count) {
        in -= sizeof(void*);
        std::memcpy(out, in, sizeof(void*));
        out += sizeof(void*);
    }
}

inline constexpr std::size_t pointer_batch = 64;

/// Calls `f(void** some, n)` for copies of up to `pointer_batch` elements of an array of pointers of any type.
template <class F>
void for_each_batch(const void* objects, std::size_t count, F&& f) noexcept {
    void* some[pointer_batch];
    for (std::size_t done = 0; done != count;) {
        const std::size_t n = count - done < pointer_batch ? count - done : pointer_batch;
        std::memcpy(some, static_cast<const std::byte*>(objects) + done * sizeof(void*), n * sizeof(void*));
        f(some, n);
        done += n;
    }
}

} // namespace linn::inline LINN_ABI::detail

#endif
