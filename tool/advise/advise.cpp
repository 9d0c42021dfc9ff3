// SPDX-License-Identifier: Apache-2.0
#include "advise.hpp"

#include "../measure/sort_stably.hpp"
#include "../symbols/call_chain.hpp"
#include "cost.hpp"
#include "fills.hpp"
#include "findings.hpp"
#include "huge_pages.hpp"
#include "one_change.hpp"
#include "owned.hpp"
#include "page_faults.hpp"
#include "rules.hpp"
#include "runtime_blocks.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <utility>

namespace linn::tool {
namespace {

constexpr double growing = 0.4; // of the blocks took the place of a smaller one

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

type_facts facts_of(const advice& a, const advised_type& type) {
    type_facts facts{.type = type};
    facts.kind = kind_of(type.named);
    facts.cost = type.cost;
    facts.fill_cost = estimated_fill_cost(type.statistics, a.program_cpu_ns);
    facts.is_cost_known = a.program_cpu_ns > 0;
    facts.run_ns = a.analysis.info.clock == "none" ? 0 : static_cast<double>(a.analysis.info.duration_ns);
    facts.is_operator_new = calls_operator_new(a, type);
    const site_statistics& counts = type.statistics;
    facts.grows = static_cast<double>(counts.outgrown) >= growing * static_cast<double>(counts.allocations);
    facts.is_users = !type.places.empty() && !is_system_file(type.places.front().frame.file);
    facts.is_type_known = type.named.rule != type_rule::none;
    facts.owned = owned_with(type, a.types);
    return facts;
}

/// How much of a type's cost its remedy takes away, by experience: docs/guide/advise.md.
gain_range part_saved(remedy what) {
    switch (what) {
    case remedy::pooled_container:
    case remedy::pool_allocator:
    case remedy::pooled_class:
    case remedy::make_shared:
        return {0.4, 0.95};
    case remedy::recycler:
        return {0.5, 1};
    case remedy::buffer_pool:
        return {0.3, 1};
    case remedy::reserve:
        return {0.1, 0.8};
    case remedy::pool_resource:
        return {0, 0.7};
    case remedy::other_allocator:
        return {0, 0.6};
    case remedy::for_overwrite:
    case remedy::nothing:
        break;
    }
    return {0, 0};
}

gain_range estimated_gain(const type_facts& facts, remedy what) {
    if (what == remedy::for_overwrite) {
        return {facts.fill_cost.low / 2, facts.fill_cost.high}; // fresh pages are touched with or without it
    }
    const gain_range part = part_saved(what);
    return {facts.cost.low * part.low, facts.cost.high * part.high};
}

/// The program cannot change it.
void leave_to_runtime(advised_type& type) {
    type.rule = "runtime";
    type.what = remedy::nothing;
    type.part.clear();
    type.why = "the runtime library's own blocks (" + type.runtime + "), which it keeps on purpose";
    type.gain = {};
}

/// A change is worth what all the types that it serves cost together.
void decide(advice& a, const types_of_changes& changes, const cost_shares& costs) {
    const bool holds_fills_only = a.analysis.info.contents == "fills";
    for (std::size_t i = 0; i != a.types.size(); ++i) {
        advised_type& type = a.types[i];
        type.cost = costs.of(i);
        type_facts facts = facts_of(a, type);
        for (const std::size_t other : changes[i]) {
            if (other != i) {
                const gain_range more = costs.of(other);
                facts.cost = {facts.cost.low + more.low, std::min(1.0, facts.cost.high + more.high)};
            }
        }
        const advice_rule& rule = holds_fills_only ? rule_of_fills(facts) : deciding_rule(facts);
        type.rule = rule.name;
        type.what = rule.what;
        type.part = rule.part == nullptr ? std::string{} : rule.part(facts);
        type.why = rule.why(facts);
        type.gain = estimated_gain(facts, type.what);
        if (!type.runtime.empty() && !holds_fills_only) {
            leave_to_runtime(type);
        }
    }
    leave_gain_to_first(a.types, changes);
}

/// A change has one set of options for all that it serves.
void decide_pages(std::vector<advised_type>& types, const types_of_changes& changes) {
    for (std::size_t i = 0; i != types.size(); ++i) {
        types[i].wants_huge_pages =
            is_worth_huge_pages(types[i]) ||
            std::any_of(changes[i].begin(), changes[i].end(), [&](std::size_t other) {
                return types[i].what == remedy::pool_allocator && is_worth_huge_pages(types[other]);
            });
    }
}

} // namespace

bool is_pool(remedy r) noexcept {
    switch (r) {
    case remedy::pooled_container:
    case remedy::pool_allocator:
    case remedy::pooled_class:
    case remedy::make_shared:
    case remedy::recycler:
    case remedy::buffer_pool:
    case remedy::pool_resource:
        return true;
    case remedy::nothing:
    case remedy::for_overwrite:
    case remedy::other_allocator:
    case remedy::reserve:
        break;
    }
    return false;
}

const char* to_string(remedy r) noexcept {
    switch (r) {
    case remedy::nothing:
        break;
    case remedy::pooled_container:
        return "pooled-container";
    case remedy::pool_allocator:
        return "pool-allocator";
    case remedy::pooled_class:
        return "pooled-class";
    case remedy::make_shared:
        return "make-shared";
    case remedy::for_overwrite:
        return "for-overwrite";
    case remedy::recycler:
        return "recycler";
    case remedy::buffer_pool:
        return "buffer-pool";
    case remedy::pool_resource:
        return "pool-resource";
    case remedy::other_allocator:
        return "other-allocator";
    case remedy::reserve:
        return "reserve";
    }
    return "nothing";
}

advice advise(trace_analysis analysis, const advise_options& options, const advise_parts& parts) {
    advice a;
    a.analysis = std::move(analysis);
    a.program_cpu_ns = cost_of_program(a.analysis.info).cpu_ns;
    a.types = group_types(a.analysis, parts.names, [&](double share) {
        if (parts.progress) {
            parts.progress("naming types", share);
        }
    });
    find_runtime_blocks(a, parts.names);
    a.shows_runtime_leaks = options.shows_runtime_leaks;
    cost_shares costs{a.types, options.prices, a.program_cpu_ns};
    a.ceiling = costs.ceiling();
    a.page_faults = page_faults_of(a.analysis, a.types, a.program_cpu_ns, options.prices.page_fault_ns);
    const types_of_changes changes = find_changes(a.types);
    decide(a, changes, costs);
    decide_pages(a.types, changes);
    sort_stably(a.types, [](const advised_type& x, const advised_type& y) {
        // What may as well lose has its place by its allocations.
        return std::max(0.0, x.gain.low + x.gain.high) > std::max(0.0, y.gain.low + y.gain.high);
    });
    place_behind_first(a.types);
    const bool holds_fills_only = a.analysis.info.contents == "fills";
    for (advised_type& type : a.types) {
        if (type.what != remedy::nothing) {
            type.snippet = snippet_for(type, parts.sources);
        }
    }
    if (holds_fills_only) {
        a.verdict = report_fills(a.analysis, parts.names, parts.sources).verdict;
        a.to_know = "record it without --fills";
    } else {
        take_verdict(a);
    }
    a.findings = find_findings(a, parts.names);
    a.warnings = find_warnings(a);
    return a;
}

} // namespace linn::tool
