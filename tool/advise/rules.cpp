// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include "../measure/quantity.hpp"
#include "../pools/compiled_plan.hpp"
#include "../symbols/call_chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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
    if (s.sizes.empty() || s.smallest == s.largest) {
        return counted(s.largest, "byte");
    }
    return fmt::format("{} to {} bytes (most often {})", s.smallest, s.largest, s.sizes.front().first);
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

/// Something to use, whose name in a table is `name`: "linn::list", "<Order>".
advised_use use_of(const std::string& name, const std::string& rest = {}) {
    return {name, name + rest, "use " + name + rest};
}

/// Something to do, for which a table has a word.
advised_use to_do(const std::string& word, const std::string& how) {
    return {word, word + ": " + how, how};
}

template <container_kind Kind>
bool is_of(const type_facts& f) {
    return f.kind == Kind;
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
    if (!place.is_foreign && place.file.empty()) {
        return "allocated by code without debug information";
    }
    return fmt::format("allocated within {}, whose code is not yours to change",
                       place.is_foreign ? place.module : "a library or its header");
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

bool has_reserve(const type_facts& f) {
    return f.kind == container_kind::text ||
           (f.kind == container_kind::array && !f.type.container.starts_with("std::deque<"));
}

/// An allocator of pointers whose container is not known: only arrays have elements like that.
bool is_array_of_pointers(const type_facts& f) {
    return f.kind == container_kind::none && f.type.named.rule == type_rule::allocator &&
           f.type.name.ends_with('*');
}
bool is_text_or_array(const type_facts& f) {
    return f.kind == container_kind::array || f.kind == container_kind::text || is_array_of_pointers(f);
}

advised_use make_shared_use(const type_facts& f) {
    return use_of("linn::make_shared", fmt::format("<{}>()", element(f)));
}
advised_use pooled_use(const type_facts& f) {
    const std::string arguments = f.type.name.ends_with('>') ? "<...>" : "";
    const std::string code =
        fmt::format("struct {0} : linn::pooled<{0}{1}>", last_component(element(f)), arguments);
    return {"linn::pooled", code, "use " + code};
}

/// A single object, by `new` or in a container that takes no allocator. Pointers are a container's whose name is lost.
bool is_object(const type_facts& f) {
    return (f.kind == container_kind::none || f.kind == container_kind::other) && !f.type.named.is_array &&
           !f.type.name.ends_with('*') && f.type.is_uniform() && counts(f).largest != 0;
}

constexpr advice_rule table[]{
    {"rare",
     [](const type_facts& f) {
         const bool are_few =
             counts(f).allocations + counts(f).reallocations < few_blocks && typical_size(f) < large;
         return are_few || (f.is_cost_known && f.cost < rare_cost);
     },
     remedy::nothing, nullptr,
     [](const type_facts& f) {
         return counted(counts(f).allocations, "allocation") +
                (f.is_cost_known ? fmt::format(", {} of the run", at_most_text(f.cost)) : "");
     }},
    {"few-and-large", [](const type_facts& f) { return typical_size(f) >= large && turnover(f) < reused; },
     remedy::nothing, nullptr,
     [](const type_facts& f) {
         return fmt::format("{} of {} on average, and no more than {} for each that is live at "
                            "once: there is little to reuse",
                            counted(counts(f).allocations, "block"), typical_text(f),
                            written(unit::times, turnover(f)));
     }},
    {"kept",
     [](const type_facts& f) {
         const site_statistics& s = counts(f);
         const bool lives_long =
             s.live_at_end * 2 > s.allocations || (f.run_ns > 0 && s.lifetime_quantile(0.5) > f.run_ns / 4);
         return lives_long && turnover(f) < 1.5 && f.is_cost_known && f.cost < kept_cost;
     },
     remedy::nothing, nullptr,
     [](const type_facts& f) {
         return fmt::format("allocated once and kept: {} of {} {} live at the same time, and all "
                            "of them together cost {} of the run",
                            counts(f).peak_live, counts(f).allocations,
                            agreeing(counts(f).peak_live, "is", "are"), at_most_text(f.cost));
     }},
    {"hash-buckets", is_of<container_kind::hash_buckets>, remedy::nothing, nullptr,
     [](const type_facts&) -> std::string {
         return "the table of an unordered container, which grows by rehashing; reserve(n) before "
                "filling avoids that, a pool of nodes does not";
     }},
    {"allocator-parameter", [](const type_facts& f) { return is_served_by_alias(f.type); },
     remedy::pool_allocator,
     [](const type_facts& f) {
         return use_of("linn::allocator",
                       fmt::format(" as argument of {}", plain_type(f.type.named.takes_allocator)));
     },
     [](const type_facts& f) {
         return fmt::format("{}; {} takes its allocator as a template argument: one alias serves "
                            "all that it allocates",
                            pool_reason(f), plain_type(f.type.named.takes_allocator));
     }},
    {"foreign-planned",
     [](const type_facts& f) { return is_foreign(f) && is_costly(f) && fits_a_plan(f.type); },
     remedy::linn_pools, planned_use, planned_why},
    {"foreign-costly", [](const type_facts& f) { return is_foreign(f) && is_costly(f); },
     remedy::other_allocator, other_allocator_use,
     [](const type_facts& f) { return foreign_why(f) + "; another allocator serves it too"; }},
    {"foreign", is_foreign, remedy::nothing, nullptr, foreign_why},
    {"growth",
     [](const type_facts& f) {
         const site_statistics& s = counts(f);
         const bool has_steps = s.largest >= 2 * s.smallest; // else it got its only block late
         return (has_reserve(f) && f.grows && has_steps) || s.reallocations * 10 > s.allocations * 3;
     },
     remedy::reserve,
     [](const type_facts& f) { return use_of(has_reserve(f) ? "reserve()" : "a larger first size"); },
     [](const type_facts& f) {
         const site_statistics& s = counts(f);
         if (s.reallocations != 0) {
             return fmt::format("{} enlarged {}; to request the final size at once saves the "
                                "steps and the copying",
                                counted(s.allocations, "block was", "blocks were"),
                                counted(s.reallocations, "time"));
         }
         return fmt::format("{} from {} to {} bytes, allocated by a container that outgrew its "
                            "block: reserve() saves the steps and the copying",
                            counted(s.allocations, "block"), s.smallest, s.largest);
     }},
    {"large-buffers", [](const type_facts& f) { return typical_size(f) >= large && turnover(f) >= reused; },
     remedy::buffer_pool,
     [](const type_facts& f) {
         return use_of("linn::buffer_pool", fmt::format(" of {} bytes", counts(f).largest));
     },
     [](const type_facts& f) {
         return fmt::format("blocks of {} on average, of which at most {} live at once: a buffer pool keeps "
                            "their pages, so that reuse costs no page fault and no system call",
                            typical_text(f), counts(f).peak_live);
     }},
    {"temporary-array", [](const type_facts& f) { return is_text_or_array(f) && turnover(f) >= reused; },
     remedy::reserve,
     [](const type_facts& f) {
         return to_do("reuse", f.kind == container_kind::text
                                   ? "keep one string and clear it, or use std::string_view"
                                   : "keep one container and clear it");
     },
     [](const type_facts& f) {
         const site_statistics& s = counts(f);
         return fmt::format(
             "{}, of which at most {} at once: a container outside the loop that is cleared keeps "
             "its memory{}",
             counted(s.allocations, "block"), counted(s.peak_live, "lives", "live"),
             s.smallest == s.largest
                 ? ""
                 : fmt::format("; a pool of one size does not fit blocks of {} to {} bytes", s.smallest,
                               s.largest));
     }},
    {"array", is_text_or_array, remedy::nothing, nullptr,
     [](const type_facts&) -> std::string {
         return "long-lived arrays of different sizes: no pool of one size fits them";
     }},
    {"node", is_of<container_kind::node>, remedy::pooled_container,
     [](const type_facts& f) { // "std::list<X>" as "linn::list<X>"
         const std::string name = f.type.container.substr(std::string_view{"std::"}.size());
         const std::size_t arguments = std::min(name.find('<'), name.size());
         return use_of("linn::" + name.substr(0, arguments), name.substr(arguments));
     },
     pool_reason},
    {"owns-more",
     [](const type_facts& f) {
         const bool is_single = f.kind == container_kind::shared_ptr ||
                                f.kind == container_kind::unique_ptr ||
                                (f.kind == container_kind::none && f.is_operator_new && f.is_type_known &&
                                 !f.type.named.is_array);
         return !is_std_holder(f.type.name) && is_single && !f.owned.empty() && turnover(f) >= reused;
     },
     remedy::recycler,
     [](const type_facts& f) { return use_of("linn::recycler", fmt::format("<{}>", element(f))); },
     [](const type_facts& f) {
         return fmt::format("each object allocates its own memory again ({}): a recycler keeps it "
                            "constructed, with that memory; {}",
                            f.owned, pool_reason(f));
     }},
    {"control-block", is_of<container_kind::control_block>, remedy::make_shared, make_shared_use,
     [](const type_facts& f) {
         return fmt::format("the control block of a shared_ptr that took a pointer from new: "
                            "make_shared puts both into one block; {}",
                            pool_reason(f));
     }},
    {"make-shared",
     [](const type_facts& f) { return f.kind == container_kind::shared_ptr && !f.type.named.is_array; },
     remedy::make_shared, make_shared_use, pool_reason},
    {"make-unique",
     [](const type_facts& f) {
         return f.kind == container_kind::unique_ptr && !f.type.named.is_array && f.type.is_uniform();
     },
     remedy::pooled_class,
     [](const type_facts& f) {
         // The class takes its pool along where it can: linn::make_unique returns another type.
         return is_users_class(f.type) ? pooled_use(f)
                                       : use_of("linn::make_unique", fmt::format("<{}>()", element(f)));
     },
     pool_reason},
    {"function", is_of<container_kind::function>, remedy::nothing, nullptr,
     [](const type_facts&) -> std::string {
         return "std::function takes no allocator; a callable of 16 bytes or less is stored "
                "inside it, and a template parameter or a function reference needs no block";
     }},
    {"memory-resource", is_of<container_kind::pmr>, remedy::nothing, nullptr,
     [](const type_facts&) -> std::string {
         return "the chunks of a memory resource: a recording does not see the blocks inside them";
     }},
    {"thread", is_of<container_kind::thread>, remedy::nothing, nullptr,
     [](const type_facts&) -> std::string {
         return "allocated when a thread starts, which costs a thousand times more than the "
                "block: keep the thread instead";
     }},
    {"class",
     [](const type_facts& f) {
         const bool is_not_foreign = f.type.named.declared.file.empty() || is_users_class(f.type);
         return is_object(f) && f.is_operator_new && f.is_type_known && is_not_foreign &&
                !f.type.name.starts_with("std::") && is_own_type(last_component(element(f)));
     },
     remedy::pooled_class, pooled_use, pool_reason},
    {"uniform-block", [](const type_facts& f) { return is_object(f) && f.is_users; }, remedy::pooled_class,
     [](const type_facts& f) {
         const bool has_name = f.is_type_known && !last_component(element(f)).empty(); // a lambda has none
         return use_of("linn::pool", has_name ? fmt::format("<{}>", element(f)) : " of the type");
     },
     [](const type_facts& f) {
         return pool_reason(f) +
                "; only if your own code also releases them: a pool's block must not reach free()";
     }},
    {"mixed-one-thread",
     [](const type_facts& f) {
         const site_statistics& s = counts(f);
         return f.is_users && s.threads <= 1 && s.remote_releases == 0 && s.releases != 0 &&
                s.smallest != s.largest && typical_size(f) < 4096;
     },
     remedy::pool_resource,
     [](const type_facts&) { return use_of("linn::pool_resource", " with std::pmr containers"); },
     [](const type_facts& f) {
         return fmt::format("blocks of many sizes ({} to {} bytes) that one thread allocates and "
                            "releases: a resource with size classes fits them, if the code can "
                            "use one",
                            counts(f).smallest, counts(f).largest);
     }},
    {"costly-planned",
     // Likewise where only the library is known.
     [](const type_facts& f) { return !f.is_users && is_costly(f) && fits_a_plan(f.type); },
     remedy::linn_pools, planned_use, planned_why},
    {"costly", is_costly, remedy::other_allocator, other_allocator_use,
     [](const type_facts& f) -> std::string {
         if (!f.is_users) {
             return "allocated within a library, whose code is not yours to change; another "
                    "allocator serves it too";
         }
         return fmt::format("blocks of {}: general allocators are made for them", size_text(f));
     }},
    {"rest", [](const type_facts&) { return true; }, remedy::nothing, nullptr,
     [](const type_facts& f) -> std::string {
         return f.is_users ? "blocks that cost little" : "allocated within a library";
     }},
};

} // namespace

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
    return *std::find_if(std::begin(table), std::end(table),
                         [&](const advice_rule& rule) { return rule.applies(facts); });
}

} // namespace linn::tool
