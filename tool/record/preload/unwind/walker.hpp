// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cfi.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// Whether the aligned word at `address` can be read: a system call, which cannot fault.
bool probe_word(std::uintptr_t address) noexcept;

/// A range of pages that were found readable, in one word so that a signal handler never sees half of one. The walker
/// asks before it reads: valid unwind tables lead only to mapped stack, but tables can be wrong.
///
/// It may go stale when a coroutine's stack is unmapped. A read then faults only if, besides, a table is wrong or
/// the file that it belonged to was unloaded unseen.
class readable_pages {
public:
    static constexpr unsigned page_shift = 12;

    explicit readable_pages(std::atomic<std::uint64_t>& word) : word_(word) {
        const std::uint64_t packed = word.load(std::memory_order_relaxed);
        begin_ = static_cast<std::uintptr_t>(packed >> count_bits) << page_shift;
        size_ = static_cast<std::uintptr_t>(packed & most_pages) << page_shift;
    }

    /// Whether the aligned word there can be read. Probes pages that are not known yet.
    bool word(std::uintptr_t address) { return address - begin_ < size_ || learn(address); }

private:
    bool learn(std::uintptr_t address) noexcept;

    static constexpr unsigned count_bits = 28; // and 36 bits for the number of the first page
    static constexpr std::uint64_t most_pages = (std::uint64_t{1} << count_bits) - 1;

    std::atomic<std::uint64_t>& word_;
    std::uintptr_t begin_ = 0;
    std::uintptr_t size_ = 0; // bytes
};

inline constexpr unsigned most_frames = 64;

/// Where a walk begins: the caller of a hook, as it will be once the hook has returned.
struct frame_start {
    std::uintptr_t return_address;
    std::uintptr_t stack_pointer; ///< just above the return address: the hook's canonical frame address
    std::uintptr_t frame_pointer; ///< rbp as the caller left it
};

/// The caller of the function that this is written into, which must be the hook itself: neither inlined into another
/// function nor a part of one. Asking for it gives that function a frame pointer, regardless of the compiler's options.
[[gnu::always_inline]] inline frame_start here() noexcept {
    const auto* frame = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
    return {frame[1], reinterpret_cast<std::uintptr_t>(frame + 2), frame[0]};
}

/// A word of the stack that a walk read, in 64 bits: how far above the first stack pointer, in words, and what it held.
/// Addresses of programs have 47 bits.
struct stack_word {
    static constexpr unsigned value_bits = 48;
    static constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;
    static constexpr std::uint64_t most_distance = 0xffff; ///< 512 KiB
};

/// Words of a walk: a return address a frame, and a saved frame pointer a frame.
constexpr unsigned most_words(unsigned depth) {
    return 2 * depth;
}

/// What a walk found, and everything that it depended on besides the rules: the caller's return address and stack
/// pointer, its frame pointer if that was used, and the words, in the order in which they were read.
struct walk {
    bool is_cut = false; ///< a frame cannot be followed, or it would have read what is no stack
    bool used_frame_pointer = false;
    bool words_complete = true; ///< otherwise there were more, farther away or larger, than fit
    unsigned frame_count = 0;
    unsigned word_count = 0; ///< of `words`
    std::uintptr_t frames[most_frames];
    std::uint64_t words[most_words(most_frames)];
};

/// Follows the rules from `start` outwards; `into` is empty. `table` keeps what it compiles, null for nowhere.
void walk_stack(const frame_start& start, unsigned depth, rule_table* table, readable_pages memory,
                walk& into) noexcept;

} // namespace linn::tool::unwind
