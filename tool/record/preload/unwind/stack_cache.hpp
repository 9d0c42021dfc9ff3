// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "walker.hpp"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// What one thread's last walks found, kept by return address and stack pointer, four to a set, the last that was met
/// first. A hit reads the words
/// that the walk read again, in the same order, and stops at the first that differs. The walker depends on nothing
/// else, so equal words are an equal stack; and since a walk that found the first words equal would read the next
/// one too, a hit never reads what a walk would not.
///
/// Only its thread uses it, and what interrupts that thread: the state of an entry changes whenever the entry does, and who
/// finds it changed or being written goes without.
class alignas(64) stack_cache {
public:
    /// One entry's state: its version above, odd while it is written, and the stack's number below, 0 while unknown.
    using entry_state = std::atomic<std::uint64_t>;

    /// An entry that waits for its stack to be defined.
    struct pending {
        entry_state* state;
        std::uint64_t expected;
    };

    /// Maps one for stacks of `depth` frames; null without memory.
    static stack_cache* create(unsigned depth) noexcept;
    void destroy() noexcept;

    /// The stack's number; 0 if it is not known.
    [[gnu::always_inline]] std::uint32_t find(const frame_start& start) noexcept {
        const std::uint64_t key = hash(start);
        auto& set = sets_[key >> set_shift];
        const std::uint64_t first = set[0].load(std::memory_order_relaxed);
        if (first >> index_bits == (key & tag_mask)) {
            if (const std::uint32_t id = verify(at(first & index_mask), start); id != 0) [[likely]] {
                return id;
            }
        }
        for (unsigned i = 1; i != ways; ++i) {
            const std::uint64_t tagged = set[i].load(std::memory_order_relaxed);
            if (tagged >> index_bits == (key & tag_mask)) {
                if (const std::uint32_t id = verify(at(tagged & index_mask), start); id != 0) {
                    // What was met last is met next more often than others. Two ways may name one entry if a signal
                    // handler comes in between: an entry says itself what it is.
                    set[i].store(first, std::memory_order_relaxed);
                    set[0].store(tagged, std::memory_order_relaxed);
                    return id;
                }
            }
        }
        return 0;
    }

    /// Loads the lines of memory that find() will read first, while something else is done.
    [[gnu::always_inline]] void prefetch(const frame_start& start) const noexcept {
        const std::uint64_t first = sets_[hash(start) >> set_shift][0].load(std::memory_order_relaxed);
        const char* const line = reinterpret_cast<const char*>(&at(first & index_mask));
        __builtin_prefetch(line);
        __builtin_prefetch(line + 64);
        __builtin_prefetch(line + 128);
        __builtin_prefetch(line + 192);
    }

    /// Keeps what a walk found, of a stack whose number is not told before confirm(). Its state is null if there is no room.
    pending add(const frame_start& start, const walk& found) noexcept;

    /// Gives the entry its number, unless it has been used for another stack since.
    static void confirm(const pending& added, std::uint32_t id) noexcept {
        std::uint64_t expected = added.expected;
        if (added.state != nullptr) {
            added.state->compare_exchange_strong(expected, expected | id, std::memory_order_relaxed);
        }
    }

    /// Forgets everything.
    void clear() noexcept;

    near_rules rules;      ///< of the same epoch
    stack_numbers numbers; ///< the same

private:
    static constexpr unsigned set_bits = 9;
    static constexpr unsigned ways = 4;
    static constexpr unsigned entry_count = ways << set_bits;
    static constexpr unsigned set_shift = 64 - set_bits;
    static constexpr unsigned index_bits = 16;
    static constexpr std::uint64_t index_mask = (1u << index_bits) - 1;
    static constexpr std::uint64_t tag_mask = (std::uint64_t{1} << (64 - index_bits)) - 1;
    static constexpr std::uint64_t version_step = std::uint64_t{1} << 32;
    static constexpr std::uint64_t number_mask = version_step - 1;
    static_assert(entry_count < index_mask);

    struct entry {
        std::uintptr_t return_address;
        std::uintptr_t stack_pointer;
        std::uintptr_t frame_pointer;
        entry_state state;
        std::uint32_t word_count;
        bool uses_frame_pointer;

        const std::uint64_t* words() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
        std::uint64_t* words() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    };

    static std::uint64_t hash(const frame_start& start) {
        return (start.return_address ^ (start.stack_pointer << 20)) * 0x9e37'79b9'7f4a'7c15u;
    }

    [[gnu::always_inline]] static std::uint32_t verify(const entry& candidate,
                                                       const frame_start& start) noexcept {
        const std::uint64_t state = candidate.state.load(std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_acquire); // pairs with the last fence of add()
        if (candidate.return_address != start.return_address ||
            candidate.stack_pointer != start.stack_pointer ||
            (candidate.uses_frame_pointer && candidate.frame_pointer != start.frame_pointer)) {
            return 0;
        }
        const auto* const stack = reinterpret_cast<const std::uintptr_t*>(start.stack_pointer);
        const std::uint64_t* word = candidate.words();
        const std::uint64_t* const end = word + candidate.word_count;
        while (word != end) {
            std::uint64_t distance = *word >> stack_word::value_bits;
            const std::uint64_t value = *word & stack_word::value_mask;
            if (distance == stack_word::far) [[unlikely]] {
                distance = *++word;
            }
            ++word;
            if (stack[distance] != value) {
                return 0;
            }
        }
        std::atomic_signal_fence(
            std::memory_order_acquire); // pairs with the first fence of add() in a signal handler
        return candidate.state.load(std::memory_order_relaxed) == state ? static_cast<std::uint32_t>(state)
                                                                        : 0;
    }

    const entry& at(std::size_t index) const {
        return *reinterpret_cast<const entry*>(reinterpret_cast<const char*>(this + 1) +
                                               index * entry_bytes_);
    }
    entry& at(std::size_t index) { return const_cast<entry&>(std::as_const(*this).at(index)); }

    /// A part of the key above, the number of an entry below: 0 while the way has none.
    std::atomic<std::uint64_t> sets_[1u << set_bits][ways];
    std::size_t mapped_bytes_;
    std::uint32_t entry_bytes_;
    std::uint32_t most_words_;
    std::uint32_t next_entry_; // entries are handed out in the order of need, to touch few pages
};

} // namespace linn::tool::unwind
