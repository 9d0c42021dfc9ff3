// SPDX-License-Identifier: Apache-2.0
#include "trace_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace linn::tool {
namespace {

constexpr double two_sided = 1.96; ///< standard deviations of 95 %
/// From fewer samples no variance is known: then no call is taken to be longer than this.
constexpr double few_samples = 64;
constexpr double longest_ns = 5000;
/// An interval of few samples that is wider says nothing.
constexpr double widest = 0.05;
/// Readings that went back, of all: more are no accident.
constexpr double most_backwards = 1e-4;
/// The cost of the readings around a call, as a share of their cost around a function that does nothing, which is called too.
/// Found by comparison with a profiler and with a loop of readings.
constexpr double reading_share = 0.75;
constexpr double reading_doubt = 1.0 / 12;
/// From fewer page faults the price is not taken, but that of a loop.
constexpr double few_faults = 10;
/// The share of its own cost that the recorder may miss: its clock does not see how it slows the program through the caches.
constexpr double recorder_error = 0.3;

double ratio(double of, double to, double otherwise = 0) {
    return to > 0 ? of / to : otherwise;
}

/// Where the program ran again it was not disturbed: its calls are timed there, and its CPU time measured with them.
const call_times& times_in(const trace_info& info) {
    return info.baseline.times.samples > 0 ? info.baseline.times : info.times;
}

time_unknown reason_not_to(const trace_info& info, const program_cost& cpu) {
    const call_times& t = times_in(info);
    switch (info.counter) {
    case counter_state::not_constant:
        return time_unknown::no_counter;
    case counter_state::unknown:
        return time_unknown::not_recorded;
    case counter_state::steady:
        break;
    }
    if (t.backwards > std::max(1.0, most_backwards * t.samples)) {
        return time_unknown::counter_jumps;
    }
    return cpu.cpu_ns <= 0 || cpu.is_guess ? time_unknown::no_cpu_time : time_unknown::none;
}

/// The ticks of all calls, and how well they are known.
struct call_ticks {
    double all = 0;
    double doubt = 0; ///< by what it may be wrong, as the two kinds of readings differ
    double variance = 0;
};

call_ticks ticks_of(const call_times& t) {
    // As many calls are among those left out as among the others.
    const double kept = std::max(t.samples - t.left_out, 1.0);
    const double scale = std::max(t.samples, 1.0) / kept;
    const double calls = (t.plain_calls + t.fenced_calls) * scale;
    const double plain_nothing = reading_share * ratio(t.nothing_plain_ticks, t.nothing_plain);
    const double fenced_nothing = reading_share * ratio(t.nothing_fenced_ticks, t.nothing_fenced);
    const double mean_plain = ratio(t.plain_ticks, t.plain_calls) - plain_nothing;
    const double mean_fenced = ratio(t.fenced_ticks, t.fenced_calls) - fenced_nothing;
    const double plain = calls * std::max(0.0, t.plain_calls > 0 ? mean_plain : mean_fenced);
    const double fenced = calls * std::max(0.0, t.fenced_calls > 0 ? mean_fenced : mean_plain);
    // A profiler finds what is nearer to the readings without a fence: most of a short call runs next to other work.
    const double between = (fenced - plain) / 4;
    const double doubt = std::max(std::fabs(between), calls * plain_nothing * reading_doubt);
    return {plain + between, doubt, t.squares * scale * scale};
}

/// Page faults of heap memory.
struct heap_faults {
    double each_long_call = 0;
    double in_calls = 0;
    double outside = 0; ///< by the program's own first touch
    double doubt = 0;   ///< of `outside`: half of the interval
    double price = 0;   ///< ticks of one
};

heap_faults faults_of(const trace_info& info, const site_time& all) {
    const call_times& t = times_in(info);
    heap_faults f;
    f.price = t.faults_long >= few_faults ? ratio(t.fault_ticks, t.faults_long)
                                          : info.page_fault_ns * info.ticks_per_ns;
    f.each_long_call = ratio(t.faults_long, t.looked_long, 0.5);
    const bool is_baseline = info.baseline.page_faults != 0;
    const auto seen = static_cast<double>(is_baseline ? info.baseline.page_faults : info.page_faults);
    const double of_program = std::max(0.0, seen - t.faults_before);
    const double short_calls = t.plain_calls + t.fenced_calls - t.long_calls;
    f.in_calls = t.long_calls * f.each_long_call + short_calls * ratio(t.faults_short, t.looked_short);
    // A few long calls with many faults each, looked at by chance, may promise more than there were.
    if (seen > 0) {
        f.in_calls = std::min(f.in_calls, of_program);
    }
    // Of a sample it is not known which pages were new.
    const double most = info.sample_bytes == 0 ? std::min(of_program, all.fresh_pages) : of_program;
    const double rest = std::max(0.0, most - f.in_calls);
    const double error = two_sided * f.in_calls / std::sqrt(std::max(1.0, t.faults_long));
    f.outside = is_baseline ? rest : rest / 2;
    f.doubt = is_baseline ? std::min(rest, error) : rest / 2;
    return f;
}

void merge_counts(counted_sizes& sizes, const counted_sizes& others) {
    for (const auto& [size, count] : others) {
        const auto same =
            std::ranges::find_if(sizes, [s = size](const auto& entry) { return entry.first == s; });
        if (same != sizes.end()) {
            same->second += count;
        } else {
            sizes.emplace_back(size, count);
        }
    }
    keep_most_frequent(sizes);
}

} // namespace

void keep_most_frequent(counted_sizes& sizes) {
    std::ranges::sort(sizes, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    sizes.resize(std::min<std::size_t>(sizes.size(), 8));
}

void site_time::merge(const site_time& other) noexcept {
    calls += other.calls;
    page_faults += other.page_faults;
    variance += other.variance;
    systematic += other.systematic;
    unknown_above += other.unknown_above;
    ticks += other.ticks;
    squares += other.squares;
    long_calls += other.long_calls;
    fresh_pages += other.fresh_pages;
}

time_share site_time::share() const noexcept {
    const double value = calls + page_faults;
    const double half = two_sided * std::sqrt(variance) + systematic;
    return {std::max(0.0, value - half), value, std::min(1.0, value + half + unknown_above)};
}

allocation_time time_of(const trace_info& info, const site_time& all) noexcept {
    const program_cost cpu = cost_of_program(info);
    const call_times& t = times_in(info);
    allocation_time r;
    r.cpu_ns = cpu.cpu_ns;
    r.samples = static_cast<std::uint64_t>(t.samples);
    r.left_out = static_cast<std::uint64_t>(t.left_out);
    r.why_not = reason_not_to(info, cpu);
    if (r.why_not != time_unknown::none) {
        return r;
    }
    const double tick = 1 / (info.ticks_per_ns * cpu.cpu_ns); // share of the CPU time
    const call_ticks ticks = ticks_of(t);
    const heap_faults faults = faults_of(info, all);
    const double in_calls = std::min(1.0, ticks.all * tick);
    const double outside = std::min(1 - in_calls, faults.outside * faults.price * tick);
    const double fault_share = std::min(in_calls, faults.in_calls * faults.price * tick);
    r.share = in_calls + outside;
    r.page_faults = fault_share + outside;
    r.calls = in_calls - fault_share;
    r.waiting = t.waiting_ticks * tick;
    r.faults = static_cast<std::uint64_t>(faults.in_calls + faults.outside);
    r.systematic = ratio(ticks.doubt, ticks.all);
    r.unknown_above = info.baseline.cpu_ns > 0 ? 0
                                               : recorder_error * static_cast<double>(info.events) *
                                                     info.event_cost_ns / cpu.cpu_ns;
    const double half = two_sided * std::sqrt(ticks.variance) * tick + r.systematic * in_calls +
                        faults.doubt * faults.price * tick;
    r.low = std::max(0.0, r.share - half);
    r.high = std::min(1.0, r.share + half + r.unknown_above * in_calls);
    if (t.samples < few_samples) {
        r.high = std::min(1.0, r.high + static_cast<double>(info.events) * longest_ns / cpu.cpu_ns);
        if (t.samples <= 0 || r.high - r.low > widest) {
            r.why_not = time_unknown::few_samples;
            return r;
        }
    }
    r.each_tick = ratio(in_calls, all.ticks);
    r.each_long_call = ratio(fault_share, all.long_calls);
    r.each_fresh_page = ratio(outside, all.fresh_pages);
    return r;
}

void take_share(site_time& site, const allocation_time& time) noexcept {
    const double in_calls = site.ticks * time.each_tick;
    const double in_faults = std::min(in_calls, site.long_calls * time.each_long_call);
    site.calls = in_calls - in_faults;
    site.page_faults = in_faults + site.fresh_pages * time.each_fresh_page;
    site.variance = site.squares * time.each_tick * time.each_tick;
    site.systematic = in_calls * time.systematic;
    site.unknown_above = in_calls * time.unknown_above;
}

double site_statistics::uniformity() const noexcept {
    if (allocations == 0 || sizes.empty()) {
        return 0;
    }
    return std::min(1.0, static_cast<double>(sizes.front().second) / static_cast<double>(allocations));
}

double site_statistics::lifetime_quantile(double share) const noexcept {
    const std::uint64_t total = std::accumulate(lifetimes.begin(), lifetimes.end(), std::uint64_t{0});
    if (total == 0) {
        return 0;
    }
    const double wanted = std::clamp(share, 0.0, 1.0) * static_cast<double>(total);
    double below = 0;
    for (std::size_t i = 0; i != lifetimes.size(); ++i) {
        const auto count = static_cast<double>(lifetimes[i]);
        if (count > 0 && below + count >= wanted) {
            const double begin = i == 0 ? 0 : std::ldexp(1.0, static_cast<int>(i));
            const double end = std::ldexp(1.0, static_cast<int>(i) + 1);
            return begin + (end - begin) * (wanted - below) / count;
        }
        below += count;
    }
    return std::ldexp(1.0, static_cast<int>(lifetimes.size()));
}

void site_statistics::merge(const site_statistics& other) {
    if (other.allocations != 0 || other.bytes != 0) {
        const bool is_first = allocations == 0 && bytes == 0;
        smallest = is_first ? other.smallest : std::min(smallest, other.smallest);
        largest = std::max(largest, other.largest);
    }
    allocations += other.allocations;
    bytes += other.bytes;
    merge_counts(sizes, other.sizes);
    merge_counts(resized, other.resized);
    for (std::size_t i = 0; i != lifetimes.size(); ++i) {
        lifetimes[i] += other.lifetimes[i];
    }
    releases += other.releases;
    remote_releases += other.remote_releases;
    temporary += other.temporary;
    temporary_bytes += other.temporary_bytes;
    reallocations += other.reallocations;
    outgrown += other.outgrown;
    unseen_releases += other.unseen_releases;
    live_at_end += other.live_at_end;
    live_bytes_at_end += other.live_bytes_at_end;
    peak_live += other.peak_live;
    peak_live_bytes += other.peak_live_bytes;
    live_at_peak += other.live_at_peak;
    live_bytes_at_peak += other.live_bytes_at_peak;
    longest_burst = std::max(longest_burst, other.longest_burst);
    threads = std::max(threads, other.threads);
    spread.merge(other.spread);
    time.merge(other.time);
}

void timeline_recorder::close_step() {
    line_.events.push_back(events_);
    line_.live_blocks.push_back(most_blocks_);
    line_.live_bytes.push_back(most_bytes_);
    events_ = 0;
    most_blocks_ = blocks_now_;
    most_bytes_ = bytes_now_;
}

// Each two steps become one; a last one without a neighbour goes on being written.
void timeline_recorder::halve() {
    const std::size_t pairs = line_.events.size() / 2;
    if (line_.events.size() % 2 != 0) {
        events_ += line_.events.back();
        most_blocks_ = std::max(most_blocks_, line_.live_blocks.back());
        most_bytes_ = std::max(most_bytes_, line_.live_bytes.back());
    }
    for (std::size_t i = 0; i != pairs; ++i) {
        line_.events[i] = line_.events[2 * i] + line_.events[2 * i + 1];
        line_.live_blocks[i] = std::max(line_.live_blocks[2 * i], line_.live_blocks[2 * i + 1]);
        line_.live_bytes[i] = std::max(line_.live_bytes[2 * i], line_.live_bytes[2 * i + 1]);
    }
    line_.events.resize(pairs);
    line_.live_blocks.resize(pairs);
    line_.live_bytes.resize(pairs);
    line_.step_ns *= 2;
    step_end_ = (pairs + 1) * line_.step_ns;
}

void timeline_recorder::advance(std::uint64_t time) {
    // A damaged trace may have any time. Behind the last one that has a step behind it, no step would ever end.
    constexpr std::uint64_t latest = ~std::uint64_t{0} / 2;
    time = std::min(time, latest);
    // First the width, so that a long silence is not written step by step.
    while (time / line_.step_ns >= most_steps) {
        halve();
    }
    while (time >= step_end_) {
        close_step();
        step_end_ += line_.step_ns;
    }
}

timeline timeline_recorder::finish() {
    if (events_ != 0 || !line_.events.empty()) {
        close_step();
    }
    return std::move(line_);
}

} // namespace linn::tool
