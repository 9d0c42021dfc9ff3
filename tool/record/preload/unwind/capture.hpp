// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "walker.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

// The one door of the unwinder: which stack is this? Everything here is safe in a signal handler, also in one that
// interrupted it, in a child of vfork or fork, across longjmp, before constructors and after destructors. No heap, no
// locks, no errno; memory comes from mmap. docs/design/unwinder.md says how.
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
    /// One entry's state: its version above, odd while it is written, and the stack's number below, 0 once it is forgotten.
    using entry_state = std::atomic<std::uint64_t>;

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

    /// Keeps what a walk found of a stack that has this number, if there is room.
    void add(const frame_start& start, const walk& found, std::uint32_t id) noexcept;

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

/// Stacks have `depth` frames at most, 1 to most_frames; call it before the first capture.
void start(unsigned depth) noexcept;

/// What was learned of code holds as long as this word stays equal: above its lowest 16 bits, how often all was forgotten; in
/// them, how many are unloading a file just now. While any is, nothing may be looked up nor kept.
extern std::atomic<std::uint64_t> current_epoch;

/// A thread's own part: thread-local, all zero at first, trivially destructible. A signal handler and a child of vfork
/// use the one of the thread that they interrupt.
struct thread_stacks {
    std::atomic<stack_cache*> cache;     ///< mapped after the first misses
    std::atomic<std::uint64_t> readable; ///< pages of the stack that were found readable
    std::uint64_t epoch;                 ///< of the stacks in the cache
    bool closed;                         ///< release() was called: no cache any more
    std::uint64_t misses;                ///< stacks that the cache did not know: they were walked
};

/// One stack that was seen; memory that never goes away.
struct stack_record;

/// Which stack it was.
struct captured {
    std::uint32_t id; ///< from 1, without gaps but for rare races; 0: no memory, the stack is unknown
    bool is_new;      ///< defined() was not called for it in this process or, before the fork, its parent
    bool is_cut;      ///< it is new, and its outermost frame has a caller that could not be found
    const std::uintptr_t* frames; ///< innermost first; only if is_new, and then they stay where they are
    unsigned count;               ///< of frames; at least 1 if is_new
    stack_record* record;         ///< for defined()
};

/// What capture() does when the cache does not know the stack.
captured walk_and_keep(thread_stacks& thread, const frame_start& start) noexcept;

/// Takes the stack at `start`, up to a signal's frame. Each frame is a return address, so one byte behind the call.
[[gnu::always_inline]] inline captured capture(thread_stacks& thread, const frame_start& start) noexcept {
    if (stack_cache* const cache = thread.cache.load(std::memory_order_relaxed);
        cache != nullptr && thread.epoch == current_epoch.load(std::memory_order_relaxed)) [[likely]] {
        if (const std::uint32_t id = cache->find(start); id != 0) [[likely]] {
            return {id, false, false, nullptr, 0, nullptr};
        }
    }
    return walk_and_keep(thread, start);
}

/// Before capture(), as soon as the hook is entered: loads what it will look at, while the real function works.
[[gnu::always_inline]] inline void prepare(const thread_stacks& thread, const frame_start& start) noexcept {
    if (const stack_cache* const cache = thread.cache.load(std::memory_order_relaxed); cache != nullptr)
        [[likely]] {
        cache->prefetch(start);
    }
}

/// Say so after the definition of a stack that is_new has been written. Until then every capture of that stack says
/// is_new, so a hook that a longjmp cut off in between loses nothing; two threads may define the same one.
void defined(const captured& stack) noexcept;

/// At a thread's end: gives its memory back. Later captures of this thread work, slowly.
void release(thread_stacks& thread) noexcept;

/// Another recording begins: every stack is new. @pre no thread takes one
void restart() noexcept;

/// In a forked child, before its first capture: what another thread of the parent was unloading stays unfinished here.
void forked() noexcept;

/// What was learned of a file's code does not hold once it is unmapped. Around every dlclose:
///
///     unloading guard;
///     return real_dlclose(handle);
///
/// While one lives nothing is learned; when it ends and dl_iterate_phdr says that something was unmapped, all is
/// forgotten and every stack is_new again, with another id. Takes the loader's lock, for a moment, at both ends.
class unloading {
public:
    unloading() noexcept;
    unloading(const unloading&) = delete;
    unloading& operator=(const unloading&) = delete;
    ~unloading();

private:
    unsigned long long unloads_;
};

} // namespace linn::tool::unwind
