// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include "../../../interpose/mapped_file.hpp"
#include "../../../interpose/raw.hpp"
#include "cfi.hpp"

#include <cstring>
#include <new>

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

void stack_cache::add(const frame_start& start, const walk& found, std::uint32_t id) noexcept {
    if (!found.words_complete || found.word_count > most_words_) {
        return;
    }
    const std::uint64_t key = hash(start);
    auto& set = sets_[key >> set_shift];
    std::atomic<std::uint64_t>& way = set[ways - 1]; // what was met longest ago
    std::uint64_t index = way.load(std::memory_order_relaxed) & index_mask;
    if (index == 0) {
        if (next_entry_ > entry_count) {
            return;
        }
        index = next_entry_++;
    }
    entry& kept = at(index);
    const std::uint64_t version = kept.state.load(std::memory_order_relaxed) & ~number_mask;
    if ((version & version_step) != 0) {
        return; // we interrupted its writer
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
    kept.state.store((version + 2 * version_step) | id, std::memory_order_relaxed);
    for (unsigned i = ways - 1; i != 0; --i) {
        set[i].store(set[i - 1].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    set[0].store((key & tag_mask) << index_bits | index, std::memory_order_relaxed);
}

void stack_cache::clear() noexcept {
    for (std::size_t index = 1; index < next_entry_; ++index) {
        entry_state& state = at(index).state;
        const std::uint64_t version = state.load(std::memory_order_relaxed) & ~number_mask;
        if ((version & version_step) == 0) {
            state.store(version + 2 * version_step, std::memory_order_relaxed);
        }
    }
}

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

// What is not zero at first would be 2.5 MB of the file.
constinit rule_table rules;
constinit stack_table stacks;
constinit unsigned chosen_depth = 16;

constexpr unsigned unloading_bits = 16; ///< of current_epoch

std::uint64_t unloading_in(std::uint64_t epoch) {
    return epoch & ((std::uint64_t{1} << unloading_bits) - 1);
}

/// A thread that allocates less needs no cache.
constexpr std::uint64_t misses_before_cache = 8;

void forget(std::uint64_t unloading) noexcept {
    rules.clear();
    constexpr std::uint64_t one = std::uint64_t{1} << unloading_bits;
    // Pairs with the acquire in walk_and_keep(): who sees the new epoch sees no old rule.
    current_epoch.fetch_add(one - unloading, std::memory_order_release);
}

/// The thread's cache, empty if what it holds is of another epoch; null if it has none.
stack_cache* cache_for(thread_stacks& thread, std::uint64_t epoch) noexcept {
    stack_cache* cache = thread.cache.load(std::memory_order_relaxed);
    if (cache == nullptr) {
        if (thread.closed || thread.misses < misses_before_cache) {
            return nullptr;
        }
        stack_cache* const fresh = stack_cache::create(chosen_depth);
        // A signal handler may have made one meanwhile.
        if (!thread.cache.compare_exchange_strong(cache, fresh, std::memory_order_relaxed)) {
            if (fresh != nullptr) {
                fresh->destroy();
            }
            return cache;
        }
        thread.epoch = epoch;
        return fresh;
    }
    if (thread.epoch != epoch) {
        cache->clear();
        thread.epoch = epoch;
    }
    return cache;
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
    preload::clear_used(heads_);
    for (segment* at = segment_.exchange(nullptr, std::memory_order_relaxed); at != nullptr;) {
        segment* const older = at->older;
        ::munmap(at, segment_bytes);
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
        void* const pages = preload::zeroed_memory(segment_bytes);
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
            ::munmap(pages, segment_bytes);
        }
    }
}

constinit std::atomic<std::uint64_t> current_epoch{0};

void start(unsigned depth) noexcept {
    chosen_depth = depth < 1 ? 1 : depth > most_frames ? most_frames : depth;
}

captured walk_and_keep(thread_stacks& thread, const frame_start& start) noexcept {
    const preload::kept_errno saved;
    ++thread.misses;
    // Pairs with forget(): rules of an epoch are found only after those of the last were cleared.
    const std::uint64_t epoch = current_epoch.load(std::memory_order_acquire);
    const bool steady = unloading_in(epoch) == 0;
    stack_cache* const cache = steady ? cache_for(thread, epoch) : nullptr;

    walk found;
    walk_stack(start, chosen_depth, steady ? &rules : nullptr, readable_pages{thread.readable}, found);
    stack_record* const record = stacks.find_or_add(found.frames, found.frame_count,
                                                    static_cast<std::uint32_t>(epoch >> unloading_bits));
    if (record == nullptr) {
        return {};
    }
    const bool is_new = !record->is_defined.load(std::memory_order_relaxed);
    if (cache != nullptr && !is_new && !found.is_cut) {
        cache->add(start, found, record->id);
    }
    return {record->id, is_new, found.is_cut, record->frames(), record->count, record};
}

void defined(const captured& stack) noexcept {
    if (stack.record != nullptr) {
        stack.record->is_defined.store(true, std::memory_order_relaxed);
    }
}

void release(thread_stacks& thread) noexcept {
    thread.closed = true;
    if (stack_cache* const cache = thread.cache.exchange(nullptr, std::memory_order_relaxed)) {
        cache->destroy();
    }
    thread.misses = 0;
}

void restart() noexcept {
    forget(0);
    stacks.clear();
}

void forked() noexcept {
    if (const std::uint64_t unfinished = unloading_in(current_epoch.load(std::memory_order_relaxed));
        unfinished != 0) {
        forget(unfinished);
    }
}

unloading::unloading() noexcept : unloads_(preload::count_loads().unloads) {
    current_epoch.fetch_add(1, std::memory_order_relaxed);
}

unloading::~unloading() {
    if (preload::count_loads().unloads != unloads_) {
        forget(1);
    } else {
        current_epoch.fetch_sub(1, std::memory_order_relaxed);
    }
}

} // namespace linn::tool::unwind
