// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace_analysis.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linn::tool {

/// Writes what the sites allocated over time in bounded memory: when the steps run out, each two become one, and a step that
/// is complete keeps its largest sites; the others of it become one. Sums are kept.
class order_recorder {
public:
    static constexpr std::size_t most_steps = 128;
    static constexpr std::size_t most_sites = 48; ///< of a step, by allocations, and as many by bytes

    /// Blocks of one site, allocated at a time. Times that go back count for the step that is being written.
    void allocated(std::uint64_t time, std::uint32_t site, std::uint64_t count, std::uint64_t bytes) {
        if (time >= step_end_) {
            advance(time);
        }
        ordered_site& now = now_of(site);
        now.allocations += count;
        now.bytes += bytes;
    }

    /// A block of the site that was released at once.
    void was_temporary(std::uint32_t site) { ++now_of(site).temporary; }

    /// All steps, up to the last allocation. @pre called once
    allocation_order finish();

private:
    using step = std::vector<ordered_site>;

    ordered_site& now_of(std::uint32_t site) {
        if (site >= now_.size()) {
            now_.resize(site + std::size_t{1});
        }
        ordered_site& s = now_[site];
        if (s.allocations == 0 && s.temporary == 0) {
            touched_.push_back(site);
        }
        return s;
    }

    void advance(std::uint64_t time);
    void close_step();
    void reopen_step();
    void halve();

    static constexpr std::uint64_t first_step_ns = 1024;

    allocation_order order_{.step_ns = first_step_ns, .steps = {}};
    std::uint64_t step_end_ = first_step_ns;
    std::vector<ordered_site> now_; // by site
    std::vector<std::uint32_t> touched_;
    ordered_site others_now_{others_in_step, 0, 0, 0};
};

} // namespace linn::tool
