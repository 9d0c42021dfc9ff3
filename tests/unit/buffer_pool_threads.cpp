// SPDX-License-Identifier: Apache-2.0
// Promises of buffer_pool to threads that acquire and release at the same time: they do not meet, no more than `retain_bytes`
// stay idle, and the numbers are exact once they are done. That an idle buffer is found wherever it is: tests/model.
//
// Breaks when a thread takes the lock for a buffer that it has just given back.
#include "unit.hpp"

#include <linn/buffer_pool.hpp>

#include <barrier>

namespace buffer_pool_threads_tests {

constexpr std::size_t bytes = 64 * 1024;

/// Runs `first` on another thread, then `second` on this one, and ends the thread after that: what it caches is there.
template <class First, class Second>
void while_a_thread_sits(First&& first, Second&& second) {
    std::barrier step{2};
    std::thread other{[&] {
        first();
        step.arrive_and_wait();
        step.arrive_and_wait();
    }};
    step.arrive_and_wait();
    second();
    step.arrive_and_wait();
    other.join();
}

std::vector<linn::buffer> several(linn::buffer_pool& pool, std::size_t n) {
    std::vector<linn::buffer> all;
    for (std::size_t i = 0; i < n; ++i) {
        all.push_back(pool.acquire());
    }
    return all;
}

TEST_CASE("buffer_pool: threads with one or a few buffers each do not meet") {
    constexpr int threads = 4;
    linn::buffer_pool pool{bytes};
    pool.reserve(3 * threads);
    std::atomic<std::size_t> before{0};
    std::barrier step{threads, [&]() noexcept { before = pool.statistics().depot_visits; }};
    std::barrier end{threads};
    std::atomic<std::size_t> after{0};
    linn_test::in_threads(threads, [&] {
        several(pool, 3).clear();
        several(pool, 3).clear();
        step.arrive_and_wait(); // each has its three
        for (int i = 0; i < 1000; ++i) {
            several(pool, 1 + static_cast<std::size_t>(i) % 3).clear();
        }
        end.arrive_and_wait();
        after = pool.statistics().depot_visits;
    });
    CHECK(after.load() == before.load());
    const auto s = pool.statistics();
    CHECK(s.acquired == threads * (6 + 1999));
    CHECK(s.live == 0);
    CHECK(s.mappings == 3 * threads);
    CHECK(s.cached == 3 * threads);
    CHECK(s.peak <= 3 * threads);
}

TEST_CASE(
    "buffer_pool: room that a thread reserved is there for another; no more than the retention is idle") {
    constexpr std::size_t retained = 12;
    linn::buffer_pool pool{bytes, {.retain_bytes = retained * bytes}};
    while_a_thread_sits(
        [&] {
            several(pool, 3).clear(); // it caches
        },
        [&] {
            several(pool, retained + 5).clear();
            CHECK(pool.statistics().cached == retained);
            CHECK(pool.statistics().live == 0);
            CHECK(pool.statistics().slabs == retained);
        });
    several(pool, retained + 1).clear();
    CHECK(pool.statistics().cached == retained);
}

} // namespace buffer_pool_threads_tests
