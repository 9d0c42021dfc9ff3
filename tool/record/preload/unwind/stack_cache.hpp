// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "walker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace linn::tool::unwind {

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
        for (; word != end; ++word) {
            if (stack[*word >> stack_word::value_bits] != (*word & stack_word::value_mask)) {
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
