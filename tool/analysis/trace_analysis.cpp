// SPDX-License-Identifier: Apache-2.0
#include "trace_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace linn::tool {
namespace {

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
    std::ranges::sort(sizes, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (sizes.size() > 8) {
        sizes.resize(8);
    }
}

} // namespace

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
        size_histogram[i] += other.size_histogram[i];
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
    fills += other.fills;
    filled_bytes += other.filled_bytes;
    fill_ns += other.fill_ns;
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
