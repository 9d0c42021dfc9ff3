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
    const auto rarest = static_cast<std::size_t>(std::ranges::min_element(counts_) - counts_.begin());
    sizes_[rarest] = size;
    errors_[rarest] = counts_[rarest];
    return rarest;
}

counted_sizes frequent_sizes::top() const {
    counted_sizes result;
    for (std::size_t i = 0; i != used_; ++i) {
        result.emplace_back(sizes_[i], counts_[i] - errors_[i]);
    }
    std::ranges::sort(result, [](const auto& a, const auto& b) {
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
    site_statistics s = counted;
    s.smallest = s.smallest > s.largest ? 0 : s.smallest;
    s.sizes = sizes.top();
    s.resized = resized.top();
    for (const std::uint64_t word : threads) {
        s.threads += static_cast<std::uint64_t>(std::popcount(word));
    }
    return s;
}

} // namespace linn::tool
