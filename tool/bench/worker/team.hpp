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

/// The passes of a measurement; the figure is the median.
struct passes {
    std::size_t count = 5;
    bool warm_up = true; ///< one pass more, the first, that is not measured
};
/// One pass that nothing has warmed.
inline constexpr passes one_cold_pass{1, false};

/// What runs the passes of one thread of a team, given what one pass does with so many operations.
using run_passes = std::function<void(const std::function<void(std::size_t)>& body)>;

/// Calls `work` on `threads` threads at once, each on a CPU of its own; it calls what it is given once, which starts each pass on
/// all threads together. A pass has so many operations of each thread. Returns ticks an operation of a thread (the median of the
/// passes) and page faults an operation; `least_share` becomes the least share of its CPU that a helper had.
phase measure_team(std::string name, unsigned threads, std::size_t operations, passes how,
                   double& least_share, const std::function<void(const run_passes&)>& work);

/// Runs `make()(operations)` for each pass. `make` runs on its thread, so that a body may hold what belongs to the thread.
template <class Make>
phase measure_passes(std::string name, unsigned threads, std::size_t operations, double& least_share,
                     const Make& make, passes how = {}) {
    return measure_team(std::move(name), threads, operations, how, least_share, [&](const run_passes& run) {
        auto body = make();
        run([&](std::size_t n) { body(n); });
    });
}

/// The same as a phase of the result.
template <class Make>
void add_passes(outcome& result, std::string name, unsigned threads, std::size_t operations, const Make& make,
                passes how = {}) {
    result.phases.push_back(
        measure_passes(std::move(name), threads, operations, result.cpu_share, make, how));
}

/// The ticks of so many nanoseconds at the usual work, to about a percent: enough to bound the time of a size.
inline double rough_ticks(const options& o, double ns) {
    const std::uint64_t begin_ns = now_ns();
    const std::uint64_t begin = ticks();
    std::uint64_t end_ns = begin_ns;
    while (end_ns - begin_ns < 200'000) {
        end_ns = now_ns();
    }
    return ns * static_cast<double>(o.work) / 100 * static_cast<double>(ticks() - begin) /
           static_cast<double>(end_ns - begin_ns);
}

/// How many pairs a pass has: `wanted`, or as many as fit when all passes together may take `bound` ticks. The pairs
/// that find this out also warm the allocator up. A thread that had to wait for its CPU must not pass for a slow
/// allocator, so the least of several tries counts.
template <class Make>
std::size_t fitting_pairs(unsigned threads, std::size_t wanted, double bound, const Make& make) {
    constexpr double all_passes = passes{}.count + 1;
    constexpr int tries = 4; // after the first
    double ignored = 1;
    for (std::size_t pairs = 1;; pairs *= 8) {
        const auto try_once = [&] {
            return measure_passes({}, threads, pairs, ignored, make, one_cold_pass).cycles_per_operation;
        };
        double each = try_once();
        // The first pair of all pays for memory that later ones reuse; a single one is believed only when it alone
        // takes up a good part of the time.
        const double enough = pairs == 1 ? bound / 4 : bound / 64;
        const auto is_enough = [&] { return each * static_cast<double>(pairs) >= enough; };
        for (int i = 0; i != tries && is_enough(); ++i) {
            each = std::min(each, try_once());
        }
        if (!is_enough() && pairs < wanted) {
            continue;
        }
        const double fitting = bound / all_passes / std::max(each, 1e-3);
        return fitting < static_cast<double>(wanted)
                   ? std::max<std::size_t>(1, static_cast<std::size_t>(fitting))
                   : wanted;
    }
}

} // namespace linn::tool::worker
