// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace linn::tool::worker {

/// Lets a waiting loop spin for a while and then offer the CPU to others, because two threads may share one.
class patience {
public:
    void wait() noexcept {
        if (++spins_ > 1'000)
            ::sched_yield();
#if defined(__x86_64__) || defined(__i386__)
        else
            __builtin_ia32_pause();
#endif
    }

private:
    unsigned spins_ = 0;
};

/// All threads leave `wait()` together, again and again.
class spin_barrier {
public:
    explicit spin_barrier(unsigned threads) noexcept : threads_{threads} {}

    void wait() noexcept {
        const unsigned turn = turn_.load(std::memory_order_relaxed);
        // acq_rel: what each thread did before is visible to all after.
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            turn_.store(turn + 1, std::memory_order_release);
            return;
        }
        for (patience p; turn_.load(std::memory_order_acquire) == turn;)
            p.wait();
    }

private:
    unsigned threads_;
    std::atomic<unsigned> arrived_{0};
    std::atomic<unsigned> turn_{0};
};

/// A second thread that only waits: the C library and `std::shared_ptr` then behave as in any program with threads.
class idle_thread {
public:
    idle_thread()
        : thread_{[this] {
              std::unique_lock lock{mutex_};
              end_.wait(lock, [this] { return ended_; });
          }} {}
    idle_thread(const idle_thread&) = delete;
    idle_thread& operator=(const idle_thread&) = delete;
    ~idle_thread() {
        {
            const std::lock_guard lock{mutex_};
            ended_ = true;
        }
        end_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable end_;
    bool ended_ = false;
    std::thread thread_;
};

/// Passes of a measurement; the figure is the median. One more, the first, warms up.
inline constexpr std::size_t usual_passes = 5;

/// What one pass of one thread took.
struct pass_time {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
};

/// Runs `make()(operations)` on `threads` threads at once, each on a CPU of its own, `warm_up` and then `Passes`
/// times. `make` runs on its thread, so that a body may hold what belongs to the thread. Returns ticks an operation of
/// a thread (the median of the passes) and page faults an operation; `least_share` becomes the least share of its
/// CPU that a helper had.
template <std::size_t Passes, class Make>
phase measure_team(std::string name, unsigned threads, std::size_t operations, bool warm_up,
                   double& least_share, const Make& make) {
    std::vector<std::array<pass_time, Passes>> times(threads);
    std::vector<double> shares(threads, 1.0);
    std::uint64_t faults = 0;
    spin_barrier barrier{threads};
    const auto member = [&](unsigned index) {
        auto body = make();
        barrier.wait();
        if (warm_up)
            body(operations);
        barrier.wait();
        if (index == 0)
            faults = page_faults();
        const std::uint64_t wall = now_ns();
        const std::uint64_t busy = cpu_ns();
        for (pass_time& pass : times[index]) {
            barrier.wait();
            pass.start = ticks();
            body(operations);
            pass.end = ticks();
        }
        shares[index] = static_cast<double>(cpu_ns() - busy) / static_cast<double>(now_ns() - wall);
        barrier.wait();
        if (index == 0)
            faults = page_faults() - faults;
        barrier.wait(); // nobody gives memory back while faults are counted
    };
    {
        std::vector<std::thread> helpers;
        for (unsigned index = 1; index < threads; ++index)
            helpers.emplace_back([&member, index] {
                pin_thread(index);
                member(index);
            });
        member(0);
        for (std::thread& t : helpers)
            t.join();
    }
    std::array<double, Passes> durations{};
    for (std::size_t p = 0; p != Passes; ++p) {
        pass_time whole = times[0][p];
        for (const auto& of_thread : times) {
            whole.start = std::min(whole.start, of_thread[p].start);
            whole.end = std::max(whole.end, of_thread[p].end);
        }
        durations[p] = static_cast<double>(whole.end - whole.start) / static_cast<double>(operations);
    }
    std::sort(durations.begin(), durations.end());
    for (unsigned index = 1; index < threads; ++index)
        least_share = std::min(least_share, shares[index]);
    const double all = static_cast<double>(operations * Passes * threads);
    return {std::move(name), durations[Passes / 2], static_cast<double>(faults) / all, {}};
}

/// The usual measurement: one warming pass, and the median of five.
template <class Make>
phase measure_passes(std::string name, unsigned threads, std::size_t operations, double& least_share,
                     const Make& make) {
    return measure_team<usual_passes>(std::move(name), threads, operations, true, least_share, make);
}

/// One pass that nothing has warmed.
template <class Make>
phase measure_once(std::string name, unsigned threads, std::size_t operations, double& least_share,
                   const Make& make) {
    return measure_team<1>(std::move(name), threads, operations, false, least_share, make);
}

} // namespace linn::tool::worker
