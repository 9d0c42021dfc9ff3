// SPDX-License-Identifier: Apache-2.0
#include "allocation_cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace linn::tool {
namespace {

/// Nanoseconds for a block that is allocated and released, page faults apart.
struct class_price {
    std::size_t below_log2; ///< of its size
    double low;
    double likely;
    double high;
    double most;
};

// The C library serves blocks below 1 KiB from a list of the thread, those below 128 KiB from bins that are split and
// merged, and maps larger ones, until it has raised that threshold.
constexpr std::array prices_by_class{class_price{10, 10, 20, 40, 150}, class_price{17, 20, 60, 150, 500},
                                     class_price{48, 25, 1000, 3000, 10'000}};
constexpr std::size_t medium_from_log2 = 10;
constexpr std::size_t large_from_log2 = 17;
constexpr double trimmed_from = 128 * 1024; // bytes free at the end of the heap
constexpr double page_bytes = 4096;
constexpr double slow_fault = 2; // times the usual one

const class_price& price_of(std::size_t size_log2) {
    return *std::find_if(prices_by_class.begin(), prices_by_class.end() - 1,
                         [&](const class_price& p) { return size_log2 < p.below_log2; });
}

std::size_t log2_of(double size) {
    return size < 2 ? 0 : static_cast<std::size_t>(std::ilogb(size));
}

void add(allocation_cost& to, const allocation_cost& c) {
    to.low += c.low;
    to.likely += c.likely;
    to.high += c.high;
    to.most += c.most;
}

allocation_cost times(double count, const class_price& p) {
    return {count * p.low, count * p.likely, count * p.high, count * p.most};
}

/// Bytes asked for, in blocks that may cause page faults more than once.
struct faulting_bytes {
    double medium = 0;
    double large = 0;
};

faulting_bytes bytes_by_class(const site_statistics& s) {
    faulting_bytes in;
    double all = 0;
    for (std::size_t i = 0; i != s.size_histogram.size(); ++i) {
        const double here = static_cast<double>(s.size_histogram[i]) * std::ldexp(1.5, static_cast<int>(i));
        all += here;
        if (i >= large_from_log2) {
            in.large += here;
        } else if (i >= medium_from_log2) {
            in.medium += here;
        }
    }
    // The histogram knows sizes to a factor of two, the sum is exact.
    const double exact = all > 0 ? static_cast<double>(s.bytes) / all : 0;
    return {in.medium * exact, in.large * exact};
}

/// The share of the blocks that could have had memory that was used before.
double reused_share(const site_statistics& s) {
    const auto events = static_cast<double>(s.allocations + s.reallocations);
    return events == 0 ? 0 : 1 - std::min(1.0, static_cast<double>(s.peak_live) / events);
}

} // namespace

allocation_cost cost_of(const site_statistics& s, const allocation_prices& prices) {
    allocation_cost cost;
    for (std::size_t i = 0; i != s.size_histogram.size(); ++i) {
        if (s.size_histogram[i] != 0) {
            add(cost, times(static_cast<double>(s.size_histogram[i]), price_of(i)));
        }
    }
    if (s.reallocations != 0) {
        const auto resized = static_cast<double>(s.reallocations);
        const class_price& usual = price_of(
            log2_of(static_cast<double>(s.bytes) / static_cast<double>(s.allocations + s.reallocations)));
        const class_price& largest = price_of(log2_of(static_cast<double>(s.largest)));
        add(cost,
            {resized * usual.low, resized * usual.likely, resized * largest.high, resized * largest.most});
    }
    if (s.allocations + s.reallocations == 0) {
        return cost;
    }
    const faulting_bytes in = bytes_by_class(s);
    const bool is_trimmed = static_cast<double>(s.peak_live_bytes) >= trimmed_from;
    const double medium = is_trimmed ? in.medium : 0;
    const double a_byte = prices.page_fault_ns / page_bytes;
    cost.likely += reused_share(s) * (in.large / 2 + medium / 4) * a_byte;
    cost.high += reused_share(s) * (in.large + medium) * a_byte;
    cost.most += (static_cast<double>(s.bytes) + page_bytes) * a_byte * slow_fault;
    return cost;
}

cost_shares::cost_shares(const std::vector<advised_type>& types, const allocation_prices& prices,
                         double program_cpu_ns)
    : program_cpu_ns_{program_cpu_ns} {
    for (const advised_type& type : types) {
        costs_.push_back(cost_of(type.statistics, prices));
        add(sum_, costs_.back());
    }
}

double cost_shares::share(double ns) const {
    return program_cpu_ns_ <= 0 ? 0 : std::min(1.0, ns / program_cpu_ns_);
}

gain_range cost_shares::ceiling() const {
    return {share(sum_.low), share(sum_.high)};
}

gain_range cost_shares::of(std::size_t type) const {
    return {share(costs_[type].low), share(costs_[type].high)};
}

} // namespace linn::tool
