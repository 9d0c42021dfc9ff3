// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace linn::tool::unwind {

class stack_cache;

/// What one thread did; read it at the thread's end, or add it up. Never reset.
struct counters {
    std::uint64_t hits = 0;   ///< stacks that the cache knew, each verified word by word
    std::uint64_t misses = 0; ///< stacks that were walked
    std::uint64_t odd = 0;    ///< walks in which a frame had no rule, only a row: cfi.hpp
    std::uint64_t cut = 0;    ///< walks that ended too early: a frame could not be followed
};

/// A thread's own part: thread-local, all zero at first, trivially destructible. A signal handler and a child of vfork
/// use the one of the thread that they interrupt.
struct thread_stacks {
    std::atomic<stack_cache*> cache;     ///< mapped after the first misses
    std::atomic<std::uint64_t> readable; ///< pages of the stack that were found readable: stack_memory.hpp
    std::uint64_t epoch;                 ///< of the stacks in the cache: epoch.hpp
    bool closed;                         ///< release() was called: no cache any more
    counters count;
};

} // namespace linn::tool::unwind
