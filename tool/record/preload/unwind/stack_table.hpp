// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace linn::tool::unwind {

/// One distinct stack; its frames lie behind it. Never moved, never freed.
struct stack_record {
    stack_record* next;
    std::uint32_t hash;
    std::uint32_t id;
    std::uint32_t epoch;
    std::uint16_t count;
    std::atomic<bool> is_defined;

    std::uintptr_t* frames() { return reinterpret_cast<std::uintptr_t*>(this + 1); }
};

/// Stack -> number, for the whole process: a hash table of lists that only grow, so that readers need no lock and a
/// writer that never comes back (killed, jumped away, forked off) leaves nothing broken. All zero is empty. A forked child
/// goes on with its parent's.
class stack_table {
public:
    /// The stack's one record; null without memory. Stacks of different epochs are different.
    stack_record* find_or_add(const std::uintptr_t* frames, unsigned count, std::uint32_t epoch) noexcept;

    /// Forgets all stacks and unmaps their memory. @pre no thread uses the table, or a record of it
    void clear() noexcept;

    /// Numbers given so far. Where two threads add one stack at one moment a number stays unused.
    std::uint32_t size() const noexcept { return last_id_.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t buckets = std::size_t{1} << 18;
    static constexpr std::size_t segment_bytes = std::size_t{1} << 20;

    struct segment {
        std::atomic<std::size_t> used;
        segment* older;
    };
    static_assert(sizeof(segment) <= sizeof(stack_record)); // which is the first that is used

    stack_record* allocate(unsigned count) noexcept;

    std::atomic<stack_record*> heads_[buckets];
    std::atomic<segment*> segment_;
    std::atomic<std::uint32_t> last_id_;
};

} // namespace linn::tool::unwind
