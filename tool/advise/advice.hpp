// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../replay/results.hpp"
#include "../symbols/type_namer.hpp"
#include "analysis.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// What to do about a type.
enum class remedy {
    nothing,
    pooled_container, ///< linn::unordered_set and its like
    pool_allocator,   ///< linn::allocator as a container's argument
    pooled_class,     ///< struct T : linn::pooled<T>, or linn::make_unique
    make_shared,      ///< linn::make_shared
    for_overwrite,    ///< make_…_for_overwrite: the zero fill is the cost
    recycler,
    buffer_pool,
    pool_resource,
    other_allocator,
    reserve,
};

/// A stable word for reports: "pooled-container" …
const char* to_string(remedy r) noexcept;

/// True for the remedies that are parts of Linn serving memory.
bool is_pool(remedy r) noexcept;

/// One place of the user's code that allocates a type.
struct advised_place {
    symbol_frame frame;
    double share = 0;                  ///< of the type's allocations
    std::vector<symbol_frame> callers; ///< of the most frequent stack, from `frame` outwards
    std::vector<std::uint32_t> sites;  ///< indices of `trace_analysis::sites`
};

/// From low to high, as shares of the run's CPU time: 0.11 is 11 %.
struct gain_range {
    double low = 0;
    double high = 0;
};

/// What page faults take of the run: page_faults_of().
struct page_fault_cost {
    std::uint64_t count = 0; ///< of the run without recording; 0: not known, and nothing else is
    gain_range of_run;       ///< shares of its CPU time
    double of_pools = 0;     ///< of that at most: what types have that a pool of huge pages can serve
};

/// Why a gain is an estimate, and was not measured by a replay.
enum class estimate_reason {
    none,       ///< it was measured, or nothing is advised
    no_replay,  ///< not wanted, or the trace has no events to replay
    negligible, ///< all allocations together take too little of the run
    not_a_pool, ///< a replay can serve blocks from a pool, and make no other change
    too_many,   ///< other types come first, and the time was up
    few_rounds, ///< the time was not enough for the rounds that an interval takes
    failed,     ///< the replay failed or was stopped
};

/// A stable word for reports: "no-replay" …; empty for none
const char* to_string(estimate_reason r) noexcept;

/// What the program saved while its blocks came from preloaded pools: `linn advise --try`. A lower bound of what the change of the
/// source saves.
struct measured_gain {
    double saved = 0;         ///< share of CPU time, the estimate
    gain_range interval;      ///< of it, 95 %
    std::size_t together = 1; ///< types that were measured as one, this one among them
    double empty_plan_cost =
        0; ///< share of CPU time that the preload alone takes: by so much the bound is low
};

/// One type of the program.
struct advised_type {
    std::string name;      ///< "Particle"
    std::string container; ///< "std::list<Particle>"; empty: none
    named_type named;      ///< of its most frequent site
    site_statistics statistics;
    std::vector<advised_place> places; ///< most allocations first
    double share = 0;                  ///< of all allocations
    std::size_t instantiations = 1;    ///< of a class template, where several are one line: "lazy<...>"
    double summed_uniformity = 0;      ///< of several: that of each, by its allocations
    remedy what = remedy::nothing;
    std::string rule;              ///< which rule decided, a stable word: docs/guide/advise.md lists them
    std::string part;              ///< "linn::list<Particle>", "reserve()"; empty for nothing
    gain_range cost;               ///< share of the run that its allocations take
    gain_range gain;               ///< predicted
    bool is_gain_measured = false; ///< by a replay of this type; else it is estimated from counts
    estimate_reason estimated_because = estimate_reason::none;
    bool was_replayed = false;          ///< with this type from a pool
    std::optional<measured_gain> tried; ///< where it was
    std::string not_tried;              ///< why not, where --try was asked for; else empty
    std::string
        served_with; ///< the label of the type whose change serves this one too, and has the gain; empty: none
    std::size_t serves = 1; ///< types, with the change of this one
    std::string runtime; ///< the runtime library's own blocks, by which rule; empty: they are the program's
    std::uint64_t runtime_live = 0; ///< blocks of it that the runtime library keeps until the end
    std::uint64_t runtime_live_bytes = 0;
    std::uint64_t runtime_allocations = 0;
    bool wants_huge_pages =
        false; ///< the advised pool is to have them: it, or another that the same change serves, is large
    std::string why;     ///< a sentence or two
    std::string snippet; ///< the change, as lines that begin with "-" and "+"; empty for nothing

    /// How much of the allocations have the most frequent size, that of each instantiation: 1 is uniform.
    double uniformity() const noexcept {
        return instantiations > 1 ? summed_uniformity : statistics.uniformity();
    }
    /// One size, but for a few.
    bool is_uniform() const noexcept { return uniformity() >= 0.9; }
};

/// Blocks that the runtime libraries allocated and keep on purpose.
struct runtime_blocks {
    std::string rule; ///< a stable word: docs/guide/advise.md lists them
    std::string what; ///< "buffers of the standard streams"
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};

/// What else was seen: leaks, temporary allocations, zero fills, missing debug information.
struct advice_finding {
    std::string
        kind; ///< "page-faults", "leak", "live", "runtime-leak", "temporary", "zero-fill", "symbols", "remote", "runtime"; stable
    std::string text; ///< a sentence
    symbol_frame place;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};

/// Whether the program needs a pool, as far as the trace and its replay tell: verdict_of() decides.
enum class pool_answer { yes, no, not_known };

/// A stable word for reports: "yes", "no", "not-known".
const char* to_string(pool_answer answer) noexcept;

/// What `linn try` said of the program, for `linn advise --try`.
struct tried_pools {
    pool_answer predicted = pool_answer::not_known; ///< the answer without it
    pool_answer answer = pool_answer::not_known;    ///< its own
    std::optional<measured_gain> gain; ///< of the pools that it chose, together; empty: not measured
    std::string verdict;               ///< its sentence; empty where it has a problem
    std::vector<std::string> findings;
    std::vector<std::string> warnings;
    std::string problem;   ///< why it measured nothing, or not all
    std::string only_type; ///< only types with this in their name were tried; empty: all
};

/// The whole of `linn advise`.
struct advice {
    trace_analysis analysis;
    std::string verdict; ///< one sentence
    pool_answer answer = pool_answer::not_known;
    std::string to_know;              ///< what would make the answer known; empty where it is
    gain_range pools;                 ///< what all pools that are advised would save together
    double program_cpu_ns = 0;        ///< of the run, without the recording; 0: not known
    gain_range ceiling;               ///< what an allocator that costs nothing would save
    bool is_ceiling_measured = false; ///< by replay; else it is estimated from the number of events
    page_fault_cost page_faults;
    std::vector<advised_type> types; ///< by predicted gain, then by allocations
    std::vector<advice_finding> findings;
    std::vector<runtime_blocks> kept_by_runtime; ///< not among the leaks
    bool shows_runtime_leaks = false;            ///< --all-leaks: a finding for each of them
    std::vector<std::string> warnings;           ///< what weakens the advice
    replay_result replay; ///< that the ceiling and the gains come from; without rows where none was made
    std::optional<tried_pools> tried; ///< with --try
    int interrupted_by = 0;
};

} // namespace linn::tool
