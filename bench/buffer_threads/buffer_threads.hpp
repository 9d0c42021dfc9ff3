// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/two_threads.hpp"
#include "support/workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

namespace linn::bench::buffer_threads {

void run_linn(sampler& s);
void run_general(sampler& s);

inline constexpr std::size_t sizes[] = {std::size_t{64} << 10,  std::size_t{128} << 10,
                                        std::size_t{256} << 10, std::size_t{512} << 10,
                                        std::size_t{1} << 20,   std::size_t{8} << 20};
/// Buffers that a thread has at the same time.
inline constexpr std::size_t held[] = {1, 4};

/// The least time that a sample may take, so that starting its threads does not show.
inline constexpr double least_ns = 2e6;

inline std::string cell(std::size_t bytes, std::size_t at_once, int threads) {
    const std::string size = bytes < (std::size_t{1} << 20) ? std::to_string(bytes >> 10) + "K"
                                                            : std::to_string(bytes >> 20) + "M";
    return (at_once == 1 ? "" : std::to_string(at_once) + "x") + size + ", " + std::to_string(threads);
}

/// `Storage` is made with a size; `take()` gives an owner, and `data(owner)` its memory.
template <class Storage>
class loop {
public:
    explicit loop(std::size_t bytes) : from_{bytes} {}

    [[gnu::noinline]] void one(std::size_t n) {
        for (std::size_t i = 0; i != n; ++i) {
            auto owner = from_.take();
            escape(Storage::data(owner));
        }
    }
    [[gnu::noinline]] void four(std::size_t n) {
        for (std::size_t i = 0; i < n; i += 4) {
            auto a = from_.take();
            escape(Storage::data(a));
            auto b = from_.take();
            escape(Storage::data(b));
            auto c = from_.take();
            escape(Storage::data(c));
            auto d = from_.take();
            escape(Storage::data(d));
        }
    }
    void run(std::size_t at_once, std::size_t n) { at_once == 1 ? one(n) : four(n); }

private:
    Storage from_;
};

/// Nothing is written: what is measured is the allocator, not the memory.
template <class Storage>
void measure(sampler& s) {
    // Sleeps until the end: the process has two threads, or the C library leaves its locks out.
    std::atomic<bool> over{false};
    std::thread idle{[&] { over.wait(false); }};
    const int samples = s.quick() ? 1 : 9;
    for (const std::size_t bytes : sizes) {
        for (const std::size_t at_once : held) {
            loop<Storage> work{bytes};
            work.run(at_once, 64);
            const std::uint64_t start = now_ns();
            work.run(at_once, 64);
            const double each = static_cast<double>(std::max<std::uint64_t>(now_ns() - start, 1)) / 64;
            const std::size_t most = s.quick() ? 512 : 200'000;
            const std::size_t n =
                std::clamp<std::size_t>(static_cast<std::size_t>(least_ns / each), 64, most) / 4 * 4;
            for (int i = 0; i != samples; ++i) {
                s.add(cell(bytes, at_once, 1).c_str(), time_of(n, [&] { work.run(at_once, n); }));
                s.add(cell(bytes, at_once, 2).c_str(),
                      time_of_two(n, [&](std::size_t count) { work.run(at_once, count); }));
            }
        }
    }
    over = true;
    over.notify_all();
    idle.join();
}

} // namespace linn::bench::buffer_threads
