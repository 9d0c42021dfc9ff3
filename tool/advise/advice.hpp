// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../analysis/accumulator.hpp"
#include "../symbols/symbolizer.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// What an advice says to use or to do.
struct advised_use {
    std::string name;     ///< what a table has room for: "linn::list", "reserve()", "reuse"
    std::string text;     ///< "linn::list<Particle>", "reserve()", "reuse: keep one container and clear it"
    std::string sentence; ///< the same as a sentence begins: "use linn::list<Particle>"

    bool empty() const noexcept { return name.empty(); }
};

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
    bool shares_label = false;         ///< another type of this container has a row, too
    std::size_t instantiations = 1;    ///< of a class template, where several are one line: "lazy<...>"
    double summed_uniformity = 0;      ///< of several: that of each, by its allocations
    remedy what = remedy::nothing;
    std::string rule;    ///< which rule decided, a stable word: docs/guide/advise.md lists them
    advised_use use;     ///< empty for nothing
    std::string runtime; ///< the runtime library's own blocks, by which rule; empty: they are the program's
    std::uint64_t runtime_live = 0; ///< blocks of it that the runtime library keeps until the end
    std::uint64_t runtime_live_bytes = 0;
    /// The advised pool is to have them: it, or another that the same change serves, is large.
    bool wants_huge_pages = false;
    std::string why;     ///< a sentence or two
    std::string snippet; ///< the change, as lines that begin with "-" and "+"; empty for nothing

    /// How much of the allocations have the most frequent size, that of each instantiation: 1 is uniform.
    double uniformity() const noexcept {
        return instantiations > 1 ? summed_uniformity : statistics.uniformity();
    }
    /// One size, but for a few.
    bool is_uniform() const noexcept { return uniformity() >= 0.9; }
};

/// What the slots for blocks of `size` bytes hold so that most reallocs leave them where they are; 0: no more than that.
std::uint64_t room_for_growth(std::uint64_t size, const site_statistics& s);

/// Whether `linn pools` can serve it: blocks that are not too large, of one size or from a pool for each size; or all but a few of
/// one size that do not outgrow their slot.
bool fits_a_plan(const advised_type& t);

/// A pool whose live objects take at least so much has huge pages: a slab is one, so that less than one is spent for
/// nothing, and each saves 511 page faults and as many entries of the TLB.
inline constexpr std::uint64_t huge_live_bytes = std::uint64_t{2} << 20;

/// What a slot of the preloaded pools measures for objects of so many bytes, unless they are over-aligned.
constexpr std::uint64_t preloaded_slot_bytes(std::uint64_t bytes) noexcept {
    return (bytes + 15) / 16 * 16;
}

/// The one place where it is decided, for the pools that `linn try` preloads and for those that `linn advise` suggests.
constexpr bool is_worth_huge_pages(std::uint64_t live_objects, std::uint64_t slot_bytes) noexcept {
    return live_objects * slot_bytes >= huge_live_bytes;
}

/// The option that a pool in the source needs for them, as code.
inline constexpr const char* huge_pages_option = "{.huge_pages = true}";

/// Why and how, as a sentence; empty where the type wants none. @pre `type.wants_huge_pages` is decided
std::string huge_pages_text(const advised_type& type);

/// Blocks that the runtime libraries allocated and keep on purpose.
struct runtime_blocks {
    std::string rule; ///< a stable word: docs/guide/advise.md lists them
    std::string what; ///< "buffers of the standard streams"
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
};

/// What else was seen: leaks, temporary allocations, missing debug information.
struct advice_finding {
    /// "page-faults", "leak", "live", "temporary", "symbols", "runtime"; stable.
    std::string kind;
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
    std::vector<std::string> warnings;           ///< what weakens the advice
};

/// The one place that decides: yes where pools would remove at least `threshold` by the lower end; no where allocation as a
/// whole takes less by its upper end, and no event is missing; otherwise it is not known. What a trace without its end
/// holds can only add to a yes. @pre `a.pools` is known
pool_answer judge(const advice& a, double threshold);

/// Writes the answer and the sentences that come first into the advice. Every form of the report and the exit status take
/// them from there. Where the answer is no, the types for which a pool was advised are advised none, by the rule `no-gain`:
/// no row contradicts the sentence. @pre the types are decided, and by time in the allocator
void take_verdict(advice& a);

/// "2.1 %", "18 %", "less than 0.1 %".
std::string share_text(double share);

/// "at most 2.1 %", "less than 0.1 %".
std::string at_most_text(double share);

/// Where the names of types and the state of modules come from: a symbolizer, or a test's own.
struct naming {
    std::function<named_type(const allocation_site&)> name;
    std::function<module_symbols(const std::string& module, const std::string& build_id)> about;
};

/// Names by a symbolizer, which must outlive the result.
inline naming naming_by(symbolizer& symbols) {
    return {.name = [&](const allocation_site& site) { return symbols.name(site); },
            .about = [&](const std::string& module,
                         const std::string& build_id) { return symbols.about(module, build_id); }};
}

/// The lines of a source file; nothing where it cannot be read.
using source_reader = std::function<std::optional<std::vector<std::string>>(const std::string& file)>;

/// The change that a remedy asks for, as lines that begin with "-" and "+", with the user's own line where the file can be
/// read and has one that fits; else a form to fill in. Empty where there is nothing to show.
std::string snippet_for(const advised_type& type, const source_reader& sources);

/// What advise() asks of others.
struct advise_parts {
    naming names;
    source_reader sources = read_source;
    std::function<void(const char* doing, double share)> progress; ///< may be empty
};

/// Everything that `linn advise` says of an analysed trace. `threshold`: the share of the CPU time that decides.
/// @complexity O(sites x log), and the naming of each site
advice advise(trace_analysis analysis, const advise_parts& parts, double threshold = worth_a_pool);

} // namespace linn::tool
