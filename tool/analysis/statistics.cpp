// SPDX-License-Identifier: Apache-2.0
#include "trace_analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linn::tool {
namespace {

using counted_sizes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

void merge_counts(counted_sizes& sizes, const counted_sizes& others) {
    for (const auto& [size, count] : others) {
        const auto same = std::find_if(sizes.begin(), sizes.end(),
                                       [s = size](const auto& entry) { return entry.first == s; });
        if (same != sizes.end()) {
            same->second += count;
        } else {
            sizes.emplace_back(size, count);
        }
    }
    std::sort(sizes.begin(), sizes.end(), [](const auto& a, const auto& b) {
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

} // namespace linn::tool
