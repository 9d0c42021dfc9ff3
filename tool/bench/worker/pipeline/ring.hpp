// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace linn::tool::worker {

/// A queue between one thread that pushes and one that pops, without a lock. Both ends work in bursts and publish once a
/// burst, as drivers of network cards do. Each side keeps its last sight of the other's index, so it touches the
/// other's cache line only when that sight says full or empty.
template <class T, std::size_t Capacity>
class ring {
public:
    static_assert((Capacity & (Capacity - 1)) == 0, "a power of two, so that a mask wraps the index");

    /// Free places, at most `wanted`; the pusher's side.
    std::size_t room(std::size_t wanted) noexcept {
        if (Capacity - (push_.own - push_.seen) < wanted) {
            // acquire: pairs with publish_popped; the places are empty.
            push_.seen = popped_.load(std::memory_order_acquire);
        }
        const std::size_t free = Capacity - (push_.own - push_.seen);
        return free < wanted ? free : wanted;
    }
    void push(T&& value) noexcept { slots_[push_.own++ % Capacity] = std::move(value); }
    void publish_pushed() noexcept {
        // release: pairs with filled; the values are there.
        pushed_.store(push_.own, std::memory_order_release);
    }

    /// Values waiting, at most `wanted`; the popper's side.
    std::size_t filled(std::size_t wanted) noexcept {
        if (pop_.seen - pop_.own < wanted) {
            // acquire: pairs with publish_pushed.
            pop_.seen = pushed_.load(std::memory_order_acquire);
        }
        const std::size_t there = pop_.seen - pop_.own;
        return there < wanted ? there : wanted;
    }
    T pop() noexcept { return std::move(slots_[pop_.own++ % Capacity]); }
    void publish_popped() noexcept {
        // release: pairs with room.
        popped_.store(pop_.own, std::memory_order_release);
    }

private:
    struct side {
        std::size_t own = 0;
        std::size_t seen = 0;
    };
    alignas(128) std::atomic<std::size_t> pushed_{0};
    alignas(128) std::atomic<std::size_t> popped_{0};
    alignas(128) side push_;
    alignas(128) side pop_;
    alignas(128) std::array<T, Capacity> slots_{};
};

} // namespace linn::tool::worker
