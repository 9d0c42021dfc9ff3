// SPDX-License-Identifier: Apache-2.0
#include "site_record.hpp"

namespace linn::tool {

std::size_t frequent_sizes::place_of(std::uint64_t size) noexcept {
    for (std::size_t i = 0; i != used_; ++i) {
        if (sizes_[i] == size) {
            return i;
        }
    }
    if (used_ != most) {
        sizes_[used_] = size;
        return used_++;
    }
    // The rarest gives its place and its count: the newcomer may have been counted out before.
    const auto rarest =
        static_cast<std::size_t>(std::min_element(counts_.begin(), counts_.end()) - counts_.begin());
    sizes_[rarest] = size;
    errors_[rarest] = counts_[rarest];
    return rarest;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> frequent_sizes::top() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    for (std::size_t i = 0; i != used_; ++i) {
        result.emplace_back(sizes_[i], counts_[i] - errors_[i]);
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (result.size() > 8) {
        result.resize(8);
    }
    return result;
}

void site_record::count_thread(std::uint32_t thread) {
    last_thread = thread;
    const std::size_t word = thread / 64;
    if (word >= threads.size()) {
        threads.resize(word + 1);
    }
    threads[word] |= std::uint64_t{1} << (thread % 64);
}

site_statistics site_record::statistics() const {
    site_statistics s;
    s.allocations = allocations;
    s.bytes = bytes;
    s.smallest = smallest > largest ? 0 : smallest;
    s.largest = largest;
    s.sizes = sizes.top();
    s.resized = resized.top();
    s.size_histogram = size_histogram;
    s.releases = releases;
    s.remote_releases = remote_releases;
    s.temporary = temporary;
    s.temporary_bytes = temporary_bytes;
    s.reallocations = reallocations;
    s.outgrown = outgrown;
    s.unseen_releases = unseen_releases;
    s.lifetimes = lifetimes;
    s.live_at_end = live;
    s.live_bytes_at_end = live_bytes;
    s.peak_live = peak_live;
    s.peak_live_bytes = peak_live_bytes;
    s.live_at_peak = live_at_peak;
    s.live_bytes_at_peak = live_bytes_at_peak;
    s.longest_burst = longest_burst;
    for (const std::uint64_t word : threads) {
        s.threads += static_cast<std::uint64_t>(std::popcount(word));
    }
    s.fills = fills;
    s.filled_bytes = filled_bytes;
    s.fill_ns = fill_ns;
    s.spread = spread;
    s.time = time;
    return s;
}

} // namespace linn::tool
