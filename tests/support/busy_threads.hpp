// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_BUSY_THREADS_HPP
#define LINN_TESTS_SUPPORT_BUSY_THREADS_HPP

#include "process.hpp"

namespace linn_test {

/// Threads that work until the end of this object, and forks of the process while they do.
class busy_threads {
public:
    busy_threads() = default;
    busy_threads(const busy_threads&) = delete;
    busy_threads& operator=(const busy_threads&) = delete;
    ~busy_threads() { join(); }

    /// Starts a thread that calls `body()`, which works as long as goes_on(), and calls worked() after each piece.
    template <class Body>
    void start(Body body) {
        threads_.emplace_back([this, body]() mutable {
            ++started_;
            body();
        });
    }
    [[nodiscard]] bool goes_on() const noexcept { return !stop_.load(std::memory_order_relaxed); }
    void worked() noexcept { pieces_.fetch_add(1, std::memory_order_relaxed); }
    /// Until all threads together did so many more pieces.
    void wait_for(std::size_t pieces) const {
        const std::size_t then = pieces_;
        wait_until([&] { return pieces_ >= then + pieces; });
    }

    /// Forks so many times, each time after all threads together did so many more pieces; under a sanitizer `sanitized` times.
    /// @returns how often it forked
    template <class F>
    std::size_t fork(std::size_t times, std::size_t sanitized, std::size_t pieces, F&& in_the_child) {
        wait_until([this] { return started_ == threads_.size(); });
        const std::size_t forks = on_memcheck() ? 3 : asan || tsan ? sanitized : times;
        for (std::size_t i = 0; i != forks; ++i) {
            wait_for(pieces);
            check_forked(in_the_child);
        }
        return forks;
    }

    void join() {
        stop_ = true;
        join_all(threads_);
        threads_.clear();
    }

private:
    std::atomic<bool> stop_{false};
    std::atomic<std::size_t> started_{0};
    std::atomic<std::size_t> pieces_{0};
    std::vector<std::thread> threads_;
};

/// Forks while a thread is in `serve(wait)`, at its call of `wait()`, and calls `in_the_child` in the child.
template <class Serve, class F>
void check_forked_within(Serve serve, F&& in_the_child) {
    std::atomic<bool> ready{false};
    std::atomic<bool> over{false};
    std::thread other{[&] {
        serve([&] {
            ready = true;
            wait_until(over);
        });
    }};
    wait_until(ready);
    check_forked(in_the_child);
    over = true;
    other.join();
}

/// Forks while a thread that has called `before()` waits, and calls `in_the_child` in the child.
template <class Before, class F>
void check_forked_beside(Before before, F&& in_the_child) {
    check_forked_within(
        [&](auto&& wait) {
            before();
            wait();
        },
        in_the_child);
}

} // namespace linn_test

#endif
