// SPDX-License-Identifier: Apache-2.0
#include "stack_table.hpp"

#include "stack_memory.hpp"

#include <cstring>
#include <new>

namespace linn::tool::unwind {
namespace {

std::uint32_t hash_of(const std::uintptr_t* frames, unsigned count, std::uint32_t epoch) {
    std::uint64_t hash = epoch + count;
    for (unsigned i = 0; i != count; ++i) {
        hash = (hash ^ frames[i]) * 0x9e37'79b9'7f4a'7c15u;
        hash ^= hash >> 29;
    }
    return static_cast<std::uint32_t>(hash >> 16);
}

/// The stack among the records from `from` to `end`.
stack_record* find(stack_record* from, const stack_record* end, const std::uintptr_t* frames, unsigned count,
                   std::uint32_t epoch, std::uint32_t hash) {
    for (stack_record* at = from; at != end; at = at->next) {
        if (at->hash == hash && at->epoch == epoch && at->count == count &&
            std::memcmp(at->frames(), frames, count * sizeof *frames) == 0) {
            return at;
        }
    }
    return nullptr;
}

} // namespace

stack_record* stack_table::find_or_add(const std::uintptr_t* frames, unsigned count,
                                       std::uint32_t epoch) noexcept {
    const std::uint32_t hash = hash_of(frames, count, epoch);
    std::atomic<stack_record*>& head = heads_[hash % buckets];
    // Pairs with the release that published the record.
    stack_record* first = head.load(std::memory_order_acquire);
    if (stack_record* const known = find(first, nullptr, frames, count, epoch, hash)) {
        return known;
    }
    stack_record* const added = allocate(count);
    if (added == nullptr) {
        return nullptr;
    }
    added->hash = hash;
    added->epoch = epoch;
    added->count = static_cast<std::uint16_t>(count);
    added->id = last_id_.fetch_add(1, std::memory_order_relaxed) + 1;
    std::memcpy(added->frames(), frames, count * sizeof *frames);
    for (;;) {
        stack_record* const seen = first;
        added->next = seen;
        // Publishes the record: pairs with the acquire above, and in a failure with another thread's publication.
        if (head.compare_exchange_strong(first, added, std::memory_order_release,
                                         std::memory_order_acquire)) {
            return added;
        }
        if (stack_record* const known = find(first, seen, frames, count, epoch, hash)) {
            return known; // another thread was faster; our record and its number stay unused
        }
    }
}

void stack_table::clear() noexcept {
    for (auto& head : heads_) {
        if (head.load(std::memory_order_relaxed) != nullptr) { // what was never used is not touched
            head.store(nullptr, std::memory_order_relaxed);
        }
    }
    for (segment* at = segment_.exchange(nullptr, std::memory_order_relaxed); at != nullptr;) {
        segment* const older = at->older;
        unmap_pages(at, segment_bytes);
        at = older;
    }
    last_id_.store(0, std::memory_order_relaxed);
}

stack_record* stack_table::allocate(unsigned count) noexcept {
    const std::size_t bytes = sizeof(stack_record) + count * sizeof(std::uintptr_t);
    for (;;) {
        // Pairs with the release below: the segment's own counter is set.
        segment* const present = segment_.load(std::memory_order_acquire);
        if (present != nullptr) {
            const std::size_t at = present->used.fetch_add(bytes, std::memory_order_relaxed);
            if (at + bytes <= segment_bytes) {
                return ::new (reinterpret_cast<char*>(present) + at) stack_record{};
            }
        }
        void* const pages = map_pages(segment_bytes);
        if (pages == nullptr) {
            return nullptr;
        }
        auto* const fresh = ::new (pages) segment{};
        fresh->used.store(sizeof(stack_record), std::memory_order_relaxed); // keeps records aligned
        fresh->older = present;
        segment* expected = present;
        // Pairs with the acquire above.
        if (!segment_.compare_exchange_strong(expected, fresh, std::memory_order_release,
                                              std::memory_order_relaxed)) {
            unmap_pages(pages, segment_bytes);
        }
    }
}

} // namespace linn::tool::unwind
