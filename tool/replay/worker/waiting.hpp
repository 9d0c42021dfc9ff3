// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../measure/ticks.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace linn::tool::worker {

inline std::uint64_t clock_ns(clockid_t clock) noexcept {
    std::timespec t{};
    ::clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// What a stream spent on waiting for others. It is not work of the allocator, so it is subtracted.
struct waiting_time {
    std::uint64_t cpu_ns = 0;
    std::uint64_t waits = 0;

    /// Waits until `done()`; first on the CPU, then giving it up, in the end asleep.
    template <class Done>
    [[gnu::noinline]] void wait_until(Done done) noexcept {
        ++waits;
        // The clock of the thread costs as much as a short wait, so that one is measured by the counter that costs
        // nothing. An interruption of this thread must not be taken for waiting.
        constexpr std::uint64_t short_ns = 2'000;
        const std::uint64_t start = now_ns();
        std::uint64_t now = start;
        while (!done()) {
            pause();
            now = now_ns();
            if (now - start > short_ns) {
                break;
            }
        }
        cpu_ns += std::min(now - start, short_ns);
        if (now - start <= short_ns) {
            return;
        }
        const std::uint64_t busy = clock_ns(CLOCK_THREAD_CPUTIME_ID);
        constexpr unsigned yields = 200;
        constexpr long longest_sleep_ns = 1'000'000;
        std::timespec sleep{0, 20'000};
        for (unsigned turn = 0; !done(); ++turn) {
            if (turn < yields) {
                ::sched_yield();
                continue;
            }
            ::nanosleep(&sleep, nullptr);
            sleep.tv_nsec = std::min(sleep.tv_nsec * 2, longest_sleep_ns);
        }
        cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - busy;
    }

private:
    static void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
};

} // namespace linn::tool::worker
