// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_METADATA_ARENA_HPP
#define LINN_DETAIL_SYNC_METADATA_ARENA_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/sync/mutex.hpp>

#include <cstddef>

namespace linn::inline LINN_ABI::detail {

/// Memory for depots and magazines: bumped from pages and never freed, so that what lies in it
/// outlives threads, static destructors and unloaded modules. Bounded, because magazines are
/// recycled, and depots are as many as there are types.
template <class Policy>
class metadata_arena {
public:
    /// @param owner takes `lock()` at a fork
    constexpr explicit metadata_arena(fork_stopper& owner) noexcept : owner_{owner}, lock_{owner} {}

    /// Memory aligned to a cache line; null when the system has none.
    /// @threads any thread
    [[LINN_DETAIL_COLD]] void* allocate(std::size_t bytes) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        bytes = round_up(bytes, cache_line_bytes);
        if (bytes > left_) {
            const std::size_t chunk = bytes > chunk_bytes ? round_up(bytes, page_bytes) : chunk_bytes;
            void* fresh = Policy::pages::map(chunk, page_bytes);
            if (fresh == nullptr) {
                return nullptr;
            }
            next_ = static_cast<std::byte*>(fresh);
            left_ = chunk;
        }
        void* p = next_;
        next_ += bytes;
        left_ -= bytes;
        return p;
    }

    typename Policy::mutex& lock() noexcept { return lock_; }
    /// For the locks of the objects that lie here, which the owner of the arena takes at a fork too.
    known_to_forks join_forks() noexcept { return owner_.join(); }

private:
    static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

    fork_stopper& owner_;
    typename Policy::mutex lock_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
};

} // namespace linn::inline LINN_ABI::detail

#endif
