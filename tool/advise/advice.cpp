// SPDX-License-Identifier: Apache-2.0
#include "advice.hpp"

#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "../pools/compiled_plan.hpp"
#include "../symbols/call_chain.hpp"
#include "findings.hpp"
#include "rules.hpp"
#include "runtime_blocks.hpp"
#include "snippet.hpp"
#include "type_groups.hpp"
#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

constexpr double growing = 0.4; // of the blocks took the place of a smaller one
// Where so many reallocs come on an allocation, slots have room for what most of them ask for, up to so many times the size
// that is allocated: a block that grows is not copied then.
constexpr double often_resized = 0.5;
constexpr double most_resizes = 0.9;
constexpr std::uint64_t most_growth = 4;

/// What most reallocs ask for at most, where there are many; 0: there are few.
std::uint64_t resized_bytes(const site_statistics& s) {
    if (static_cast<double>(s.reallocations) < often_resized * static_cast<double>(s.allocations)) {
        return 0;
    }
    auto sizes = s.resized;
    std::ranges::sort(sizes);
    std::uint64_t resized = 0;
    for (const auto& [bytes, count] : sizes) {
        resized += count;
        if (static_cast<double>(resized) >= most_resizes * static_cast<double>(s.reallocations)) {
            return bytes;
        }
    }
    return std::numeric_limits<std::uint64_t>::max(); // too many sizes to count
}

std::uint64_t most_room(std::uint64_t size) {
    return std::min<std::uint64_t>(most_growth * size, largest_planned_size);
}

bool calls_operator_new(const advice& a, const advised_type& type) {
    for (const advised_place& place : type.places) {
        for (const std::uint32_t index : place.sites) {
            if (const allocation_call call = a.analysis.sites[index].call;
                call < allocation_call::operator_new || call > allocation_call::operator_new_array_aligned) {
                return false;
            }
        }
    }
    return true;
}

/// What one change of the program serves: all types of a class template with an allocator argument, or a type alone.
struct change {
    site_time time;
    bool wants_huge_pages = false;
};

std::uint64_t live_bytes(const advised_type& type) noexcept {
    const site_statistics& s = type.statistics;
    return s.sizes.empty() ? 0 : s.peak_live * preloaded_slot_bytes(s.sizes.front().first);
}

/// Whether the type's objects take enough at once.
bool has_huge_objects(const advised_type& type) noexcept {
    return is_worth_huge_pages(live_bytes(type), 1);
}

/// Whether the pool that is advised for the type is one of objects, which has options, and is worth huge pages by itself.
bool has_huge_pool(const advised_type& type) noexcept {
    const bool has_options = type.what == remedy::pooled_container || type.what == remedy::pool_allocator ||
                             type.what == remedy::pooled_class || type.what == remedy::make_shared;
    return has_options && has_huge_objects(type);
}

class decider {
public:
    explicit decider(advice& a) : a_{a} {
        for (const advised_type& type : a.types) {
            if (is_served_by_alias(type) && type.runtime.empty()) {
                change& c = aliases_[type.named.takes_allocator];
                c.time.merge(type.statistics.time);
                c.wants_huge_pages |= has_huge_objects(type);
            }
        }
    }

    void decide(advised_type& type) const {
        const type_facts facts = facts_of(type);
        const advice_rule& rule = deciding_rule(facts);
        type.rule = rule.name;
        type.what = rule.what;
        type.use = rule.use == nullptr ? advised_use{} : rule.use(facts);
        type.why = rule.why(facts);
        type.wants_huge_pages =
            has_huge_pool(type) || (type.what == remedy::pool_allocator && change_of(type).wants_huge_pages);
        if (!type.runtime.empty()) { // the program cannot change it
            type.rule = "runtime";
            type.what = remedy::nothing;
            type.use = {};
            type.wants_huge_pages = false;
            type.why = "the runtime library's own blocks (" + type.runtime + "), which it keeps on purpose";
        }
    }

private:
    change change_of(const advised_type& type) const {
        const auto found = aliases_.find(type.named.takes_allocator);
        return is_served_by_alias(type) && found != aliases_.end() ? found->second
                                                                   : change{type.statistics.time};
    }

    type_facts facts_of(const advised_type& type) const {
        const trace_analysis& run = a_.analysis;
        type_facts facts{.type = type};
        facts.kind = kind_of(type.named);
        facts.is_cost_known = run.time.is_known();
        facts.cost = change_of(type).time.share().high;
        facts.fill_cost = fill_share(type.statistics, run.info);
        facts.run_ns = static_cast<double>(run.info.duration_ns);
        facts.is_operator_new = calls_operator_new(a_, type);
        const site_statistics& counts = type.statistics;
        facts.grows =
            static_cast<double>(counts.outgrown) >= growing * static_cast<double>(counts.allocations);
        facts.is_users = !type.places.empty() && !is_system_file(type.places.front().frame.file);
        facts.is_type_known = type.named.rule != type_rule::none;
        facts.owned = owned_with(type, a_.types);
        return facts;
    }

    advice& a_;
    std::map<std::string, change> aliases_; ///< by the class template
};

} // namespace

bool is_pool(remedy r) noexcept {
    return r != remedy::nothing && r != remedy::for_overwrite && r != remedy::other_allocator &&
           r != remedy::reserve;
}

std::string huge_pages_text(const advised_type& type) {
    if (!type.wants_huge_pages) {
        return {};
    }
    const std::string live =
        has_huge_pool(type)
            ? fmt::format("Its objects take {} at once", figures::bytes_text(live_bytes(type)))
            : "Objects of another type that this change serves take 2 MiB and more at once";
    return fmt::format(
        "{}: give the pool the option {}, which saves page faults. Without it a pool asks for huge "
        "pages from 64 MiB on.",
        live, huge_pages_option);
}

std::uint64_t room_for_growth(std::uint64_t size, const site_statistics& s) {
    const std::uint64_t bytes = resized_bytes(s);
    return bytes > size && bytes <= most_room(size) ? bytes : 0;
}

bool fits_a_plan(const advised_type& t) {
    const site_statistics& s = t.statistics;
    const std::uint64_t size = s.sizes.empty() ? s.smallest : s.sizes.front().first;
    return s.largest <= largest_planned_size ||
           (t.is_uniform() && size <= largest_planned_size && resized_bytes(s) <= most_room(size));
}

const char* to_string(remedy r) noexcept {
    return word_of(r, {"nothing", "pooled-container", "pool-allocator", "pooled-class", "make-shared",
                       "for-overwrite", "recycler", "buffer-pool", "pool-resource", "other-allocator",
                       "linn-pools", "reserve"});
}

advice advise(trace_analysis analysis, const advise_parts& parts, double threshold) {
    advice a;
    a.analysis = std::move(analysis);
    a.threshold = threshold;
    a.types = group_types(a.analysis, name_sites(a.analysis, parts.names, [&](double share) {
                              if (parts.progress) {
                                  parts.progress("naming types", share);
                              }
                          }));
    find_runtime_blocks(a, parts.names);
    const decider decides{a};
    for (advised_type& type : a.types) {
        decides.decide(type);
    }
    // The time in the allocator, or what it is taken for: the number of calls.
    const auto weight = [&](const advised_type& t) {
        const site_statistics& s = t.statistics;
        return a.analysis.time.is_known() ? s.time.calls + s.time.page_faults
                                          : static_cast<double>(s.allocations + s.releases + s.reallocations);
    };
    std::ranges::stable_sort(
        a.types, [&](const advised_type& x, const advised_type& y) { return weight(x) > weight(y); });
    take_verdict(a);
    for (advised_type& type : a.types) {
        if (type.what != remedy::nothing) {
            type.snippet = snippet_for(type, parts.sources);
        }
    }
    a.findings = find_findings(a, parts.names);
    a.warnings = find_warnings(a);
    return a;
}

} // namespace linn::tool
