// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_FRONT_BLOCK_HPP
#define LINN_DETAIL_SYNC_FRONT_BLOCK_HPP

#include <linn/config.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/front.hpp>
#include <linn/detail/sync/late_thread_exit.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace linn::inline LINN_ABI::detail {

/// What a thread knows of the fronts that code of one module attached. Trivially destructible, so it can be asked at any
/// time.
template <class Policy>
struct thread_state {
    front<Policy>* fronts = nullptr; ///< attached ones, to flush at exit
    bool janitor_armed = false;
    bool over = false; ///< the janitor ran: from now on every call goes to the depot
};

/// All fronts of one thread, for a system that frees `thread_local` variables before anybody could flush what they hold.
/// A key of the system leads to it. Each module has its own key, and its own numbers of pools.
///
/// Pools beyond `most` and threads that end have no front: all that they get is `nobody`, which stays empty.
template <class Policy>
class front_block {
public:
    static constexpr std::size_t bytes = std::size_t{64} << 10; ///< the least that Windows maps

    /// The calling thread's front of a pool; where it has none, one that is empty and stays so.
    [[LINN_DETAIL_ALWAYS_INLINE]] static front<Policy>& here(const front_number<true>& pool) noexcept {
        front_block* const b = existing();
        // relaxed: a number; the place it stands for is the thread's own
        return b != nullptr ? b->fronts_[pool.value.load(std::memory_order_relaxed)] : nobody_;
    }

    /// The same, made where it can be. @param over the thread ended already, as far as fronts are concerned
    [[LINN_DETAIL_NOINLINE]] static front<Policy>& own(front_number<true>& pool, bool over) noexcept {
        front_block* const b = over ? nullptr : made();
        if (b == nullptr) {
            return nobody_;
        }
        const std::uint32_t number = number_of(pool);
        return number < most ? b->fronts_[number] : nobody_;
    }

    /// @returns null for `nobody`, in which nothing can be cached
    static thread_state<Policy>* state_of(const front<Policy>& f) noexcept {
        return &f != &nobody_ ? &existing()->state_ : nullptr;
    }

    /// For the key's callback, with the block.
    template <class Flush>
    static void end(void* block, Flush&& flush) noexcept {
        auto* const b = static_cast<front_block*>(block);
        flush(b->state_);
        if (std::uintptr_t key = 0; key_.made(key)) {
            values::set(key, nullptr);
        }
        Policy::pages::unmap(b, bytes, bytes);
    }

    /// What the key's callback is armed with.
    static void* to_arm() noexcept { return existing(); }

private:
    using values = thread_values<nullptr>;

    static constexpr std::size_t most = (bytes - cache_line_bytes) / sizeof(front<Policy>);

    static front_block* existing() noexcept {
        std::uintptr_t key = 0;
        return key_.made(key) ? static_cast<front_block*>(values::get(key)) : nullptr;
    }

    static front_block* made() noexcept {
        if (front_block* const b = existing(); b != nullptr) {
            return b;
        }
        std::uintptr_t key = 0;
        if (module_ends() || !key_.get<values>(key)) {
            return nullptr;
        }
        // Zero is what a front begins with, so its pages stay untouched until it is used.
        void* const memory = Policy::pages::map(bytes, bytes);
        if (memory == nullptr || !values::set(key, memory)) {
            if (memory != nullptr) {
                Policy::pages::unmap(memory, bytes, bytes);
            }
            return nullptr;
        }
        return static_cast<front_block*>(memory);
    }

    static std::uint32_t number_of(front_number<true>& pool) noexcept {
        std::uint32_t found = pool.value.load(std::memory_order_relaxed);
        if (found == 0) {
            // Numbers that a race wastes cost a place each. Beyond the last, all share place 0, which stays empty.
            const std::uint32_t mine = next_.fetch_add(1, std::memory_order_relaxed);
            if (mine >= most) {
                next_.store(most, std::memory_order_relaxed);
                return most;
            }
            if (pool.value.compare_exchange_strong(found, mine, std::memory_order_relaxed)) {
                found = mine;
            }
        }
        return found;
    }

    thread_state<Policy> state_;
    alignas(cache_line_bytes) front<Policy> fronts_[most]; ///< by number; the first stays empty

    LINN_DETAIL_HIDDEN static inline constinit front<Policy> nobody_{};
    LINN_DETAIL_HIDDEN static inline constinit thread_key key_{};
    LINN_DETAIL_HIDDEN static inline constinit std::atomic<std::uint32_t> next_{1};
};

} // namespace linn::inline LINN_ABI::detail

#endif
