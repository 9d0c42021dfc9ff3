// SPDX-License-Identifier: Apache-2.0
#include "call_timer.hpp"

#include "image.hpp"
#include "thread.hpp"

#include <sys/resource.h>

#include <bit>
#include <utility>

namespace linn::tool::preload {
namespace {

// Distances between the samples of a thread: random, so that no pattern of the program is always met at the same place.

/// The state of a generator, from a reading of the counter. Never 0.
std::uint32_t seed_of(std::uint64_t ticks) noexcept {
    return static_cast<std::uint32_t>(ticks >> 4) * 0x9e37'79b9u | 1;
}

/// From 1 on, uniform, with this mean. Marsaglia's xorshift. @pre `state` is not 0
std::int32_t random_distance(std::uint32_t& state, std::uint32_t mean) noexcept {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return static_cast<std::int32_t>((state >> 8) % (2 * mean - 1) + 1);
}

constexpr std::uint32_t first_mean = 32; // powers of two
constexpr std::uint32_t most_mean = 128;
/// After so many samples the distance is doubled, and again after four times as many.
constexpr std::uint32_t many_samples = 16'384;
/// One sample in so many looks at the page faults of its call, which costs two system calls; another one times nothing.
constexpr std::uint32_t looked_at = 8;
/// So many ticks of nothing are an interrupt.
constexpr std::uint64_t most_nothing = 1000;
/// In a call of more ticks the thread has lost its processor.
constexpr std::uint64_t most_ticks = 30'000;
/// The same limit for a large block, whose pages the system maps, copies or unmaps meanwhile.
constexpr std::uint64_t most_sure_ticks = 30'000'000;
/// Samples between two additions to what all threads share. The first samples of a process are added at once: many processes
/// are short, and the last batch of a main thread is lost.
constexpr std::uint32_t batch = 16;
constexpr std::uint32_t added_at_once = 16 * batch;
/// Until it is asked again whether anything is recorded.
constexpr std::int32_t idle_calls = 64;

/// Ticks of two readings with nothing in between.
struct reading_cost {
    std::uint64_t plain;
    std::uint64_t fenced;
    std::uint32_t least_mean; ///< distance, so that the readings take little; 0: not calibrated
};
constinit reading_cost readings{};

void nothing() noexcept {}

kernel_counts usage(int of) noexcept {
    rusage u{};
    ::syscall(SYS_getrusage, of, &u);
    return {static_cast<std::uint64_t>(u.ru_minflt), static_cast<std::uint64_t>(u.ru_nvcsw),
            static_cast<std::uint64_t>(u.ru_nvcsw + u.ru_nivcsw)};
}

/// The distance to the next sample. Those that are timed have the mean distance `mean`.
std::int32_t distance(call_timer& timer) noexcept {
    const std::uint32_t mean = timer.mean / looked_at * (looked_at - 2);
    return random_distance(timer.random, mean);
}

void draw(call_timer& timer) noexcept {
    const std::uint32_t mean = timer.drawn < many_samples       ? first_mean
                               : timer.drawn < 4 * many_samples ? 2 * first_mean
                                                                : most_mean;
    timer.mean = mean > readings.least_mean ? mean : readings.least_mean;
    timer.until = distance(timer);
    const bool is_fenced = (timer.random & 1u << 5) != 0;
    const std::uint32_t turn = ++timer.drawn % looked_at;
    timer.reading = turn == 0   ? call_reading::looked
                    : turn == 1 ? (is_fenced ? call_reading::nothing_fenced : call_reading::nothing_plain)
                                : (is_fenced ? call_reading::fenced : call_reading::plain);
}

template <typename Read>
std::uint64_t least_cost(const Read& read) noexcept {
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i != 32; ++i) {
        std::uint64_t sum = 0;
        for (int j = 0; j != 8; ++j) {
            const std::uint64_t begin = read();
            sum += read() - begin;
        }
        least = sum < least ? sum : least;
    }
    return least / 8;
}

/// Whether the thread was switched from its processor since this was asked, or a call was looked at.
bool was_switched(call_timer& timer) noexcept {
    const std::uint64_t switches = usage(RUSAGE_THREAD).switches;
    return std::exchange(timer.switches, switches) != switches;
}

constexpr std::uint32_t mean_distance = 64; // a power of two
/// A longer one was interrupted, or waited for the collector: that is no CPU time of the recorder.
constexpr double most_ns = 50'000;

} // namespace

constinit nothing_function* do_nothing = nothing;

void calibrate_call_timer() noexcept {
    readings.plain = least_cost(read_plain);
    readings.fenced = least_cost(read_fenced);
    readings.least_mean = first_mean;
    // Where a virtual machine answers each reading.
    while (readings.least_mean < readings.fenced / 4 && readings.least_mean < 4096) {
        readings.least_mean *= 2;
    }
}

void prepare_timer(call_timer& timer) noexcept {
    if (is_held(timer)) {
        return;
    }
    timer.until = idle_calls;
    timer.reading = call_reading::none;
    // Not is_recording() at first: the first call of a process is no occasion to begin.
    if (readings.least_mean == 0 ||
        current_image->state.load(std::memory_order_relaxed) != process_image::on) {
        return;
    }
    const slow_section counted;
    if (!is_recording()) {
        return;
    }
    if (!current_recording.ring.header().options.times_calls) {
        timer.until = INT32_MAX;
        return;
    }
    if (timer.random == 0) {
        timer.random = seed_of(ticks());
    }
    draw(timer);
    // From a point in the middle of a distance: the smaller of two, nearly.
    const std::int32_t other = distance(timer);
    timer.until = other < timer.until ? other : timer.until;
}

void end_call(call_timer& timer, call_reading reading, call_choice choice, std::uint64_t took,
              timed_call what) noexcept {
    call_times& sums = timer.untold;
    const bool is_fenced = reading == call_reading::fenced;
    const bool is_sure = choice == call_choice::surely;
    const std::uint64_t own_cost = is_fenced ? readings.fenced : readings.plain;
    const std::uint32_t stands_for = is_sure ? 1 : timer.mean;
    if (!is_sure) {
        draw(timer);
    }
    ++sums.samples;
    if (static_cast<std::int64_t>(took) < 0) {
        ++sums.backwards;
        return;
    }
    // A virtual machine loses its processors too, which no system call tells. What is surely timed may take long.
    if (took > (is_sure ? most_sure_ticks : most_ticks) || (took > most_ticks && was_switched(timer))) {
        ++sums.left_out;
        return;
    }
    call_timing timing;
    timing.is_fenced = is_fenced;
    timing.ticks = static_cast<std::uint32_t>(took > own_cost ? took - own_cost : 0);
    timing.weight = static_cast<std::uint16_t>(stands_for);
    const double weight = stands_for;
    const double sum = weight * timing.ticks;
    (is_fenced ? sums.fenced_calls : sums.plain_calls) += weight;
    (is_fenced ? sums.fenced_ticks : sums.plain_ticks) += weight * static_cast<double>(took);
    sums.squares += sum * sum;
    sums.long_calls += timing.is_long() ? weight : 0;
    write_timing(timing, what);
    if (sums.samples >= batch || timer.drawn < added_at_once) {
        tell_call_times(timer);
    }
}

void end_nothing(call_timer& timer, call_reading reading, std::uint64_t took) noexcept {
    draw(timer);
    if (took < most_nothing) {
        const bool is_fenced = reading == call_reading::nothing_fenced;
        call_times& sums = timer.untold;
        (is_fenced ? sums.nothing_fenced : sums.nothing_plain) += 1;
        (is_fenced ? sums.nothing_fenced_ticks : sums.nothing_plain_ticks) += static_cast<double>(took);
    }
}

call_look begin_look() noexcept {
    return {usage(RUSAGE_THREAD), ticks()};
}

// What the call took is not used otherwise: it came back from a system call, with other contents of the caches.
void end_look(call_timer& timer, const call_look& look) noexcept {
    const std::uint64_t took = ticks() - look.begun;
    const kernel_counts after = usage(RUSAGE_THREAD);
    call_times& sums = timer.untold;
    if (after.sleeps != look.before.sleeps) {
        sums.waiting_ticks += 1.0 * timer.mean * (looked_at - 2) * static_cast<double>(took);
    }
    timer.switches = after.switches;
    draw(timer);
    ++sums.samples;
    if (took > most_ticks || after.switches != look.before.switches) {
        ++sums.left_out;
        return;
    }
    const bool is_long = took > readings.plain + long_call_ticks;
    const auto faults = static_cast<double>(after.faults - look.before.faults);
    ++(is_long ? sums.looked_long : sums.looked_short);
    (is_long ? sums.faults_long : sums.faults_short) += faults;
    if (is_long && faults > 0) {
        sums.fault_ticks += static_cast<double>(took);
    }
}

void tell_call_times(call_timer& timer) noexcept {
    const slow_section counted;
    if (!is_recording()) {
        return;
    }
    wire::ring_header& header = current_recording.ring.header();
    const auto sums = std::bit_cast<call_time_sums>(timer.untold);
    for (std::size_t i = 0; i != sums.size(); ++i) {
        if (sums[i] != 0) {
            header.times[i].fetch_add(sums[i], std::memory_order_relaxed);
        }
    }
    timer.untold = {};
}

void tell_faults_before() noexcept {
    call_timer only{};
    only.untold.faults_before = static_cast<double>(usage(RUSAGE_SELF).faults);
    tell_call_times(only);
}

// -- what recording costs ---------------------------------------------------------------------------

std::uint64_t begin_sample(event_cost& cost) noexcept {
    const std::uint64_t before = ticks();
    const bool is_first = cost.random == 0;
    if (is_first) {
        cost.random = seed_of(before);
    }
    cost.until_sample = random_distance(cost.random, mean_distance);
    // The thread's first event is one of all, and as likely to be measured as they are.
    if (is_first && --cost.until_sample != 0) {
        return 0;
    }
    if (is_first) {
        cost.until_sample = mean_distance;
    }
    const std::uint64_t start = ticks();
    const std::uint64_t now = ticks();
    cost.clock_ticks = now - start;
    return now;
}

void end_sample(event_cost& cost, std::uint64_t begun) noexcept {
    const std::uint64_t spent = ticks() - begun;
    const slow_section counted;
    if (!is_recording() ||
        static_cast<double>(spent) > most_ns * current_recording.ring.header().options.ticks_per_ns) {
        return;
    }
    cost.ticks += spent > cost.clock_ticks ? spent - cost.clock_ticks : 0;
    ++cost.samples;
    // Soon at first: a short program shall have told something.
    if (cost.samples >= batch || cost.samples >= cost.told) {
        tell_cost(cost);
    }
}

void tell_cost(event_cost& cost) noexcept {
    if (cost.samples == 0 || !is_recording()) {
        return;
    }
    wire::ring_header& header = current_recording.ring.header();
    header.cost_ticks.fetch_add(cost.ticks, std::memory_order_relaxed);
    header.cost_samples.fetch_add(cost.samples, std::memory_order_relaxed);
    cost.told += cost.samples;
    cost.samples = 0;
    cost.ticks = 0;
}

} // namespace linn::tool::preload
