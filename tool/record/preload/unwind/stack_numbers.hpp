// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// What tells one stack from others, in 96 bits: of a million different ones two are equal in one of 10^17 programs.
struct fingerprint {
    std::uint64_t a;
    std::uint32_t b;
    constexpr bool operator==(const fingerprint&) const = default;

    /// Four sums, each of every fourth frame and a bijection of each of them; then all of them in both parts.
    static fingerprint of(const std::uintptr_t* frames, unsigned count) noexcept {
        constexpr std::uint64_t k[4] = {0x9e37'79b9'7f4a'7c15u, 0xbf58'476d'1ce4'e5b9u,
                                        0x94d0'49bb'1331'11ebu, 0xd6e8'feb8'6659'fd93u};
        std::uint64_t s[4] = {count, k[1], k[2], k[3]};
        const auto add = [](std::uint64_t sum, std::uint64_t value, std::uint64_t factor) {
            sum = (sum ^ value) * factor;
            return sum ^ sum >> 32;
        };
        unsigned i = 0;
        for (; i + 4 <= count; i += 4) {
            s[0] = add(s[0], frames[i], k[0]);
            s[1] = add(s[1], frames[i + 1], k[1]);
            s[2] = add(s[2], frames[i + 2], k[2]);
            s[3] = add(s[3], frames[i + 3], k[3]);
        }
        for (; i != count; ++i) {
            s[i % 4] = add(s[i % 4], frames[i], k[0]);
        }
        std::uint64_t a = s[0] * k[1] ^ std::rotl(s[1] * k[2], 17) ^ std::rotl(s[2] * k[3], 31) ^
                          std::rotl(s[3] * k[0], 47);
        const std::uint64_t b = std::rotl(s[0], 11) * k[2] + std::rotl(s[1], 23) * k[3] + s[2] * k[0] +
                                std::rotl(s[3], 37) * k[1];
        a = (a ^ a >> 29) * k[0];
        return {a, static_cast<std::uint32_t>(b >> 32)};
    }
};

/// The numbers of stacks that a thread has met lately. Most walks find a stack that is known, only not where it lay before; this
/// tells its number without a look into the table of all stacks, which lies far from the processor.
class stack_numbers {
public:
    /// The stack's number; 0 if it is not known.
    std::uint32_t find(const fingerprint& print) const noexcept {
        for (const entry& one : sets_[print.a >> (64 - set_bits)]) {
            const std::uint32_t id = one.id.load(std::memory_order_relaxed);
            std::atomic_signal_fence(std::memory_order_seq_cst);
            if (one.print_a == print.a && one.print_b == print.b && id != 0) {
                // A signal handler may have used the entry for another stack meanwhile.
                std::atomic_signal_fence(std::memory_order_seq_cst);
                if (one.id.load(std::memory_order_relaxed) == id) {
                    return id;
                }
            }
        }
        return 0;
    }

    /// Not before the stack is defined.
    void keep(const fingerprint& print, std::uint32_t id) noexcept {
        entry& one = sets_[print.a >> (64 - set_bits)][next_++ % ways];
        one.id.store(0, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        one.print_a = print.a;
        one.print_b = print.b;
        std::atomic_signal_fence(std::memory_order_seq_cst);
        one.id.store(id, std::memory_order_relaxed);
    }

    void clear() noexcept {
        for (auto& set : sets_) {
            for (entry& one : set) {
                if (one.id.load(std::memory_order_relaxed) != 0) { // what was never used is not touched
                    one.id.store(0, std::memory_order_relaxed);
                }
            }
        }
    }

private:
    static constexpr unsigned set_bits = 12;
    static constexpr unsigned ways = 4;

    struct entry {
        std::uint64_t print_a;
        std::uint32_t print_b;
        std::atomic<std::uint32_t> id; ///< 0: none
    };

    alignas(64) entry sets_[std::size_t{1} << set_bits][ways];
    std::uint32_t next_;
};

} // namespace linn::tool::unwind
