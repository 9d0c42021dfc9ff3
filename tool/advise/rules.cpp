// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include "../measure/quantity.hpp"
#include "../pools/compiled_plan.hpp"
#include "../symbols/call_chain.hpp"
#include "snippet.hpp"
#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace linn::tool {
namespace {

using figures::agreeing;
using figures::counted;
using figures::percent;
using figures::unit;
using figures::written;

constexpr double rare_cost = 0.005;      // of the run: not worth a line of code
constexpr std::uint64_t few_blocks = 16; // nor are so few, unless they are large
constexpr double kept_cost = 0.03;       // of the run: below it, what is allocated once is left alone
constexpr double fill_cost = 0.01;       // of the run
constexpr double large = 64 * 1024;      // bytes
constexpr double reused = 4;             // blocks allocated for each that is live at once
constexpr std::uint64_t burst = 256;     // allocations in a row
constexpr std::uint64_t packet = 1024;

const site_statistics& counts(const type_facts& f) {
    return f.type.statistics;
}

double turnover(const type_facts& f) {
    const site_statistics& s = counts(f);
    return s.peak_live == 0 ? 0 : static_cast<double>(s.allocations) / static_cast<double>(s.peak_live);
}

double typical_size(const type_facts& f) {
    const site_statistics& s = counts(f);
    return s.allocations == 0
               ? 0
               : static_cast<double>(s.bytes) / static_cast<double>(s.allocations + s.reallocations);
}

std::string typical_text(const type_facts& f) {
    return figures::bytes_text(static_cast<std::uint64_t>(std::llround(typical_size(f))));
}

template <container_kind Kind>
bool is_of(const type_facts& f) {
    return f.kind == Kind;
}

std::string element(const type_facts& f) {
    constexpr std::string_view prefix = "control block of ";
    const std::string& type = f.type.name;
    return type.starts_with(prefix) ? type.substr(prefix.size()) : type;
}

std::string size_text(const type_facts& f) {
    const site_statistics& s = counts(f);
    if (f.type.instantiations > 1 && s.smallest != s.largest) {
        return fmt::format("{} to {} bytes, of one size for each type", s.smallest, s.largest);
    }
    return s.sizes.empty() ? std::string{} : counted(s.sizes.front().first, "byte");
}

/// What is behind every advice for a pool: one size, and how often a block could have been used again.
std::string pool_reason(const type_facts& f) {
    const site_statistics& s = counts(f);
    std::string text = fmt::format("{} of {}", counted(s.allocations, "block"), size_text(f));
    if (s.peak_live != 0 && turnover(f) >= 1.5) {
        text += fmt::format(", of which at most {} at once: each slot of a pool would serve {} times",
                            counted(s.peak_live, "lives", "live"), written(unit::count, turnover(f)));
    } else {
        text += ", most of them live at once: what a pool saves is the call and the header of each block, "
                "not the page faults of the first use";
    }
    if (s.releases != 0 && s.remote_releases * 10 > s.releases) {
        text +=
            fmt::format("; {} are released by another thread, which a linn pool allows",
                        percent(static_cast<double>(s.remote_releases) / static_cast<double>(s.releases)));
    }
    if (s.threads > 1 && s.longest_burst >= burst && typical_size(f) >= packet) {
        text += fmt::format("; in bursts of {} and more over several threads Linn is no faster than the best "
                            "general allocators: measure it",
                            burst);
    }
    return text;
}

// The rules, in the order of the table below.

/// Blocks of malloc() whose type is not known have no form of C++ without the fill: "zero fills" tells of them.
bool is_of_c(const type_facts& f) {
    return f.type.named.is_c || (f.type.named.rule == type_rule::none && !f.is_operator_new);
}

/// Something to use, whose name in a table is `name`: "linn::list", "<Order>".
advised_use use_of(const std::string& name, const std::string& rest = {}) {
    return {name, name + rest, "use " + name + rest};
}

/// Something to do, for which a table has a word.
advised_use to_do(const std::string& word, const std::string& how) {
    return {word, word + ": " + how, how};
}

bool is_fill(const type_facts& f) {
    // A hash table needs its buckets to be zero.
    return f.kind != container_kind::hash_buckets && !is_of_c(f) && counts(f).fills != 0 &&
           f.fill_cost >= fill_cost;
}
advised_use fill_use(const type_facts& f) {
    if (f.kind == container_kind::shared_ptr) {
        return use_of("linn::make_shared_for_overwrite", fmt::format("<{}>()", element(f)));
    }
    if (f.kind == container_kind::unique_ptr) {
        return use_of("std::make_unique_for_overwrite",
                      fmt::format("<{}>()", f.type.named.is_array ? element(f) + "[]" : element(f)));
    }
    if (f.kind == container_kind::array) {
        return use_of("std::make_unique_for_overwrite", fmt::format("<{}[]>(n)", element(f)));
    }
    return f.type.named.rule == type_rule::none ? unnamed_fill_use() : use_of("new without ()");
}
std::string fill_why(const type_facts& f) {
    const site_statistics& s = counts(f);
    return fmt::format("{} wrote {} into blocks that had just been allocated: unnecessary if the content is "
                       "overwritten anyway",
                       counted(s.fills, "zero fill"),
                       written(unit::bytes, static_cast<double>(s.filled_bytes)));
}

bool is_rare(const type_facts& f) {
    const bool are_few =
        counts(f).allocations + counts(f).reallocations < few_blocks && typical_size(f) < large;
    return f.is_cost_known && (f.cost < rare_cost || are_few);
}
std::string rare_why(const type_facts& f) {
    return fmt::format("{} {} of the run",
                       counted(counts(f).allocations, "allocation costs", "allocations cost"),
                       at_most_text(f.cost));
}

bool is_few_and_large(const type_facts& f) {
    return typical_size(f) >= large && turnover(f) < reused;
}
std::string few_and_large_why(const type_facts& f) {
    return fmt::format("{} of {} on average, and no more than {} for each that is live at once: there "
                       "is little to reuse",
                       counted(counts(f).allocations, "block"), typical_text(f),
                       written(unit::times, turnover(f)));
}

bool is_kept(const type_facts& f) {
    const site_statistics& s = counts(f);
    const bool lives_long =
        s.live_at_end * 2 > s.allocations || (f.run_ns > 0 && s.lifetime_quantile(0.5) > f.run_ns / 4);
    return lives_long && turnover(f) < 1.5 && f.is_cost_known && f.cost < kept_cost;
}
std::string kept_why(const type_facts& f) {
    return fmt::format(
        "allocated once and kept: {} of {} {} live at the same time, and all of them together cost {} of "
        "the run",
        counts(f).peak_live, counts(f).allocations, agreeing(counts(f).peak_live, "is", "are"),
        at_most_text(f.cost));
}

bool is_buffer(const type_facts& f) {
    return typical_size(f) >= large && turnover(f) >= reused;
}
advised_use buffer_use(const type_facts& f) {
    return use_of("linn::buffer_pool", fmt::format(" of {} bytes", counts(f).largest));
}
std::string buffer_why(const type_facts& f) {
    return fmt::format("blocks of {} on average, of which at most {} live at once: a buffer pool keeps their "
                       "pages, so that reuse costs no page fault and no system call",
                       typical_text(f), counts(f).peak_live);
}

std::string buckets_why(const type_facts&) {
    return "the table of an unordered container, which grows by rehashing; reserve(n) before filling avoids "
           "that, a pool of nodes does not";
}

bool is_allocator_parameter(const type_facts& f) {
    return is_served_by_alias(f.type);
}
advised_use allocator_use(const type_facts& f) {
    return use_of("linn::allocator",
                  fmt::format(" as argument of {}", plain_type(f.type.named.takes_allocator)));
}
std::string allocator_why(const type_facts& f) {
    return fmt::format(
        "{}; {} takes its allocator as a template argument: one alias serves all that it allocates",
        pool_reason(f), plain_type(f.type.named.takes_allocator));
}

bool is_costly(const type_facts& f) {
    return f.is_cost_known && f.cost >= kept_cost;
}

/// Code that one does not change asked for it; but a class of the user's own that `new` makes takes its pool along.
bool is_foreign(const type_facts& f) {
    const named_type& named = f.type.named;
    const bool is_made_by_new = f.kind == container_kind::none || f.kind == container_kind::other ||
                                f.kind == container_kind::unique_ptr;
    return named.is_c || (named.is_library && !(is_made_by_new && is_users_class(f.type)));
}
std::string foreign_why(const type_facts& f) {
    if (f.type.named.is_c) {
        return "allocated by code of another language, which cannot use a C++ pool";
    }
    const symbol_frame place = f.type.places.empty() ? symbol_frame{} : f.type.places.front().frame;
    if (place.library.empty() && place.file.empty()) {
        return "allocated by code without debug information";
    }
    return fmt::format("allocated within {}, whose code is not yours to change",
                       place.library.empty() ? "a library or its header" : place.library);
}
bool is_foreign_and_costly(const type_facts& f) {
    return is_foreign(f) && is_costly(f);
}
bool is_foreign_and_planned(const type_facts& f) {
    return is_foreign_and_costly(f) && fits_a_plan(f.type);
}
/// The same where only the library is known.
bool is_a_librarys_and_planned(const type_facts& f) {
    return !f.is_users && is_costly(f) && fits_a_plan(f.type);
}
advised_use planned_use(const type_facts&) {
    return to_do("linn pools", "measure pools with linn try, keep them with linn pools");
}
std::string planned_why(const type_facts& f) {
    return fmt::format("{}; linn pools serves blocks of at most {} bytes without a change", foreign_why(f),
                       largest_planned_size);
}
advised_use other_allocator_use(const type_facts&) {
    return to_do("another allocator", "try others with linn run");
}
std::string foreign_and_costly_why(const type_facts& f) {
    return foreign_why(f) + "; another allocator serves it too";
}

bool has_reserve(const type_facts& f) {
    return f.kind == container_kind::text ||
           (f.kind == container_kind::array && !f.type.container.starts_with("std::deque<"));
}
bool is_growth(const type_facts& f) {
    const site_statistics& s = counts(f);
    const bool has_steps = s.largest >= 2 * s.smallest; // else it got its only block late
    return (has_reserve(f) && f.grows && has_steps) || s.reallocations * 10 > s.allocations * 3;
}
advised_use growth_use(const type_facts& f) {
    return use_of(has_reserve(f) ? "reserve()" : "a larger first size");
}
std::string growth_why(const type_facts& f) {
    const site_statistics& s = counts(f);
    if (s.reallocations != 0) {
        return fmt::format(
            "{} enlarged {}; to request the final size at once saves the steps and the copying",
            counted(s.allocations, "block was", "blocks were"), counted(s.reallocations, "time"));
    }
    return fmt::format(
        "{} from {} to {} bytes, allocated by a container that outgrew its block: reserve() saves "
        "the steps and the copying",
        counted(s.allocations, "block"), s.smallest, s.largest);
}

/// An allocator of pointers whose container is not known: only arrays have elements like that.
bool is_array_of_pointers(const type_facts& f) {
    return f.kind == container_kind::none && f.type.named.rule == type_rule::allocator &&
           f.type.name.ends_with('*');
}
bool is_text_or_array(const type_facts& f) {
    return f.kind == container_kind::array || f.kind == container_kind::text || is_array_of_pointers(f);
}
bool is_temporary_array(const type_facts& f) {
    return is_text_or_array(f) && turnover(f) >= reused;
}
advised_use reuse_use(const type_facts& f) {
    return to_do("reuse", f.kind == container_kind::text
                              ? "keep one string and clear it, or use std::string_view"
                              : "keep one container and clear it");
}
std::string reuse_why(const type_facts& f) {
    return fmt::format("{}, of which at most {} at once: a container outside the loop that is cleared "
                       "keeps its memory{}",
                       counted(counts(f).allocations, "block"), counted(counts(f).peak_live, "lives", "live"),
                       counts(f).smallest == counts(f).largest
                           ? ""
                           : fmt::format("; a pool of one size does not fit blocks of {} to {} bytes",
                                         counts(f).smallest, counts(f).largest));
}

std::string plain_array_why(const type_facts&) {
    return "long-lived arrays of different sizes: no pool of one size fits them";
}

/// "std::list<X>" as "linn::list<X>".
advised_use container_use(const type_facts& f) {
    const std::string name = f.type.container.substr(std::string_view{"std::"}.size());
    const std::size_t arguments = std::min(name.find('<'), name.size());
    return use_of("linn::" + name.substr(0, arguments), name.substr(arguments));
}

bool is_recycled(const type_facts& f) {
    return !is_std_holder(f.type.name) &&
           (f.kind == container_kind::shared_ptr || f.kind == container_kind::unique_ptr ||
            (f.kind == container_kind::none && f.is_operator_new && f.is_type_known &&
             !f.type.named.is_array)) &&
           !f.owned.empty() && turnover(f) >= reused;
}
advised_use recycler_use(const type_facts& f) {
    return use_of("linn::recycler", fmt::format("<{}>", element(f)));
}
std::string recycler_why(const type_facts& f) {
    return fmt::format(
        "each object allocates its own memory again ({}): a recycler keeps it constructed, with that "
        "memory; {}",
        f.owned, pool_reason(f));
}

advised_use make_shared_use(const type_facts& f) {
    return use_of("linn::make_shared", fmt::format("<{}>()", element(f)));
}
std::string control_block_why(const type_facts& f) {
    return fmt::format(
        "the control block of a shared_ptr that took a pointer from new: make_shared puts both into "
        "one block; {}",
        pool_reason(f));
}

bool is_made_shared(const type_facts& f) {
    return f.kind == container_kind::shared_ptr && !f.type.named.is_array;
}

bool is_made_unique(const type_facts& f) {
    return f.kind == container_kind::unique_ptr && !f.type.named.is_array && f.type.is_uniform();
}
advised_use pooled_use(const type_facts& f) {
    const std::string arguments = f.type.name.ends_with('>') ? "<...>" : "";
    const std::string code =
        fmt::format("struct {0} : linn::pooled<{0}{1}>", last_component(element(f)), arguments);
    return {"linn::pooled", code, "use " + code};
}
/// The class takes its pool along where it can: linn::make_unique returns another type than std::make_unique.
advised_use make_unique_use(const type_facts& f) {
    return is_users_class(f.type) ? pooled_use(f)
                                  : use_of("linn::make_unique", fmt::format("<{}>()", element(f)));
}

std::string function_why(const type_facts&) {
    return "std::function takes no allocator; a callable of 16 bytes or less is stored inside it, and a "
           "template parameter or a function reference needs no block";
}

std::string resource_why(const type_facts&) {
    return "the chunks of a memory resource: a recording does not see the blocks inside them";
}

std::string thread_why(const type_facts&) {
    return "allocated when a thread starts, which costs a thousand times more than the block: keep the "
           "thread instead";
}

/// A single object, by `new` or in a container that takes no allocator. Pointers are a container's whose name is lost.
bool is_object(const type_facts& f) {
    return (f.kind == container_kind::none || f.kind == container_kind::other) && !f.type.named.is_array &&
           !f.type.name.ends_with('*') && f.type.is_uniform();
}

bool is_class(const type_facts& f) {
    const bool is_not_foreign = f.type.named.declared.file.empty() || is_users_class(f.type);
    return is_object(f) && f.is_operator_new && f.is_type_known && is_not_foreign &&
           !f.type.name.starts_with("std::");
}

bool is_uniform_block(const type_facts& f) {
    return is_object(f) && f.is_users;
}
advised_use pool_use(const type_facts& f) {
    return use_of("linn::pool", f.is_type_known ? fmt::format("<{}>", element(f)) : " of the type");
}
std::string uniform_block_why(const type_facts& f) {
    return pool_reason(f) +
           "; only if your own code also releases them: a pool's block must not reach free()";
}

bool is_mixed_in_one_thread(const type_facts& f) {
    const site_statistics& s = counts(f);
    return f.is_users && s.threads <= 1 && s.remote_releases == 0 && s.releases != 0 &&
           typical_size(f) < 4096;
}
advised_use resource_use(const type_facts&) {
    return use_of("linn::pool_resource", " with std::pmr containers");
}
std::string mixed_in_one_thread_why(const type_facts& f) {
    return fmt::format(
        "blocks of many sizes ({} to {} bytes) that one thread allocates and releases: a resource with "
        "size classes fits them, if the code can use one",
        counts(f).smallest, counts(f).largest);
}

std::string other_allocator_why(const type_facts& f) {
    if (!f.is_users) {
        return "allocated within a library, whose code is not yours to change; another allocator serves it "
               "too";
    }
    return fmt::format(
        "blocks of many sizes ({} to {} bytes) over several threads: general allocators are made for "
        "them",
        counts(f).smallest, counts(f).largest);
}

bool always(const type_facts&) {
    return true;
}
std::string rest_why(const type_facts& f) {
    return f.is_users ? "blocks of many sizes that cost little" : "allocated within a library";
}

constexpr std::array table{
    advice_rule{"zero-fill", is_fill, remedy::for_overwrite, fill_use, fill_why},
    advice_rule{"rare", is_rare, remedy::nothing, nullptr, rare_why},
    advice_rule{"few-and-large", is_few_and_large, remedy::nothing, nullptr, few_and_large_why},
    advice_rule{"kept", is_kept, remedy::nothing, nullptr, kept_why},
    advice_rule{"hash-buckets", is_of<container_kind::hash_buckets>, remedy::nothing, nullptr, buckets_why},
    advice_rule{"allocator-parameter", is_allocator_parameter, remedy::pool_allocator, allocator_use,
                allocator_why},
    advice_rule{"foreign-planned", is_foreign_and_planned, remedy::linn_pools, planned_use, planned_why},
    advice_rule{"foreign-costly", is_foreign_and_costly, remedy::other_allocator, other_allocator_use,
                foreign_and_costly_why},
    advice_rule{"foreign", is_foreign, remedy::nothing, nullptr, foreign_why},
    advice_rule{"growth", is_growth, remedy::reserve, growth_use, growth_why},
    advice_rule{"large-buffers", is_buffer, remedy::buffer_pool, buffer_use, buffer_why},
    advice_rule{"temporary-array", is_temporary_array, remedy::reserve, reuse_use, reuse_why},
    advice_rule{"array", is_text_or_array, remedy::nothing, nullptr, plain_array_why},
    advice_rule{"node", is_of<container_kind::node>, remedy::pooled_container, container_use, pool_reason},
    advice_rule{"owns-more", is_recycled, remedy::recycler, recycler_use, recycler_why},
    advice_rule{"control-block", is_of<container_kind::control_block>, remedy::make_shared, make_shared_use,
                control_block_why},
    advice_rule{"make-shared", is_made_shared, remedy::make_shared, make_shared_use, pool_reason},
    advice_rule{"make-unique", is_made_unique, remedy::pooled_class, make_unique_use, pool_reason},
    advice_rule{"function", is_of<container_kind::function>, remedy::nothing, nullptr, function_why},
    advice_rule{"memory-resource", is_of<container_kind::pmr>, remedy::nothing, nullptr, resource_why},
    advice_rule{"thread", is_of<container_kind::thread>, remedy::nothing, nullptr, thread_why},
    advice_rule{"class", is_class, remedy::pooled_class, pooled_use, pool_reason},
    advice_rule{"uniform-block", is_uniform_block, remedy::pooled_class, pool_use, uniform_block_why},
    advice_rule{"mixed-one-thread", is_mixed_in_one_thread, remedy::pool_resource, resource_use,
                mixed_in_one_thread_why},
    advice_rule{"costly-planned", is_a_librarys_and_planned, remedy::linn_pools, planned_use, planned_why},
    advice_rule{"costly", is_costly, remedy::other_allocator, other_allocator_use, other_allocator_why},
    advice_rule{"rest", always, remedy::nothing, nullptr, rest_why},
};

} // namespace

advised_use unnamed_fill_use() {
    return to_do("no zero fill", "leave out T() or memset");
}

bool is_served_by_alias(const advised_type& type) {
    const container_kind kind = kind_of(type.named);
    const bool takes_one =
        kind == container_kind::none || kind == container_kind::node || kind == container_kind::other;
    return takes_one && !type.named.takes_allocator.empty() && !type.named.is_array && type.is_uniform();
}

std::span<const advice_rule> advice_rules() {
    return table;
}

const advice_rule& deciding_rule(const type_facts& facts) {
    return *std::find_if(table.begin(), table.end(),
                         [&](const advice_rule& rule) { return rule.applies(facts); });
}

} // namespace linn::tool
