// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stack_cache.hpp"

#include <atomic>
#include <cstdint>

// The one door of the unwinder: which stack is this? Everything here is safe in a signal handler, also in one that
// interrupted it, in a child of vfork or fork, across longjmp, before constructors and after destructors. No heap, no
// locks, no errno; memory comes from mmap. docs/design/unwinder.md says how.
namespace linn::tool::unwind {

enum class mode : std::uint8_t {
    none,      ///< the return address only
    own,       ///< the walker over .eh_frame: x86-64 with glibc 2.35 or later
    libunwind, ///< libunwind.so.8, which takes the dynamic loader's lock and is several times slower
};

/// Chooses how stacks are taken; call it once, before the first capture. `depth` frames at most, 1 to most_frames.
/// Returns what it will be: libunwind where `own` cannot work, none where nothing else can. For libunwind it loads a
/// library, which allocates: the caller must be ready for its own hooks.
mode start(mode wanted, unsigned depth) noexcept;

/// What was learned of code holds as long as this word stays equal: above, how often all was forgotten; below, how many
/// are unloading a file just now. While it is not steady nothing may be looked up nor kept.
struct epoch_word {
    static constexpr unsigned unloading_bits = 16;

    static constexpr bool steady(std::uint64_t word) {
        return (word & ((std::uint64_t{1} << unloading_bits) - 1)) == 0;
    }
    static constexpr std::uint32_t number(std::uint64_t word) {
        return static_cast<std::uint32_t>(word >> unloading_bits);
    }
};

extern std::atomic<std::uint64_t> current_epoch;

/// A thread's own part: thread-local, all zero at first, trivially destructible. A signal handler and a child of vfork
/// use the one of the thread that they interrupt.
struct thread_stacks {
    std::atomic<stack_cache*> cache;     ///< mapped after the first misses
    std::atomic<std::uint64_t> readable; ///< pages of the stack that were found readable: stack_memory.hpp
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
    stack_cache::pending entry;   ///< for defined()
};

/// What capture() does when the cache does not know the stack.
captured walk_and_keep(thread_stacks& thread, const frame_start& start) noexcept;

/// Takes the stack at `start`, up to a signal's frame. Each frame is a return address, so one byte behind the call.
[[gnu::always_inline]] inline captured capture(thread_stacks& thread, const frame_start& start) noexcept {
    if (stack_cache* const cache = thread.cache.load(std::memory_order_relaxed);
        cache != nullptr && thread.epoch == current_epoch.load(std::memory_order_relaxed)) [[likely]] {
        if (const std::uint32_t id = cache->find(start); id != 0) [[likely]] {
            return {id, false, false, nullptr, 0, nullptr, {}};
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
