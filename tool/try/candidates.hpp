// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "../advise/advice.hpp"
#include "../pools/plan.hpp"
#include "../run/probe/record.hpp"
#include "../run/run.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linn::tool {

/// How often as many blocks as the program has at its peak a littered heap gets, half of which are freed: so that there
/// is a hole for each of its blocks.
inline constexpr std::uint64_t litter_factor = 2;
/// All blocks together take at least and at most so much, before half of them are freed.
inline constexpr std::uint64_t least_litter_bytes = std::uint64_t{16} << 20;
inline constexpr std::uint64_t most_litter_bytes = std::uint64_t{256} << 20;
/// Larger blocks are no litter: allocators give them pages of their own.
inline constexpr std::uint64_t largest_litter = 64 << 10;

/// With what `linn try --litter` fills the heap before main: the sizes that the trace recorded, each in proportion to the
/// most blocks of it that were live at once. Most frequent first, 512 sizes at most; empty where the trace has none.
std::vector<probe::litter_size> litter_of(const trace_analysis& analysis);

/// Writes what the probe reads. @throws std::runtime_error when that fails
void write_litter(const std::vector<probe::litter_size>& sizes, const std::filesystem::path& file);

/// A type, or all types whose blocks of one size come from one call and cannot be told apart there.
struct try_candidate {
    std::string label;              ///< "HeapString"; "8-byte blocks at libgmp.so.10+0xc919"
    std::vector<std::string> types; ///< their labels
    std::vector<plan_pool> pools;
    std::vector<plan_site> sites;
    std::uint64_t allocations = 0; ///< of the types in the trace, wherever they come from
    double share = 0;              ///< of all allocations of the trace
    double time_share = 0; ///< of the program's CPU time, in the allocator for these blocks; 0: not known
    /// One for each of `types`: "app+0x5ccca" of blocks without a type's name, or of the call that types share; else empty.
    std::vector<std::string> addresses = {};
};

/// Of a type with a smaller share of the allocations it is not told why it is left out, or served in part.
inline constexpr double told_share = 0.01;

/// A type that is not tried.
struct try_left_out {
    std::string type;
    std::string reason;
    double share = 0;         ///< of all allocations of the trace
    std::string address = {}; ///< as in try_candidate
};

struct try_candidates {
    /// Those first on whose blocks the allocator spends most time, or, where that is not known, of which there are most.
    std::vector<try_candidate> list;
    std::vector<try_left_out> left_out;
    std::vector<plan_module> modules; ///< that sites lie in
    /// What the heap is littered with before each run; empty: it is fresh.
    std::vector<probe::litter_size> litter;
    bool is_selection = false; ///< only types that were asked for
    bool lacks_events = false; ///< the trace that they come from is not whole: there may be further types
    double seconds = 0;        ///< that recording and finding them took: the budget covers this, too
};

/// What the files of the program say; plan_module_of() and its like, or a test's own.
struct code_reader {
    std::function<std::optional<plan_module>(const std::filesystem::path&)> module = plan_module_of;
    std::function<std::optional<plan_call>(const std::filesystem::path&, std::uint64_t)> call = plan_call_of;
    std::function<std::optional<unsigned>(const std::filesystem::path&, std::uint64_t)> stack =
        stack_offset_of;
};

struct candidate_options {
    /// Those that have one of these in their label, or have this address; empty: all.
    std::vector<std::string> types;
    bool wants_litter = false;
};

/// The types of the advice whose objects have one size of at most 1008 bytes, as sites of a plan: the return address of the
/// outermost allocation call and the size. Where several types come through one address, the second return address
/// tells them apart, if it lies at a constant place. A type of which less than half can be told, or whose blocks went back
/// unseen, is left out with the reason.
/// @complexity O(sites of the trace x log); reads each module once, and its code once a site
try_candidates find_candidates(const advice& a, const candidate_options& options,
                               const code_reader& code = {});

/// What a slot of a pool measures: the largest size of its sites or its room, rounded up to the pool's alignment.
unsigned slot_bytes(const pool_plan& plan, const plan_pool& pool);

// The names of arms, each a way to run the program; stable.
inline constexpr std::string_view types_arm = "types";     ///< all candidates, a pool for each type
inline constexpr std::string_view by_size_arm = "by-size"; ///< all candidates, a pool for each size
inline constexpr std::string_view every_arm = "every";     ///< every block of any call, by its size
inline constexpr std::string_view empty_arm = "empty";     ///< the preload, and nothing is looked up
inline constexpr std::string_view chosen_arm = "chosen";   ///< the best of the first three, measured again
inline constexpr std::string_view over_arm = "over";       ///< the same in front of the best allocator

/// Pools in one form: what is measured as one.
struct try_arm {
    std::string name;  ///< of its row
    std::string title; ///< "a pool for each type"
    pool_plan plan;
    std::string mode = "on";
    std::vector<std::size_t> served = {};    ///< the candidates whose blocks the pools serve
    std::optional<std::size_t> without = {}; ///< of a part: the candidate that it leaves out
    std::optional<estimate> to_all = {};     ///< of such a part: its CPU time to that of all, judged
};

/// A pool for each type. A plan has room for `most_planned_pools`: the last candidates share a pool for each size if there are more.
try_arm arm_of_types(const try_candidates& candidates, std::vector<std::size_t> which);

/// The same sites, and a pool for each size. With one pool a size already, it has the plan of `arm_of_types`.
try_arm arm_by_size(const try_candidates& candidates, std::vector<std::size_t> which);

/// A pool for each size up to 992 bytes, for any call.
try_arm arm_of_every_block();

/// The preload with that plan, which it does not use.
try_arm arm_without_pools(const pool_plan& plan);

/// What explains the gain of `all`, which is one of the first two above: for each of the `leading` first candidates, the pools
/// without its own, and its own alone. Nothing with one candidate.
std::vector<try_arm> arms_of_parts(const try_candidates& candidates, const try_arm& all, std::size_t leading);

/// The library and the folder that plans are written to.
struct try_place {
    std::filesystem::path library;
    std::filesystem::path folder;
};

/// The arm as a contender of a run. Writes its plan. @throws std::runtime_error when that fails
run_contender contender_of(const try_arm& arm, const try_place& place);

/// The same in front of an allocator. @throws the same
run_contender contender_over(const try_arm& arm, const run_contender& allocator, const try_place& place);

/// Variables of a run of the arm that counts, not to be timed. @throws the same
std::vector<std::string> counting_variables(const try_arm& arm, const try_place& place);

/// What such a run left, which it removes: allocations served, one count for each candidate that the arm serves, in its order; empty
/// where no process wrote statistics.
std::vector<std::uint64_t> take_hits(const try_candidates& candidates, const try_arm& arm,
                                     const try_place& place);

} // namespace linn::tool
