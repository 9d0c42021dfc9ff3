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
    counted_sizes top() const;

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
    std::uint64_t peak_number = 0; ///< of the peak that live_at_peak was noted for
    std::uint64_t burst = 0;
    std::uint32_t last_thread = ~std::uint32_t{0};
    std::uint32_t stack = 0;
    std::uint32_t next = 0; ///< the next site of the same stack, by another call; 0: none
    allocation_call call = allocation_call::none;
    site_statistics counted; ///< `live_at_end`: what is live now
    frequent_sizes sizes;
    frequent_sizes resized; ///< what a realloc made of its blocks
    std::uint32_t fill_stack = 0;
    std::vector<std::uint64_t> threads; ///< one bit each

    site_record() noexcept { counted.smallest = ~std::uint64_t{0}; }

    void count_thread(std::uint32_t thread);
    /// What a site had at the last peak is what it has until it changes for the first time afterwards. Called before a change.
    void note_peak(std::uint64_t number) noexcept {
        if (peak_number != number) {
            peak_number = number;
            counted.live_at_peak = counted.live_at_end;
            counted.live_bytes_at_peak = counted.live_bytes_at_end;
        }
    }
    void grow_by(std::uint64_t more) noexcept {
        counted.live_bytes_at_end += more;
        counted.peak_live_bytes = std::max(counted.peak_live_bytes, counted.live_bytes_at_end);
    }

    site_statistics statistics() const;
};

} // namespace linn::tool
