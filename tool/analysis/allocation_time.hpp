// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/info.hpp"

#include <cstdint>

namespace linn::tool {

/// A share of the program's CPU time, 0 to 1, and the bounds between which it lies in 95 of 100 recordings.
struct time_share {
    double low = 0;
    double value = 0;
    double high = 0;
};

/// Why the time in the allocator is not known.
enum class time_unknown : std::uint8_t {
    none,         ///< it is known
    not_recorded, ///< the trace has no timed calls: of an earlier version, or of a recording that leaves them out
    no_counter,    ///< the processor has no counter that runs at a constant rate
    counter_jumps, ///< the counter went back, or differs between the processors
    few_samples,   ///< too few calls were timed
    no_cpu_time,   ///< the program's CPU time is not known
};

/// The time that the program spent in its allocator, as shares of its CPU time, 0 to 1. Measured inside the program, around
/// a random sample of the real calls.
struct allocation_time {
    time_unknown why_not = time_unknown::not_recorded; ///< `none`, or all else is without meaning
    double share = 0;                                  ///< calls, page_faults
    double low = 0;                                    ///< of `share`: 95 of 100 recordings lie between these
    double high = 0;
    double calls = 0;           ///< in the allocator's functions, without page faults and without `waiting`
    double page_faults = 0;     ///< of heap memory, inside of calls and by the program's first touch
    double waiting = 0;         ///< for a lock of the allocator; not part of `share`, as it is no CPU time
    std::uint64_t samples = 0;  ///< calls that were timed
    std::uint64_t left_out = 0; ///< of these: during which the thread lost its processor
    std::uint64_t faults = 0;   ///< page faults of heap memory
    double cpu_ns = 0;          ///< of the whole program: what the shares are of

    // What take_share() needs: shares of the CPU time.
    double each_tick = 0;       ///< of site_time::ticks
    double each_long_call = 0;  ///< of its page faults, of site_time::long_calls
    double each_fresh_page = 0; ///< of the program's own page faults, of site_time::fresh_pages
    double systematic = 0;      ///< the part of the time in calls by which that time may be wrong

    bool is_known() const noexcept { return why_not == time_unknown::none; }
};

/// The share of one site; adds up over sites, so that types and groups of types have intervals too.
struct site_time {
    double calls = 0;       ///< share of the CPU time, 0 to 1; with the releases of the site's blocks
    double page_faults = 0; ///< the same
    double variance = 0;    ///< of the sum of both
    double systematic = 0;  ///< half of the width that does not become smaller with more samples

    // What the trace says, of which the above is made.
    double ticks = 0;       ///< of all calls, by the sample
    double squares = 0;     ///< sum of the squares of the ticks that each sample adds
    double long_calls = 0;  ///< calls that may have had page faults, by the sample
    double fresh_pages = 0; ///< that no block had lain in before

    void add(const call_timing& timing, double times) noexcept {
        const double weight = timing.weight * times;
        const double more = weight * timing.ticks;
        ticks += more;
        squares += more * more;
        long_calls += timing.is_long() ? weight : 0;
    }
    void merge(const site_time& other) noexcept;
    /// The interval of calls and page faults together.
    time_share share() const noexcept;
};

/// The time in the allocator, from the sums of a recording and of all its sites.
allocation_time time_of(const trace_info& info, const site_time& all) noexcept;
/// Fills the shares of a site. @pre time.is_known()
void take_share(site_time& site, const allocation_time& time) noexcept;

} // namespace linn::tool
