// SPDX-License-Identifier: Apache-2.0
#include "stack_cache.hpp"

#include "../../../interpose/raw.hpp"

#include <cstring>

namespace linn::tool::unwind {

stack_cache* stack_cache::create(unsigned depth) noexcept {
    constexpr std::size_t line = 64;
    const std::size_t words = most_words(depth);
    const std::size_t entry_bytes = (sizeof(entry) + words * sizeof(std::uint64_t) + line - 1) / line * line;
    const std::size_t bytes = sizeof(stack_cache) + (entry_count + 1) * entry_bytes;
    void* const pages = preload::zeroed_memory(bytes);
    if (pages == nullptr) {
        return nullptr;
    }
    // Mapped pages are zero, as its constructor would make all of it, which would touch each of them for a thread that allocates little.
    auto* const cache = static_cast<stack_cache*>(pages);
    cache->mapped_bytes_ = bytes;
    cache->entry_bytes_ = static_cast<std::uint32_t>(entry_bytes);
    cache->most_words_ = static_cast<std::uint32_t>((entry_bytes - sizeof(entry)) / sizeof(std::uint64_t));
    cache->next_entry_ = 1;
    return cache;
}

void stack_cache::destroy() noexcept {
    ::munmap(this, mapped_bytes_);
}

stack_cache::pending stack_cache::add(const frame_start& start, const walk& found) noexcept {
    if (!found.words_complete || found.word_count > most_words_) {
        return {};
    }
    const std::uint64_t key = hash(start);
    auto& set = sets_[key >> set_shift];
    std::atomic<std::uint64_t>& way = set[ways - 1]; // what was met longest ago
    std::uint64_t index = way.load(std::memory_order_relaxed) & index_mask;
    if (index == 0) {
        if (next_entry_ > entry_count) {
            return {};
        }
        index = next_entry_++;
    }
    entry& kept = at(index);
    const std::uint64_t version = kept.state.load(std::memory_order_relaxed) & ~number_mask;
    if ((version & version_step) != 0) {
        return {}; // we interrupted its writer
    }
    kept.state.store(version + version_step, std::memory_order_relaxed);
    std::atomic_signal_fence(
        std::memory_order_release); // pairs with the last fence of verify(), which we interrupted
    kept.return_address = start.return_address;
    kept.stack_pointer = start.stack_pointer;
    kept.frame_pointer = start.frame_pointer;
    kept.uses_frame_pointer = found.used_frame_pointer;
    kept.word_count = found.word_count;
    std::memcpy(kept.words(), found.words, found.word_count * sizeof *found.words);
    std::atomic_signal_fence(std::memory_order_release); // pairs with the first fence of verify()
    kept.state.store(version + 2 * version_step, std::memory_order_relaxed);
    for (unsigned i = ways - 1; i != 0; --i) {
        set[i].store(set[i - 1].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    set[0].store((key & tag_mask) << index_bits | index, std::memory_order_relaxed);
    return {&kept.state, version + 2 * version_step};
}

void stack_cache::clear() noexcept {
    // Every entry gets a new version without a number: nothing can be confirmed any more that was added before.
    for (std::size_t index = 1; index < next_entry_; ++index) {
        entry_state& state = at(index).state;
        const std::uint64_t version = state.load(std::memory_order_relaxed) & ~number_mask;
        if ((version & version_step) == 0) {
            state.store(version + 2 * version_step, std::memory_order_relaxed);
        }
    }
}

} // namespace linn::tool::unwind
