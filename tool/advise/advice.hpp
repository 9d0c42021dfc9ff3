// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/accumulator.hpp"
#include "../symbols/symbolizer.hpp"

#include <cstddef>
#include <cstdint>
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
    linn_pools, ///< a plan of `linn pools`, without a change of the source
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

/// From low to high, as shares of the program's CPU time: 0.11 is 11 %.
struct share_range {
    double low = 0;
    double high = 0;
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
    std::string rule;    ///< which rule decided, a stable word: docs/guide/advise.md lists them
    std::string part;    ///< "linn::list<Particle>", "reserve()"; empty for nothing
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

/// Whether a plan of `linn pools` can serve it: blocks of one size that is not too large.
bool fits_a_plan(const advised_type& t) noexcept;

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

/// Whether the program needs a pool: judge() decides.
enum class pool_answer { yes, no, not_known };

/// A stable word for reports: "yes", "no", "not-known".
const char* to_string(pool_answer answer) noexcept;

/// What decides, as a share of the CPU time, unless the user says otherwise: less is not worth the change of a program.
inline constexpr double worth_a_pool = 0.02;

/// The whole of `linn advise`.
struct advice {
    trace_analysis analysis; ///< with the time in the allocator
    double threshold = worth_a_pool;
    std::string verdict; ///< a few sentences
    pool_answer answer = pool_answer::not_known;
    std::string to_know;             ///< what would make the answer known; empty where it is
    share_range pools;               ///< what pools would remove; without meaning where the time is not known
    std::vector<advised_type> types; ///< by time in the allocator, or by calls where that is not known
    std::vector<advice_finding> findings;
    std::vector<runtime_blocks> kept_by_runtime; ///< not among the leaks
    bool shows_runtime_leaks = false;            ///< --all-leaks: a finding for each of them
    std::vector<std::string> warnings;           ///< what weakens the advice
};

} // namespace linn::tool
