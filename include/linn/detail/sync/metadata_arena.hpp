// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_METADATA_ARENA_HPP
#define LINN_DETAIL_SYNC_METADATA_ARENA_HPP

#include <linn/config.hpp>
#include <linn/detail/core/geometry.hpp>
#include <linn/detail/sync/policy.hpp>

#include <cstddef>
#include <cstring>

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
        if (bin* b = bin_of(bytes); b != nullptr && b->head != nullptr) {
            return b->pop();
        }
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

    /// Keeps `p` for the next request of the same size, by any pool. There are few sizes; those that find
    /// no bin are given up, which bounds the loss to what was in use at once.
    void recycle(void* p, std::size_t bytes) noexcept {
        lock_guard<typename Policy::mutex> guard{lock_};
        bytes = round_up(bytes, cache_line_bytes);
        bin* b = bin_of(bytes);
        if (b == nullptr && (b = bin_of(0)) != nullptr) {
            b->bytes = bytes;
        }
        if (b != nullptr) {
            b->push(p);
        }
    }

    typename Policy::mutex& lock() noexcept { return lock_; }
    /// For the locks of the objects that lie here, which the owner of the arena takes at a fork too.
    known_to_forks join_forks() noexcept { return owner_.join(); }

private:
    /// Recycled pieces of one size, linked through their first word.
    struct bin {
        std::size_t bytes = 0;
        void* head = nullptr;

        void push(void* p) noexcept {
            std::memcpy(p, &head, sizeof head);
            head = p;
        }
        void* pop() noexcept {
            void* p = head;
            std::memcpy(&head, p, sizeof head);
            return p;
        }
    };

    bin* bin_of(std::size_t bytes) noexcept {
        for (bin& b : bins_) {
            if (b.bytes == bytes) {
                return &b;
            }
        }
        return nullptr;
    }

    static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;

    fork_stopper& owner_;
    typename Policy::mutex lock_;
    std::byte* next_ = nullptr;
    std::size_t left_ = 0;
    bin bins_[32];
};

} // namespace linn::inline LINN_ABI::detail

#endif
