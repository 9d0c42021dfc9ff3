// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_THREADS_HPP
#define LINN_TESTS_SUPPORT_THREADS_HPP

#include <atomic>
#include <thread>
#include <type_traits>
#include <vector>

namespace linn_test {

/// Gives the processor to others until `holds()`.
template <class Condition>
void wait_until(const Condition& holds) {
    while (!holds()) {
        std::this_thread::yield();
    }
}

inline void wait_until(const std::atomic<bool>& flag) {
    wait_until([&flag] { return flag.load(); });
}

template <class Threads>
void join_all(Threads& threads) {
    for (std::thread& t : threads) {
        t.join();
    }
}

/// Runs `work()`, or `work(i)` with the number of the thread, in so many threads, until all have ended.
template <class Number, class Work>
void in_threads(Number threads, const Work& work) {
    std::vector<std::thread> all;
    for (Number i = 0; i != threads; ++i) {
        if constexpr (std::is_invocable_v<const Work&, Number>) {
            all.emplace_back([&work, i] { work(i); });
        } else {
            all.emplace_back([&work] { work(); });
        }
    }
    join_all(all);
}

} // namespace linn_test

#endif
