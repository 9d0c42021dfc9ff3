// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include "team.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <vector>

namespace linn::tool::worker {

/// A network packet's buffer of 1.5 KB. The empty constructor keeps `make_shared` from filling it with zeros.
struct packet {
    std::uint64_t length;
    std::byte data[1'528];
    packet() noexcept {} // not defaulted: that would make value-initialisation write zeros
};

/// The same without a constructor, which is how most programs write it: for the `_for_overwrite` functions, and for what the
/// others cost then.
struct plain_packet {
    std::uint64_t length;
    std::byte data[1'528];
};

static_assert(sizeof(packet) == 1'536 && sizeof(plain_packet) == 1'536);

/// Spins until the flag is free.
class spin_lock {
public:
    void lock() noexcept {
        // acquire: sees what the last holder wrote.
        for (patience p; flag_.test_and_set(std::memory_order_acquire);) {
            while (flag_.test(std::memory_order_relaxed)) {
                p.wait();
            }
        }
    }
    void unlock() noexcept { flag_.clear(std::memory_order_release); } // pairs with lock()

private:
    std::atomic_flag flag_;
};

/// The published pool of packets: all blocks are allocated in advance and kept on a stack behind one lock.
template <class Lock>
class locked_pool {
public:
    locked_pool(std::size_t block_bytes, std::size_t blocks) {
        free_.reserve(blocks);
        for (std::size_t i = 0; i != blocks; ++i) {
            free_.push_back(::operator new(block_bytes));
        }
        all_ = free_;
    }
    locked_pool(const locked_pool&) = delete;
    locked_pool& operator=(const locked_pool&) = delete;
    ~locked_pool() {
        for (void* p : all_) {
            ::operator delete(p);
        }
    }

    void* pop() {
        const std::lock_guard guard{lock_};
        if (free_.empty()) {
            throw std::bad_alloc{};
        }
        void* p = free_.back();
        free_.pop_back();
        return p;
    }

    void push(void* p) noexcept {
        const std::lock_guard guard{lock_};
        free_.push_back(p); // within the reserved capacity
    }

private:
    Lock lock_;
    std::vector<void*> free_;
    std::vector<void*> all_;
};

/// Blocks of packets: room for a packet of 1.5 KB and a control block.
inline constexpr std::size_t packet_block_bytes = 1'600;
inline constexpr std::size_t packet_blocks = 4'096;

/// The process's one pool of packets with that lock.
template <class Lock>
locked_pool<Lock>& packet_pool() {
    static locked_pool<Lock>& pool = *new locked_pool<Lock>{packet_block_bytes, packet_blocks};
    return pool;
}

/// Destroys the object and gives its block back, as the deleter of a `std::shared_ptr`.
template <class T, class Lock>
struct locked_deleter {
    void operator()(T* p) const noexcept {
        p->~T();
        packet_pool<Lock>().push(p);
    }
};

/// The allocator over the same pool, for `std::allocate_shared`.
template <class T, class Lock>
struct locked_allocator {
    using value_type = T;
    template <class U>
    struct rebind {
        using other = locked_allocator<U, Lock>;
    };

    locked_allocator() = default;
    template <class U>
    locked_allocator(const locked_allocator<U, Lock>&) noexcept {}

    T* allocate(std::size_t n) {
        static_assert(sizeof(T) <= packet_block_bytes);
        if (n != 1) {
            throw std::bad_alloc{};
        }
        return static_cast<T*>(packet_pool<Lock>().pop());
    }
    void deallocate(T* p, std::size_t) noexcept { packet_pool<Lock>().push(p); }

    friend bool operator==(const locked_allocator&, const locked_allocator&) noexcept { return true; }
};

/// Packets that live at once in a burst, and a network card's usual share of work.
inline constexpr std::size_t burst = 256;

/// Creates one, writes its first word and destroys it, again and again.
/// `Way` is a class with `handle create()` and, unless the handle's destructor does it, `void destroy(handle&)`.
template <class Way>
void hot_loop(Way& way, std::size_t operations) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = way.create();
        h->length = i;
        escape(&*h);
        way.destroy(h);
    }
}

/// Creates a burst, then destroys it in the order of creation.
template <class Way>
void burst_loop(Way& way, std::size_t operations) {
    std::array<decltype(way.create()), burst> live{};
    for (std::size_t i = 0; i < operations; i += burst) {
        for (auto& h : live) {
            h = way.create();
            h->length = i;
            escape(&*h);
        }
        for (auto& h : live) {
            way.destroy(h);
        }
    }
}

/// The scenario shared-ptr for one way of creating and destroying: hot and in bursts, in a process with one thread,
/// in one with an idle second thread, and with two threads that really work.
template <class Way>
outcome run_shared_ptr(const options& o) {
    const std::size_t operations = (o.scaled(40'960) + burst - 1) / burst * burst;
    outcome result;
    result.work_check = operations;
    const auto hot = [] { return [way = Way{}](std::size_t n) mutable { hot_loop(way, n); }; };
    const auto bursts = [] { return [way = Way{}](std::size_t n) mutable { burst_loop(way, n); }; };

    std::optional<idle_thread> second;
    for (const char* state : {"single", "multi"}) {
        const std::string prefix = state;
        result.phases.push_back(measure_passes(prefix + "_hot", 1, operations, result.cpu_share, hot));
        result.phases.push_back(measure_passes(prefix + "_burst", 1, operations, result.cpu_share, bursts));
        if (!second) {
            second.emplace();
        }
    }
    result.phases.push_back(measure_passes("two_hot", 2, operations, result.cpu_share, hot));
    result.phases.push_back(measure_passes("two_burst", 2, operations, result.cpu_share, bursts));
    return result;
}

/// For ways whose handle owns: destroying is letting go.
struct owning_way {
    template <class Handle>
    static void destroy(Handle& h) {
        h = Handle{};
    }
};

} // namespace linn::tool::worker
