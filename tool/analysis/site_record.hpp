// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace_analysis.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// Where a value stands in a log2_histogram.
inline std::size_t log2_place(std::uint64_t value) noexcept {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(value | 1)) - 1,
                                 std::tuple_size_v<log2_histogram> - 1);
}

/// The most frequent of any number of sizes, in constant memory. Exact for up to 16 sizes; beyond that, what it gives
/// as a count is never too high. @source Metwally, Agrawal, El Abbadi, "Efficient computation of frequent and top-k
/// elements in data streams", 2005 (Space-Saving)
class frequent_sizes {
public:
    void add(std::uint64_t size, std::uint64_t times = 1) noexcept {
        if (sizes_[last_] != size || counts_[last_] == 0) {
            last_ = place_of(size);
        }
        counts_[last_] += times;
    }

    /// Size and count, most frequent first; 8 at most.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> top() const;

private:
    static constexpr std::size_t most = 16;

    std::size_t place_of(std::uint64_t size) noexcept;

    std::array<std::uint64_t, most> sizes_{};
    std::array<std::uint64_t, most> counts_{}; ///< 0: free
    std::array<std::uint64_t, most> errors_{}; ///< by how much a count may be too high
    std::size_t last_ = 0;
    std::size_t used_ = 0;
};

/// What is being counted for one site.
struct site_record {
    // What nearly every event reads or writes lies together, in one line of the cache.
    std::uint64_t live = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t peak_number = 0; ///< of the peak that live_at_peak was noted for
    std::uint64_t peak_live = 0;
    std::uint64_t peak_live_bytes = 0;
    std::uint64_t burst = 0;
    std::uint64_t longest_burst = 0;
    std::uint64_t releases = 0;
    std::uint64_t allocations = 0;
    std::uint64_t bytes = 0;
    std::uint64_t remote_releases = 0;
    std::uint64_t temporary = 0;
    std::uint64_t temporary_bytes = 0;
    std::uint64_t live_at_peak = 0;
    std::uint64_t live_bytes_at_peak = 0;
    std::uint64_t smallest = ~std::uint64_t{0};
    std::uint64_t largest = 0;
    std::uint32_t last_thread = ~std::uint32_t{0};
    std::uint32_t stack = 0;
    allocation_call call = allocation_call::none;
    std::uint32_t next = 0; ///< the next site of the same stack, by another call; 0: none
    frequent_sizes sizes;
    frequent_sizes resized; ///< what a realloc made of its blocks
    frequent_sizes before;  ///< other sites that the thread allocated from just before
    std::uint64_t reallocations = 0;
    std::uint64_t outgrown = 0;
    std::uint64_t unseen_releases = 0;
    std::uint64_t fills = 0;
    std::uint64_t filled_bytes = 0;
    std::uint64_t fill_ns = 0;
    std::uint32_t fill_stack = 0;
    log2_histogram size_histogram{};
    log2_histogram lifetimes{};
    std::vector<std::uint64_t> threads; ///< one bit each
    sample_spread spread;
    site_time time;

    void count_thread(std::uint32_t thread);
    /// What a site had at the last peak is what it has until it changes for the first time afterwards. Called before a change.
    void note_peak(std::uint64_t number) noexcept {
        if (peak_number != number) {
            peak_number = number;
            live_at_peak = live;
            live_bytes_at_peak = live_bytes;
        }
    }
    void grow_by(std::uint64_t more) noexcept {
        live_bytes += more;
        peak_live_bytes = std::max(peak_live_bytes, live_bytes);
    }

    site_statistics statistics() const;
};

} // namespace linn::tool
