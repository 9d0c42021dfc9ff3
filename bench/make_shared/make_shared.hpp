// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/measure.hpp"
#include "support/two_threads.hpp"
#include "support/workload.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <thread>

namespace linn::bench::make_shared {

void run_linn(sampler& s);
void run_pool_pair(sampler& s);
void run_general(sampler& s);
void run_no_trim(sampler& s);
void run_filled(sampler& s);

/// One Ethernet frame. No constructor: `packet()` fills it with zeros.
struct packet {
    unsigned length;
    unsigned char bytes[1500];
};

/// Pointers alive at once in a burst.
inline constexpr std::size_t burst = 256;

/// The state of the process while one thread works. As soon as a second thread was ever started, glibc's
/// malloc takes locks and libstdc++'s shared_ptr counts with locked instructions.
inline constexpr const char* hot_alone = "hot";
inline constexpr const char* burst_alone = "burst";
inline constexpr const char* hot_idle = "hot, idle thread";
inline constexpr const char* burst_idle = "burst, idle thread";
inline constexpr const char* hot_two = "hot, 2 threads";
inline constexpr const char* burst_two = "burst, 2 threads";

/// `Maker::make()` gives a pointer that owns a packet.
template <class Maker>
[[gnu::noinline]] void hot(std::size_t n) {
    for (std::size_t i = 0; i != n; ++i) {
        auto p = Maker::make();
        p->length = static_cast<unsigned>(i);
        escape(&*p);
    }
}

template <class Maker>
[[gnu::noinline]] void bursts(std::size_t n) {
    using pointer = decltype(Maker::make());
    alignas(pointer) unsigned char storage[burst * sizeof(pointer)];
    pointer* live = reinterpret_cast<pointer*>(storage);
    for (std::size_t done = 0; done < n; done += burst) {
        for (std::size_t i = 0; i != burst; ++i) {
            pointer* p = ::new (static_cast<void*>(live + i)) pointer(Maker::make());
            (*p)->length = static_cast<unsigned>(i);
            escape(&**p);
        }
        for (std::size_t i = 0; i != burst; ++i) {
            live[i].~pointer();
            escape(live);
        }
    }
}

/// Page faults so far. A burst that costs some is paid for by the system, not by the allocator.
inline long faults() noexcept {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

template <class Maker>
void measure_one_thread(sampler& s, const char* hot_cell, const char* burst_cell) {
    const std::size_t n = burst * (s.quick() ? 8 : 800);
    const int samples = s.quick() ? 1 : 7;
    hot<Maker>(n / 8);
    for (int i = 0; i != samples; ++i) {
        s.add(hot_cell, time_of(n, [&] { hot<Maker>(n); }));
    }
    bursts<Maker>(n / 8);
    const long before = faults();
    for (int i = 0; i != samples; ++i) {
        s.add(burst_cell, time_of(n, [&] { bursts<Maker>(n); }));
    }
    char text[96];
    std::snprintf(text, sizeof text, "%s: %.3f page faults a pointer", burst_cell,
                  static_cast<double>(faults() - before) / static_cast<double>(n) / samples);
    s.note(text);
}

template <class Maker>
void measure(sampler& s) {
    measure_one_thread<Maker>(s, hot_alone, burst_alone);
    // Sleeps until the end; from now on the process has two threads.
    std::atomic<bool> over{false};
    std::thread idle{[&] { over.wait(false); }};
    measure_one_thread<Maker>(s, hot_idle, burst_idle);
    const std::size_t n = burst * (s.quick() ? 8 : 800);
    for (int i = 0; i != (s.quick() ? 1 : 7); ++i) {
        s.add(hot_two, time_of_two(n, [](std::size_t count) { hot<Maker>(count); }));
        s.add(burst_two, time_of_two(n, [](std::size_t count) { bursts<Maker>(count); }));
    }
    over = true;
    over.notify_all();
    idle.join();
}

} // namespace linn::bench::make_shared
