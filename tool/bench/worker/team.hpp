// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>

namespace linn::tool::worker {

/// Lets a waiting loop spin for a while and then offer the CPU to others, because two threads may share one.
class patience {
public:
    void wait() noexcept {
        if (++spins_ > 1'000) {
            ::sched_yield();
        }
#if defined(__x86_64__) || defined(__i386__)
        else {
            __builtin_ia32_pause();
        }
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
        for (patience p; turn_.load(std::memory_order_acquire) == turn;) {
            p.wait();
        }
    }

private:
    unsigned threads_;
    std::atomic<unsigned> arrived_{0};
    std::atomic<unsigned> turn_{0};
};

/// A second thread that only waits: the C library and `std::shared_ptr` then behave as in any program with threads.
class idle_thread {
public:
    idle_thread() : thread_{[this] { ends_.wait(false); }} {}
    idle_thread(const idle_thread&) = delete;
    idle_thread& operator=(const idle_thread&) = delete;
    ~idle_thread() {
        ends_.test_and_set();
        ends_.notify_one();
        thread_.join();
    }

private:
    std::atomic_flag ends_;
    std::thread thread_;
};

/// Passes of a measurement; the figure is the median. One more, the first, warms up.
inline constexpr std::size_t usual_passes = 5;

/// What a team does.
struct team_plan {
    std::string name; ///< of the phase
    unsigned threads;
    std::size_t operations; ///< of each thread in a pass
    std::size_t passes;
    bool warm_up; ///< one pass more, that is not measured
};

/// What runs the passes of one thread of a team, given what one pass does with so many operations.
using run_passes = std::function<void(const std::function<void(std::size_t)>& body)>;

/// Calls `work` on `plan.threads` threads at once, each on a CPU of its own; it calls what it is given once, which starts each pass on
/// all threads together. Returns ticks an operation of a thread (the median of the passes) and page faults an operation;
/// `least_share` becomes the least share of its CPU that a helper had.
phase measure_team(team_plan plan, double& least_share, const std::function<void(const run_passes&)>& work);

/// Runs `make()(operations)` for each pass. `make` runs on its thread, so that a body may hold what belongs to the thread.
template <class Make>
phase measure_bodies(team_plan plan, double& least_share, const Make& make) {
    return measure_team(std::move(plan), least_share, [&](const run_passes& run) {
        auto body = make();
        run([&](std::size_t operations) { body(operations); });
    });
}

/// The usual measurement: one warming pass, and the median of five.
template <class Make>
phase measure_passes(std::string name, unsigned threads, std::size_t operations, double& least_share,
                     const Make& make) {
    return measure_bodies({std::move(name), threads, operations, usual_passes, true}, least_share, make);
}

/// The same as a phase of the result.
template <class Make>
void add_passes(outcome& result, std::string name, unsigned threads, std::size_t operations,
                const Make& make) {
    result.phases.push_back(measure_passes(std::move(name), threads, operations, result.cpu_share, make));
}

/// One pass that nothing has warmed.
template <class Make>
phase measure_once(std::string name, unsigned threads, std::size_t operations, double& least_share,
                   const Make& make) {
    return measure_bodies({std::move(name), threads, operations, 1, false}, least_share, make);
}

/// Ticks in a nanosecond, to about a percent: enough to bound the time of a size.
inline double rough_tick_rate() {
    const std::uint64_t begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    std::uint64_t end_ns = begin_ns;
    while (end_ns - begin_ns < 200'000) {
        end_ns = now_ns();
    }
    return static_cast<double>(ticks() - begin) / static_cast<double>(end_ns - begin_ns);
}

/// How many pairs a pass has: `wanted`, or as many as fit when all passes together may take `bound` ticks. The pairs
/// that find this out also warm the allocator up. A thread that had to wait for its CPU must not pass for a slow
/// allocator, so the least of several tries counts.
template <class Make>
std::size_t fitting_pairs(unsigned threads, std::size_t wanted, double bound, const Make& make) {
    constexpr double passes = usual_passes + 1;
    constexpr int tries = 4; // after the first
    double ignored = 1;
    for (std::size_t pairs = 1;; pairs *= 8) {
        double each = measure_once({}, threads, pairs, ignored, make).cycles_per_operation;
        // The first pair of all pays for memory that later ones reuse; a single one is believed only when it alone
        // takes up a good part of the time.
        const double enough = pairs == 1 ? bound / 4 : bound / 64;
        const auto is_enough = [&] { return each * static_cast<double>(pairs) >= enough; };
        for (int i = 0; i != tries && is_enough(); ++i) {
            each = std::min(each, measure_once({}, threads, pairs, ignored, make).cycles_per_operation);
        }
        if (!is_enough() && pairs < wanted) {
            continue;
        }
        const double fitting = bound / passes / std::max(each, 1e-3);
        return fitting < static_cast<double>(wanted)
                   ? std::max<std::size_t>(1, static_cast<std::size_t>(fitting))
                   : wanted;
    }
}

} // namespace linn::tool::worker
