// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_CHUNK_ARENA_HPP
#define LINN_DETAIL_SYNC_CHUNK_ARENA_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/sync/policy.hpp>

#include <cstddef>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// Bookkeeping memory of one object: bumped from chunks that are brought to it, and given up all at
/// once. It never asks for memory itself, so no foreign code runs under its lock.
template <class Policy>
class chunk_arena {
public:
    static constexpr std::size_t chunk_bytes = std::size_t{16} << 10;
    static constexpr std::size_t chunk_align = cache_line_bytes;
    /// The most that `bump` can ever be asked for.
    static constexpr std::size_t most_bytes = chunk_bytes - cache_line_bytes;

    explicit chunk_arena(fork_stopper& owner) noexcept : lock_{owner} {}

    /// Memory aligned to a cache line; null when a chunk is needed first. @pre bytes <= most_bytes
    void* bump(std::size_t bytes) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        bytes = round_up(bytes, cache_line_bytes);
        if (bytes > left_) {
            return nullptr;
        }
        void* p = next_;
        next_ += bytes;
        left_ -= bytes;
        return p;
    }

    /// @pre `memory` has chunk_bytes, aligned to chunk_align
    void add(void* memory) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        chunks_ = ::new (memory) chunk{chunks_};
        next_ = static_cast<std::byte*>(memory) + cache_line_bytes;
        left_ = most_bytes;
    }

    /// Passes every chunk to `put(memory)`; the arena is then as new. @pre no other thread uses the arena
    template <class Put>
    void give_up(Put&& put) noexcept {
        next_ = nullptr; // first: a fork may copy the process between two chunks
        left_ = 0;
        while (chunk* c = chunks_) {
            chunks_ = c->older;
            put(static_cast<void*>(c));
        }
    }

    typename Policy::mutex& lock() noexcept { return lock_; }

private:
    struct chunk {
        chunk* older;
    };

    typename Policy::mutex lock_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    chunk* chunks_ = nullptr;
};

} // namespace linn::inline LINN_ABI::detail

#endif
