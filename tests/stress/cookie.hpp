// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_STRESS_COOKIE_HPP
#define LINN_TESTS_STRESS_COOKIE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace linn_stress {

/// Marks memory as one object's. It depends on the object, the address and the place, so memory that two have,
/// that was moved, or that somebody wrote to, shows.
class cookie {
public:
    explicit cookie(std::uint64_t serial) noexcept : serial_{serial} {}

    /// @pre bytes >= 8
    void write(void* p, std::size_t bytes) const noexcept {
        each_place(bytes, [&](std::size_t at) {
            const std::uint64_t word = word_at(p, at);
            std::memcpy(static_cast<std::byte*>(p) + at, &word, sizeof word);
            return true;
        });
    }

    [[nodiscard]] bool is_in(const void* p, std::size_t bytes) const noexcept {
        return each_place(bytes, [&](std::size_t at) {
            std::uint64_t word = 0;
            std::memcpy(&word, static_cast<const std::byte*>(p) + at, sizeof word);
            return word == word_at(p, at);
        });
    }

private:
    /// The first word, the last one, and one in each 256 bytes: a large object costs no more than it must.
    template <class F>
    static bool each_place(std::size_t bytes, F&& f) noexcept {
        bool good = true;
        for (std::size_t at = 0; at + 16 <= bytes; at += 256) {
            good = f(at) && good;
        }
        return f(bytes - 8) && good;
    }

    /// @source Vigna: splitmix64, 2015
    [[nodiscard]] std::uint64_t word_at(const void* p, std::size_t at) const noexcept {
        std::uint64_t z = serial_ + at + (reinterpret_cast<std::uintptr_t>(p) << 16);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }

    std::uint64_t serial_;
};

} // namespace linn_stress

#endif
