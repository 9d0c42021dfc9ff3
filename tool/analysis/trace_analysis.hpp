// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../trace/event.hpp"
#include "../trace/info.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

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
    double unknown_above = 0;   ///< likewise, but upwards only: the recorder may cost more than it measured

    bool is_known() const noexcept { return why_not == time_unknown::none; }
};

/// The share of one site; adds up over sites, so that types and groups of types have intervals too.
struct site_time {
    double calls = 0;         ///< share of the CPU time, 0 to 1; with the releases of the site's blocks
    double page_faults = 0;   ///< the same
    double variance = 0;      ///< of the sum of both
    double systematic = 0;    ///< half of the width that does not become smaller with more samples
    double unknown_above = 0; ///< likewise, but upwards only

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

/// Counts by powers of two: [i] counts values in [2^i, 2^(i+1)), [0] also those below 1.
using log2_histogram = std::array<std::uint64_t, 48>;

/// Size and count.
using counted_sizes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
/// Sorts them, most frequent first, and keeps 8.
void keep_most_frequent(counted_sizes& sizes);

/// What is known of the allocations of one stack by one call, or of several of these together. Of a sampled trace the counts
/// are estimates, and those of neighbouring events (temporary, outgrown, longest_burst) are not known: 0.
struct site_statistics {
    // Counts come first: what nearly every event changes lies together, in few lines of the cache.
    std::uint64_t allocations = 0; ///< those that made a new block; a realloc of a block is not one
    std::uint64_t bytes = 0;       ///< asked for, summed; with what a realloc asked for
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
    std::uint64_t releases = 0;
    std::uint64_t remote_releases = 0; ///< by another thread than the one that allocated
    std::uint64_t temporary = 0;       ///< released by the very next call of the same thread
    std::uint64_t temporary_bytes = 0; ///< of these
    std::uint64_t live_at_end = 0;
    std::uint64_t live_bytes_at_end = 0;
    std::uint64_t peak_live = 0; ///< of several sites together: at most
    std::uint64_t peak_live_bytes = 0;
    /// When all sites together had most bytes live; adds up, unlike peak_live.
    std::uint64_t live_at_peak = 0;
    std::uint64_t live_bytes_at_peak = 0;
    std::uint64_t longest_burst = 0;   ///< most allocations of the site in a row without a release of it
    std::uint64_t unseen_releases = 0; ///< of blocks whose address was given out again before one was seen
    std::uint64_t reallocations = 0;   ///< blocks of this site that a later realloc changed
    /// Took the place of a smaller block, which the very next call released: a vector that grows.
    std::uint64_t outgrown = 0;
    std::uint64_t threads = 0; ///< that allocated here; of several sites together: at least
    sample_spread spread;      ///< of a sampled trace: how far the estimates may be off
    site_time time;            ///< in the allocator; has a meaning where `trace_analysis::time` is known
    /// Size and count, most frequent first; at most 8. Counts are lower bounds where a site has more than 16 sizes.
    counted_sizes sizes;
    counted_sizes resized;      ///< sizes that a realloc asked for
    log2_histogram lifetimes{}; ///< nanoseconds, of released blocks

    /// How much of the allocations have the most frequent size: 1 is uniform.
    double uniformity() const noexcept;
    /// The lifetime below which `share` of the released blocks lie, in nanoseconds (by bucket, interpolated). 0 where
    /// nothing was released.
    double lifetime_quantile(double share) const noexcept;
    /// Adds what another site did. Peaks add up to an upper bound: they need not have been at the same time.
    void merge(const site_statistics& other);
};

struct analysed_site {
    std::uint32_t stack = 0; ///< index of `trace_info::stacks`
    allocation_call call = allocation_call::none;
    site_statistics statistics;
};

/// What the program held and did over time, in equal steps.
struct timeline {
    std::uint64_t step_ns = 0;
    std::vector<std::uint64_t> live_bytes; ///< the most within the step
    std::vector<std::uint64_t> live_blocks;
    std::vector<std::uint64_t> events; ///< in the step
};

struct trace_analysis {
    trace_info info;
    std::vector<analysed_site> sites; ///< by allocations, most first
    site_statistics all;
    allocation_time time; ///< in the allocator, of the whole program
    timeline over_time;
    std::uint64_t peak_ns = 0;          ///< when most bytes were live, for the first time
    std::uint64_t unknown_releases = 0; ///< of blocks whose allocation is not in the trace
    std::uint64_t unseen_releases = 0; ///< blocks whose address was given out again before a release was seen
    std::uint64_t inherited_releases = 0; ///< by a forked child, of blocks that its parent had allocated
    std::uint64_t failures = 0;
};

/// Writes a timeline in bounded memory: when the steps run out, each two become one.
class timeline_recorder {
public:
    static constexpr std::size_t most_steps = 1000;

    /// One event, and what is live after it. Times that go back count for the step that is being written.
    void take(std::uint64_t time, std::uint64_t live_blocks, std::uint64_t live_bytes) {
        if (time >= step_end_) {
            advance(time);
        }
        ++events_;
        blocks_now_ = live_blocks;
        bytes_now_ = live_bytes;
        most_blocks_ = std::max(most_blocks_, live_blocks);
        most_bytes_ = std::max(most_bytes_, live_bytes);
    }

    /// The whole timeline, up to the last event. @pre called once
    timeline finish();

private:
    void advance(std::uint64_t time);
    void close_step();
    void halve();

    timeline line_{.step_ns = 1024, .live_bytes = {}, .live_blocks = {}, .events = {}};
    std::uint64_t step_end_ = 1024;
    std::uint64_t events_ = 0;
    std::uint64_t most_blocks_ = 0;
    std::uint64_t most_bytes_ = 0;
    std::uint64_t blocks_now_ = 0;
    std::uint64_t bytes_now_ = 0;
};

} // namespace linn::tool
