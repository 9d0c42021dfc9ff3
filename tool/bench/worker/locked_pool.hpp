// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "team.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace linn::tool::worker {

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

} // namespace linn::tool::worker
