// SPDX-License-Identifier: Apache-2.0
#include "advise.hpp"

#include "../measure/sort_stably.hpp"
#include "../measure/statistics.hpp"
#include "cost.hpp"
#include "fills.hpp"
#include "findings.hpp"
#include "owned.hpp"
#include "rules.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace linn::tool {
namespace {

constexpr double worth_a_replay = 0.01; // of the run; below, the estimate says enough
constexpr double worth_a_price = 0.005; // of the allocations
constexpr double no_gain = 0.005;       // of the run

/// Functions of standard libraries by which a container gets a larger block.
constexpr std::array<std::string_view, 12> growing{"_M_realloc_insert",
                                                   "_M_realloc_append",
                                                   "_M_default_append",
                                                   "_M_fill_insert",
                                                   "_M_range_insert",
                                                   "__push_back_slow_path",
                                                   "__emplace_back_slow_path",
                                                   "__append",
                                                   "_M_mutate",
                                                   "_M_append",
                                                   "__grow_by",
                                                   "_M_push_back_aux"};

bool is_growing(const advised_type& type) {
    return std::any_of(type.named.frames.begin(), type.named.frames.end(), [](const symbol_frame& f) {
        return std::any_of(growing.begin(), growing.end(),
                           [&](std::string_view word) { return f.function.find(word) != std::string::npos; });
    });
}

bool is_system_file(const std::string& file) {
    return file.empty() || file.starts_with("/usr/include/") || file.starts_with("/usr/lib/");
}

bool calls_operator_new(const advice& a, const advised_type& type) {
    for (const advised_place& place : type.places)
        for (const std::uint32_t index : place.sites)
            if (const allocation_call call = a.analysis.sites[index].call;
                call < allocation_call::operator_new || call > allocation_call::operator_new_array_aligned)
                return false;
    return true;
}

type_facts facts_of(const advice& a, const advised_type& type) {
    type_facts facts{.type = type};
    facts.kind = kind_of(type.named);
    facts.cost = estimated_cost(type.statistics, a.program_cpu_ns);
    if (a.is_ceiling_measured) {
        // What a block costs on average is measured then; this type's may cost half or twice as much.
        const gain_range measured{type.share * a.ceiling.low / 2, type.share * a.ceiling.high * 2};
        facts.cost = {std::max(0.0, measured.low), std::clamp(measured.high, 0.0, a.ceiling.high)};
    }
    facts.fill_cost = estimated_fill_cost(type.statistics, a.program_cpu_ns);
    facts.is_cost_known = a.program_cpu_ns > 0;
    facts.run_ns = a.analysis.info.clock == "none" ? 0 : static_cast<double>(a.analysis.info.duration_ns);
    facts.is_operator_new = calls_operator_new(a, type);
    facts.grows = is_growing(type);
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
    if (what == remedy::for_overwrite)
        return {facts.fill_cost.low / 2, facts.fill_cost.high}; // fresh pages are touched with or without it
    const gain_range part = part_saved(what);
    return {facts.cost.low * part.low, facts.cost.high * part.high};
}

void decide(advice& a) {
    const bool holds_fills_only = a.analysis.info.contents == "fills";
    for (advised_type& type : a.types) {
        const type_facts facts = facts_of(a, type);
        const advice_rule& rule = holds_fills_only ? rule_of_fills(facts) : deciding_rule(facts);
        type.rule = rule.name;
        type.what = rule.what;
        type.part = rule.part == nullptr ? std::string{} : rule.part(facts);
        type.why = rule.why(facts);
        type.gain = estimated_gain(facts, type.what);
    }
}

std::vector<std::uint32_t> stacks_of(const advice& a, const advised_type& type) {
    std::vector<std::uint32_t> stacks;
    for (const advised_place& place : type.places)
        for (const std::uint32_t index : place.sites)
            stacks.push_back(a.analysis.sites[index].stack);
    std::sort(stacks.begin(), stacks.end());
    stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
    return stacks;
}

/// Replays the trace with each type that may gain from a pool; gives the types in the order of the groups.
std::vector<std::size_t> replay_types(advice& a, const advise_options& options, const advise_parts& parts) {
    replay_options wanted;
    wanted.trace = options.trace;
    wanted.budget = options.replay_budget;
    wanted.rounds = options.replay_rounds;
    wanted.ceiling_only = true;
    std::vector<std::size_t> priced;
    for (std::size_t i = 0; i != a.types.size() && priced.size() < options.most_priced; ++i) {
        const advised_type& type = a.types[i];
        if (!is_pool(type.what) || type.share < worth_a_price)
            continue;
        wanted.groups.push_back({label_of(type), stacks_of(a, type)});
        priced.push_back(i);
    }
    a.replay = parts.replay(wanted);
    a.interrupted_by = a.replay.interrupted_by;
    return priced;
}

void take_ceiling(advice& a) {
    const replay_row* const nothing = a.replay.find(replay_null_name);
    if (!a.replay.problem.empty() || nothing == nullptr || !nothing->failure.empty() ||
        !are_bounds(nothing->change_low, nothing->change_high) ||
        (nothing->change_low == 0 && nothing->change_high == 0))
        return;
    a.ceiling = replayed_ceiling(*nothing);
    a.is_ceiling_measured = true;
}

void take_gains(advice& a, const std::vector<std::size_t>& priced) {
    for (std::size_t i = 0; i != std::min(priced.size(), a.replay.groups.size()); ++i) {
        const replay_row& row = a.replay.groups[i];
        advised_type& type = a.types[priced[i]];
        if (!row.failure.empty() || !are_bounds(row.change_low, row.change_high) ||
            (row.change_low == 0 && row.change_high == 0) || !is_pool(type.what))
            continue;
        const gain_range gain = replayed_gain(row);
        type.gain = {std::min(gain.low, a.ceiling.high), std::min(gain.high, a.ceiling.high)};
        type.is_gain_measured = true;
        if (type.gain.high >= no_gain)
            continue;
        type.why = "replayed with only this type from a pool, the run would save at most " +
                   share_text(std::max(0.0, type.gain.high)) + ": " + type.why;
        type.rule = "no-gain";
        type.what = remedy::nothing;
        type.part.clear();
        type.gain = {};
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
        if (parts.progress)
            parts.progress("naming types", share);
    });
    a.ceiling = estimated_cost(a.analysis.all, a.program_cpu_ns);
    decide(a);
    if (options.use_replay && parts.replay && a.analysis.info.contents != "fills" &&
        a.ceiling.high >= worth_a_replay) {
        const std::vector<std::size_t> priced = replay_types(a, options, parts);
        take_ceiling(a);
        if (a.is_ceiling_measured) {
            decide(a); // with what a block really costs
            take_gains(a, priced);
        }
    }
    for (advised_type& type : a.types)
        if (type.what != remedy::nothing)
            type.snippet = snippet_for(type, parts.sources);
    sort_stably(a.types, [](const advised_type& x, const advised_type& y) {
        // What may as well lose has its place by its allocations.
        return std::max(0.0, x.gain.low + x.gain.high) > std::max(0.0, y.gain.low + y.gain.high);
    });
    if (a.analysis.info.contents == "fills") {
        a.verdict = report_fills(a.analysis, parts.names, parts.sources).verdict;
    } else {
        const advice_verdict verdict = verdict_of(a);
        a.verdict = verdict.sentence;
        a.is_pool_needed = verdict.is_pool_needed;
    }
    a.findings = find_findings(a, parts.names);
    a.warnings = find_warnings(a);
    return a;
}

} // namespace linn::tool
