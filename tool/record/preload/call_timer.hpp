// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../../interpose/raw.hpp"
#include "../../trace/event.hpp"

#include <cstdint>
#include <type_traits>

// What the allocator costs, and what recording does: of a random sample of the real calls, each alone, without what the hook does
// around it, and of a random sample of the events.
namespace linn::tool::preload {

/// How the next call of the sample is timed. Chosen before, so that next to nothing is done just before the call.
enum class call_reading : std::uint8_t {
    none,          ///< it is not
    plain,         ///< by the counter
    fenced,        ///< the same, with fences
    looked,        ///< not at all: its page faults and sleeps are counted
    nothing_plain, ///< a call of a function that does nothing is timed before: what the readings cost here
    nothing_fenced,
};

/// What a thread has; all zero at first.
struct call_timer {
    std::int32_t until; ///< calls until the next one that is timed; 0 and less: now
    std::int32_t held;  ///< `until`, while calls of the malloc family are part of an operator of the program
    std::uint32_t random; ///< state of the generator of distances; 0: not seeded
    std::uint32_t mean;   ///< calls that the next sample stands for
    std::uint32_t drawn;  ///< samples so far
    call_reading reading;
    std::uint64_t switches; ///< of the processor to another thread, when they were looked at last
    call_times untold;      ///< sums that are not in the ring's header yet
};

/// What the kernel has counted of a thread or a process.
struct kernel_counts {
    std::uint64_t faults;
    std::uint64_t sleeps;
    std::uint64_t switches; ///< of the processor to another thread
};

/// A call that is looked at.
struct call_look {
    kernel_counts before;
    std::uint64_t begun;
};

/// What the trace says of a timed call: that it belongs to the thread's next block, to its last release, or to none.
enum class timed_call : std::uint8_t { gets, releases, of_no_block };

/// The counter, read behind all work before and before all work behind.
[[gnu::always_inline]] inline std::uint64_t fenced_ticks() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_lfence();
    const std::uint64_t now = ticks();
    __builtin_ia32_lfence();
    return now;
#elif defined(__aarch64__)
    asm volatile("isb" ::: "memory");
    const std::uint64_t now = ticks();
    asm volatile("isb" ::: "memory");
    return now;
#else
    return ticks();
#endif
}
inline constexpr auto read_plain = []() __attribute__((always_inline)) { return ticks(); };
inline constexpr auto read_fenced = []() __attribute__((always_inline)) { return fenced_ticks(); };

/// Which calls are timed.
enum class call_choice : std::uint8_t {
    by_chance,
    surely, ///< each of its kind: the sample stands for itself alone
};

/// Measures what the readings take; once, before the first call is timed.
void calibrate_call_timer() noexcept;

/// Chooses the next sample; the first time, or while nothing is recorded.
void prepare_timer(call_timer& timer) noexcept;
/// `took`: between the readings. Chooses the next sample.
void end_call(call_timer& timer, call_reading reading, call_choice choice, std::uint64_t took,
              timed_call what) noexcept;
/// `took`: around a function that does nothing.
void end_nothing(call_timer& timer, call_reading reading, std::uint64_t took) noexcept;
call_look begin_look() noexcept;
void end_look(call_timer& timer, const call_look& look) noexcept;

inline bool is_held(const call_timer& timer) noexcept {
    return timer.until > INT32_MAX / 2;
}
/// No call is timed or counted until let_timer_go().
inline void hold_timer(call_timer& timer) noexcept {
    if (!is_held(timer)) {
        timer.held = timer.until;
        timer.until = INT32_MAX;
    }
}
inline void let_timer_go(call_timer& timer) noexcept {
    if (is_held(timer)) {
        timer.until = timer.held;
    }
}

/// What is surely timed has readings of both kinds too, but is never looked at.
[[gnu::always_inline]] inline call_reading reading_of(const call_timer& timer, call_choice choice) noexcept {
    if (choice == call_choice::by_chance || timer.reading == call_reading::none) {
        return timer.reading;
    }
    return is_held(timer)                            ? call_reading::none
           : ((timer.random + timer.drawn) & 1) != 0 ? call_reading::fenced
                                                     : call_reading::plain;
}

/// Tells the trace what a call took.
void write_timing(const call_timing& timing, timed_call what) noexcept;

/// What the thread has measured, added to the ring's header.
void tell_call_times(call_timer& timer) noexcept;

/// Page faults of this process before main.
void tell_faults_before() noexcept;

/// Called as the allocator is: by a pointer.
using nothing_function = void() noexcept;
extern nothing_function* do_nothing;

/// Makes a call, and then `end` with what `begin` has returned. An exception of the call passes it by.
template <typename Begin, typename Call, typename End>
[[gnu::always_inline]] inline auto between(const Begin& begin, const Call& call, const End& end) {
    const auto state = begin();
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        end(state);
    } else {
        const auto result = call();
        end(state);
        return result;
    }
}

template <typename Call>
[[gnu::noinline]] auto timed_now(call_timer& timer, timed_call what, call_choice choice, Call call) {
    const call_reading reading = reading_of(timer, choice);
    const auto times = [&](const auto& read) __attribute__((always_inline)) {
        return between(read, call, [&](std::uint64_t begun) __attribute__((always_inline)) {
            end_call(timer, reading, choice, read() - begun, what);
        });
    };
    if (reading == call_reading::plain) [[likely]] {
        return times(read_plain);
    }
    if (reading == call_reading::fenced) {
        return times(read_fenced);
    }
    if (reading == call_reading::looked) {
        return between(begin_look, call, [&](const call_look& look) { end_look(timer, look); });
    }
    // The second time, when the caches and the predictors know it as they know the readings of a real call: those are next to the call.
    const auto times_nothing = [&](const auto& read) __attribute__((always_inline)) {
        std::uint64_t took = 0;
        const auto keep = [&](std::uint64_t begun) __attribute__((always_inline)) { took = read() - begun; };
        between(read, do_nothing, keep);
        between(read, do_nothing, keep);
        end_nothing(timer, reading, took);
    };
    if (reading == call_reading::nothing_plain) {
        times_nothing(read_plain);
    } else if (reading == call_reading::nothing_fenced) {
        times_nothing(read_fenced);
    } else {
        prepare_timer(timer);
    }
    return call();
}

/// What recording costs, by the clock, of a sample of a thread's events: one in 64, at random distances, so that no loop of
/// the program keeps step with it. All zero at first.
struct event_cost {
    std::int32_t until_sample; ///< events; 0 and less: now
    std::uint32_t random;      ///< state of the generator of distances; 0: not seeded
    std::uint64_t clock_ticks; ///< that reading the clock took, just before the sample
    std::uint64_t ticks;       ///< of samples that are not in the ring's header yet
    std::uint32_t samples;     ///< the same
    std::uint32_t told;        ///< samples that are in it
};

/// The clock at the begin of a sample; 0 where there is none after all.
std::uint64_t begin_sample(event_cost& cost) noexcept;
void end_sample(event_cost& cost, std::uint64_t begun) noexcept;

/// What the thread has measured, added to the ring's header.
void tell_cost(event_cost& cost) noexcept;

/// At the beginning of an event: not 0 if it is measured; then call end_sample() at its end.
[[gnu::always_inline]] inline std::uint64_t measure(event_cost& cost) noexcept {
    return --cost.until_sample > 0 ? 0 : begin_sample(cost);
}
[[gnu::always_inline]] inline void measured(event_cost& cost, std::uint64_t begun) noexcept {
    if (begun != 0) [[unlikely]] {
        end_sample(cost, begun);
    }
}

} // namespace linn::tool::preload
