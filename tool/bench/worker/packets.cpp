// SPDX-License-Identifier: Apache-2.0
// The scenarios shared-ptr and pipeline: ways to hold a packet.
#include "measure.hpp"
#include "works.hpp"

#include <array>
#include <cstring>
#include <mutex>

namespace linn::tool::worker {
namespace {

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
    /// Room for a packet of 1.5 KB and a control block.
    static constexpr std::size_t block_bytes = 1'600;

    /// The process's one pool with that lock.
    static locked_pool& shared() {
        static locked_pool& pool = *new locked_pool;
        return pool;
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
    locked_pool() {
        constexpr std::size_t blocks = 4'096;
        free_.reserve(blocks);
        while (free_.size() != blocks) {
            free_.push_back(::operator new(block_bytes));
        }
    }

    Lock lock_;
    std::vector<void*> free_;
};

/// The allocator over the same pool, for `std::allocate_shared`.
template <class Lock>
struct locked_source {
    template <class T>
    static void* take() {
        static_assert(sizeof(T) <= locked_pool<Lock>::block_bytes);
        return locked_pool<Lock>::shared().pop();
    }
    template <class T>
    static void give(void* p) noexcept {
        locked_pool<Lock>::shared().push(p);
    }
};

/// Two general allocations, for the packet and for the control block.
constexpr auto with_new = []<class T> { return [] { return std::shared_ptr<T>(new T); }; };

constexpr auto new_delete = []<class T> { return [] { return std::make_unique<T>(); }; };

template <class Lock>
struct pushes {
    void operator()(packet* p) const noexcept { locked_pool<Lock>::shared().push(p); }
};
template <class Lock>
constexpr auto from_pool = []<class T> {
    return [] { return std::unique_ptr<T, pushes<Lock>>{::new (locked_pool<Lock>::shared().pop()) T}; };
};

/// The packet from the pool, the control block by a small general allocation.
template <class Lock>
constexpr auto with_pool = []<class T> {
    return [] { return std::shared_ptr<T>(::new (locked_pool<Lock>::shared().pop()) T, pushes<Lock>{}); };
};
/// Packet and control block in one block of the pool.
template <class Lock>
constexpr auto allocate_shared = []<class T> {
    return [] { return std::allocate_shared<T>(source_allocator<T, locked_source<Lock>>{}); };
};

constexpr auto linn_pool = []<class T> { return [] { return linn::make_unique<T>(); }; };

/// The scenario shared-ptr for one way of making a packet: hot and in bursts, in a process with one thread, in one with an idle second
/// thread, and with two threads that really work.
template <auto Way, class T = packet>
outcome run_shared_ptr(const options& o) {
    const std::size_t operations = (o.scaled(40'960) + burst - 1) / burst * burst;
    outcome result;
    result.work_check = operations;
    const auto add = [&](const std::string& state, unsigned threads) {
        add_passes(result, state + "_hot", threads, operations, hot<Way, T>);
        add_passes(result, state + "_burst", threads, operations, bursts<Way, T>);
    };
    add("single", 1);
    const std::jthread second = start_idle_thread();
    add("multi", 1);
    add("two", 2);
    return result;
}

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

/// Frames of 64 bytes on 10 Gbit/s, preamble and gap included: 10^10 / (84 * 8).
constexpr double line_rate = 14.88e6;

constexpr std::size_t ring_capacity = 1'024;
constexpr std::size_t receive_burst = 32; // what drivers hand over at once

/// One thread receives: takes a packet, fills a header and a few lines, pushes it. The other processes: reads them and
/// lets the packet go. `ticks_a_packet` 0: as fast as it goes; else frames arrive at that pace, in bursts. Adds the phase to the result,
/// where each run must find the same checksum.
template <auto Way, class T>
void run_packets(outcome& result, std::string name, std::size_t packets, double ticks_a_packet) {
    const auto make = Way.template operator()<T>();
    using handle = decltype(make());
    const auto queue = std::make_unique<ring<handle, ring_capacity>>();
    double receiver_idle = 0; // share of its time with the ring full or the next frames not there yet
    double worker_idle = 0;   // share of its time with the ring empty
    std::uint64_t checksum = 0;

    const auto work = [&](std::size_t) {
        const std::uint64_t start = ticks();
        std::uint64_t sum = 0;
        std::uint64_t waited = 0;
        for (std::size_t done = 0; done != packets;) {
            std::size_t n = queue->filled(receive_burst);
            if (n == 0) {
                const std::uint64_t since = ticks();
                for (patience p; (n = queue->filled(receive_burst)) == 0;) {
                    p.wait();
                }
                waited += ticks() - since;
            }
            for (std::size_t i = 0; i != n; ++i) {
                const handle h = queue->pop();
                std::uint64_t word = 0;
                for (const std::size_t at : {std::size_t{0}, std::size_t{56}, std::size_t{120}}) {
                    std::memcpy(&word, h->data + at, sizeof word);
                    sum += word;
                }
                sum += h->length;
            }
            queue->publish_popped();
            done += n;
        }
        worker_idle = static_cast<double>(waited) / static_cast<double>(ticks() - start);
        checksum = sum;
    };
    const auto receive = [&](std::size_t) {
        std::array<std::byte, 64> header{};
        const std::uint64_t start = ticks();
        std::uint64_t waited = 0;
        for (std::size_t sent = 0; sent != packets;) {
            const std::size_t wanted = packets - sent < receive_burst ? packets - sent : receive_burst;
            // A burst is there when its last frame is.
            const std::uint64_t due =
                start + static_cast<std::uint64_t>(ticks_a_packet * static_cast<double>(sent + wanted));
            std::size_t n = queue->room(wanted);
            std::uint64_t now = ticks_a_packet != 0 || n == 0 ? ticks() : due;
            if (n == 0 || now < due) {
                const std::uint64_t since = now;
                for (patience p; (n = queue->room(wanted)) == 0 || now < due; now = ticks()) {
                    p.wait();
                }
                waited += ticks() - since;
            }
            for (std::size_t i = 0; i != n; ++i) {
                handle h = make();
                h->length = sent + i;
                std::memcpy(&header, &h->length, sizeof h->length);
                std::memcpy(h->data, header.data(), header.size());
                std::memset(h->data + 64, 1, 64);
                queue->push(std::move(h));
            }
            queue->publish_pushed();
            sent += n;
        }
        receiver_idle = static_cast<double>(waited) / static_cast<double>(ticks() - start);
    };
    // This thread receives in every process: some allocators serve the first thread in another way than the others.
    const auto side = [&, first = std::this_thread::get_id()]() -> std::function<void(std::size_t)> {
        if (std::this_thread::get_id() == first) {
            return receive;
        }
        return work;
    };
    add_passes(result, std::move(name), 2, packets, side, one_cold_pass);
    result.phases.back().faults_per_operation *= 2; // the threads share the packets
    result.phases.back().metrics = {{"receiver_idle", receiver_idle}, {"worker_idle", worker_idle}};
    if (result.work_check != 0 && result.work_check != checksum) {
        result.error = "packets were lost or changed on the way";
    }
    result.work_check = checksum;
}

/// The scenario pipeline for one way of holding a packet: flat out, then at the line rate of 10 Gbit/s.
template <auto Way, class T = packet>
outcome run_pipeline(const options& o) {
    const std::size_t packets = o.scaled(600'000);
    outcome warm_up;
    run_packets<Way, T>(warm_up, {}, packets / 4 + 1, 0);
    outcome result;
    run_packets<Way, T>(result, "flat_out", packets, 0);
    run_packets<Way, T>(result, "line_rate", packets, ticks_per_ns() * 1e9 / line_rate);
    return result;
}

constexpr variant all[] = {
    {"shared-ptr", "make_shared", &run_shared_ptr<std_make_shared>},
    // As most programs write it: without a constructor the packet is filled with zeros first.
    {"shared-ptr", "make_shared_filled", &run_shared_ptr<std_make_shared, plain_packet>},
    {"shared-ptr", "shared_ptr_with_new", &run_shared_ptr<with_new>},
    {"shared-ptr", "new_delete", &run_shared_ptr<new_delete>},
    {"shared-ptr", "shared_ptr_with_pool", &run_shared_ptr<with_pool<std::mutex>>},
    {"shared-ptr", "allocate_shared", &run_shared_ptr<allocate_shared<std::mutex>>},
    {"shared-ptr", "pool", &run_shared_ptr<from_pool<std::mutex>>},
    {"shared-ptr", "allocate_shared_spin", &run_shared_ptr<allocate_shared<spin_lock>>},
    {"shared-ptr", "pool_spin", &run_shared_ptr<from_pool<spin_lock>>},
    {"shared-ptr", "linn_make_shared", &run_shared_ptr<linn_make_shared>},
    {"shared-ptr", "linn_make_shared_for_overwrite", &run_shared_ptr<linn_for_overwrite, plain_packet>},
    {"shared-ptr", "linn_allocate_shared", &run_shared_ptr<linn_allocate_shared>},
    {"shared-ptr", "linn_recycler_shared", &run_shared_ptr<linn_recycler_shared>},
    {"shared-ptr", "linn_recycler", &run_shared_ptr<linn_recycler>},
    {"shared-ptr", "linn_pool", &run_shared_ptr<linn_pool>},
    {"pipeline", "make_shared", &run_pipeline<std_make_shared>},
    {"pipeline", "allocate_shared", &run_pipeline<allocate_shared<std::mutex>>},
    {"pipeline", "allocate_shared_spin", &run_pipeline<allocate_shared<spin_lock>>},
    {"pipeline", "linn_make_shared", &run_pipeline<linn_make_shared>},
    {"pipeline", "linn_make_shared_for_overwrite", &run_pipeline<linn_for_overwrite, plain_packet>},
    {"pipeline", "linn_allocate_shared", &run_pipeline<linn_allocate_shared>},
    {"pipeline", "linn_recycler_shared", &run_pipeline<linn_recycler_shared>},
};

const variants here{all};

} // namespace
} // namespace linn::tool::worker
