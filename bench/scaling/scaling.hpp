// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

namespace linn::bench::scaling {

void run_linn(sampler& s);
void run_general(sampler& s);

inline constexpr std::size_t thread_counts[] = {1, 2, 4, 8, 16};
/// More than two magazines of the pool hold, so that batches go through the depot.
inline constexpr std::size_t batch = 1'000;

/// The cell of a load at a number of threads: "hot pair, 4 threads".
inline std::string cell_of(const char* load, std::size_t threads) {
    return std::string{load} + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}
inline constexpr const char* loads[] = {"hot pair", "batch 1000", "hand over 1000"};

/// Threads that begin together. Nobody spins for long: there are more threads than cores.
class starting_line {
public:
    explicit starting_line(std::size_t threads) noexcept : missing_{threads} {}
    void wait() noexcept {
        missing_.fetch_sub(1, std::memory_order_acq_rel);
        while (missing_.load(std::memory_order_acquire) != 0) {
            std::this_thread::yield();
        }
    }

private:
    std::atomic<std::size_t> missing_;
};

/// One place for a batch on its way to the next thread.
struct alignas(128) mailbox {
    std::atomic<node**> batch{nullptr};

    void post(node** b) noexcept {
        while (batch.load(std::memory_order_acquire) != nullptr) {
            std::this_thread::yield();
        }
        batch.store(b, std::memory_order_release);
    }
    node** receive() noexcept {
        node** b = nullptr;
        while ((b = batch.load(std::memory_order_acquire)) == nullptr) {
            std::this_thread::yield();
        }
        batch.store(nullptr, std::memory_order_release);
        return b;
    }
};

template <class Storage>
[[gnu::noinline]] void hot_pairs(std::size_t pairs) {
    for (std::size_t i = 0; i != pairs; ++i) {
        node* p = Storage::take();
        escape(p);
        Storage::give(p);
    }
}

template <class Storage>
[[gnu::noinline]] void take_batch(node** live) {
    for (std::size_t i = 0; i != batch; ++i) {
        live[i] = Storage::take();
        escape(live[i]);
    }
}

template <class Storage>
[[gnu::noinline]] void give_batch(node** live) {
    for (std::size_t i = 0; i != batch; ++i) {
        Storage::give(live[i]);
        escape(live);
    }
}

/// Runs `work(thread)` on each thread at once. The cost of a pair on the cores that the threads could use:
/// the same number at any thread count means perfect scaling, also where threads outnumber cores.
template <class Work>
double ticks_a_pair(std::size_t threads, std::size_t pairs, Work work) {
    starting_line line{threads};
    std::vector<std::uint64_t> start(threads);
    std::vector<std::uint64_t> end(threads);
    std::vector<std::thread> team;
    for (std::size_t t = 0; t != threads; ++t) {
        team.emplace_back([&, t] {
            line.wait();
            start[t] = ticks();
            work(t);
            end[t] = ticks();
        });
    }
    for (std::thread& member : team) {
        member.join();
    }
    const std::uint64_t wall =
        *std::max_element(end.begin(), end.end()) - *std::min_element(start.begin(), start.end());
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    return static_cast<double>(wall * std::min(threads, cores)) / static_cast<double>(threads * pairs);
}

/// Each thread takes a batch, hands it to the next one and frees the one it gets. A team of one hands to itself.
template <class Storage>
double hand_over(std::size_t threads, std::size_t batches) {
    std::vector<mailbox> boxes(threads);
    array<node*> buffers{threads * batch};
    return ticks_a_pair(threads, batches * batch, [&](std::size_t t) {
        node** mine = buffers.begin() + t * batch;
        for (std::size_t b = 0; b != batches; ++b) {
            take_batch<Storage>(mine);
            boxes[(t + 1) % threads].post(mine);
            mine = boxes[t].receive();
            give_batch<Storage>(mine);
        }
    });
}

/// What the pool counted during one load, for a note; nothing for allocators.
struct no_counts {
    void begin() noexcept {}
    void end(sampler&, const std::string&) noexcept {}
};

template <class Storage, class Counts = no_counts>
void measure(sampler& s) {
    const std::size_t pairs = s.quick() ? 20'000 : 8'000'000;
    Counts counts;
    for (const std::size_t threads : thread_counts) {
        // The same total work at every count, or 16 threads would take eight times as long.
        const std::size_t each = pairs / std::max<std::size_t>(threads, 2);
        const std::string hot = cell_of(loads[0], threads);
        counts.begin();
        s.add(hot.c_str(), ticks_a_pair(threads, each, [&](std::size_t) { hot_pairs<Storage>(each); }));
        counts.end(s, hot);
        array<node*> buffers{threads * batch};
        const std::size_t batches = each / batch;
        const std::string batched = cell_of(loads[1], threads);
        counts.begin();
        s.add(batched.c_str(), ticks_a_pair(threads, batches * batch, [&](std::size_t t) {
                  for (std::size_t b = 0; b != batches; ++b) {
                      take_batch<Storage>(buffers.begin() + t * batch);
                      give_batch<Storage>(buffers.begin() + t * batch);
                  }
              }));
        counts.end(s, batched);
        const std::string handed = cell_of(loads[2], threads);
        counts.begin();
        s.add(handed.c_str(), hand_over<Storage>(threads, std::max<std::size_t>(batches / 4, 1)));
        counts.end(s, handed);
    }
}

} // namespace linn::bench::scaling
