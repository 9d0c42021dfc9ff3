// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/workload.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory_resource>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace linn::bench::memory_resource {

void run_linn(sampler& s);
void run_linn_over_upstream(sampler& s);
void run_unsynchronized(sampler& s);
void run_synchronized(sampler& s);
void run_general(sampler& s);

/// Loads, each with one thread and with two that share the resource. "one map, then gone" makes a resource, fills
/// a small map and lets both go: what a resource costs that does not live long.
inline constexpr const char* loads[] = {"mixed pair",    "mixed 1000", "mixed 100k",  "map 10k",
                                        "unordered 10k", "list 10k",   "strings 1000"};
inline constexpr std::size_t load_count = std::size(loads);
inline constexpr const char* short_lived = "one map of 100, then gone";

inline std::string cell_of(std::size_t load, int threads) {
    return std::string{loads[load]} + (threads == 1 ? ", 1 thread" : ", 2 threads");
}

/// Sizes as programs with nodes and strings have them: most below 100 bytes, some up to 2 KiB.
inline constexpr std::size_t size_count = 1024;
struct mixed_sizes {
    mixed_sizes() noexcept {
        random_numbers random{5};
        for (std::size_t& n : bytes) {
            const std::size_t kind = random.below(20);
            n = kind < 14   ? 8 + random.below(88)
                : kind < 19 ? 96 + random.below(400)
                            : 500 + random.below(1548);
        }
    }
    std::size_t bytes[size_count];
};

/// Takes `n` blocks and gives them back, first in first out, `rounds` times.
[[gnu::noinline]] inline void mixed(std::pmr::memory_resource& r, void** live, std::size_t n,
                                    std::size_t rounds) {
    static const mixed_sizes sizes;
    for (std::size_t k = 0; k != rounds; ++k) {
        for (std::size_t i = 0; i != n; ++i) {
            live[i] = r.allocate(sizes.bytes[(i + k) % size_count], alignof(void*));
            escape(live[i]);
        }
        for (std::size_t i = 0; i != n; ++i) {
            r.deallocate(live[i], sizes.bytes[(i + k) % size_count], alignof(void*));
            escape(live);
        }
    }
}

/// Inserts `n` and erases them one by one, over and over on one container.
template <class Container, class Insert>
void fill_and_empty(Container& c, std::size_t n, std::size_t rounds, Insert insert) {
    for (std::size_t k = 0; k != rounds; ++k) {
        for (std::size_t i = 0; i != n; ++i) {
            insert(c, static_cast<int>(i * 7919 % 10'007));
        }
        while (!c.empty()) {
            c.erase(c.begin());
        }
        escape(&c);
    }
}

/// One thread's share of a load. @returns operations done
inline std::size_t run_load(std::pmr::memory_resource& r, std::size_t load, void** live, bool quick) {
    const std::size_t scale = quick ? 1 : 20;
    const auto emplace = [](auto& c, int key) { c.emplace(key, key); };
    switch (load) {
    case 0:
        mixed(r, live, 1, 20'000 * scale);
        return 20'000 * scale;
    case 1:
        mixed(r, live, 1'000, 20 * scale);
        return 20'000 * scale;
    case 2:
        mixed(r, live, 100'000, quick ? 1 : 4);
        return quick ? 100'000 : 400'000;
    case 3: {
        std::pmr::map<int, int> c{&r};
        fill_and_empty(c, 10'000, quick ? 1 : 10, emplace);
        return quick ? 10'000 : 100'000;
    }
    case 4: {
        std::pmr::unordered_map<int, int> c{&r};
        fill_and_empty(c, 10'000, quick ? 1 : 10, emplace);
        return quick ? 10'000 : 100'000;
    }
    case 5: {
        std::pmr::list<int> c{&r};
        fill_and_empty(c, 10'000, scale, [](auto& l, int key) { l.push_back(key); });
        return 10'000 * scale;
    }
    default: {
        static const mixed_sizes sizes;
        for (std::size_t k = 0; k != scale; ++k) {
            std::pmr::vector<std::pmr::string> c{&r};
            for (std::size_t i = 0; i != 1'000; ++i) {
                c.emplace_back(sizes.bytes[i], 'x');
            }
            escape(c.data());
        }
        return 1'000 * scale;
    }
    }
}

/// Two threads at once on one resource. @returns ticks of a core an operation: the same as one thread's
/// where they do not disturb each other
inline double two_threads(std::pmr::memory_resource& r, std::size_t load, array<void*> (&live)[2],
                          bool quick) {
    std::atomic<int> missing{2};
    std::uint64_t start[2];
    std::uint64_t end[2];
    std::size_t done[2];
    const auto work = [&](int t) {
        missing.fetch_sub(1);
        while (missing.load() != 0) {
            std::this_thread::yield();
        }
        start[t] = ticks();
        done[t] = run_load(r, load, live[t].begin(), quick);
        end[t] = ticks();
    };
    std::thread other{work, 1};
    work(0);
    other.join();
    return static_cast<double>((end[0] - start[0]) + (end[1] - start[1])) /
           static_cast<double>(done[0] + done[1]);
}

/// Every load on one resource. `Make` gives a memory_resource that is made here; `shared`: whether two threads
/// may use it at once.
template <class Make>
void measure(sampler& s, bool shared, Make make) {
    array<void*> live[2] = {array<void*>{100'000}, array<void*>{100'000}};
    auto resource = make();
    for (int sample = 0; sample != (s.quick() ? 1 : 3); ++sample) {
        for (std::size_t load = 0; load != load_count; ++load) {
            run_load(*resource, load, live[0].begin(), true);
            std::size_t done = 0;
            const double all =
                time_of(1, [&] { done = run_load(*resource, load, live[0].begin(), s.quick()); });
            s.add(cell_of(load, 1).c_str(), all / static_cast<double>(done));
        }
        const std::size_t times = s.quick() ? 10 : 500;
        s.add(short_lived, time_of(times * 100, [&] {
                  for (std::size_t i = 0; i != times; ++i) {
                      auto mine = make();
                      std::pmr::map<int, int> c{&*mine};
                      for (int key = 0; key != 100; ++key) {
                          c.emplace(key, key);
                      }
                  }
              }));
    }
    for (int sample = 0; shared && sample != (s.quick() ? 1 : 3); ++sample) {
        for (std::size_t load = 0; load != load_count; ++load) {
            s.add(cell_of(load, 2).c_str(), two_threads(*resource, load, live, s.quick()));
        }
    }
}

} // namespace linn::bench::memory_resource
