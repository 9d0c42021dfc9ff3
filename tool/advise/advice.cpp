// SPDX-License-Identifier: Apache-2.0
#include "advice.hpp"

#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "../pools/compiled_plan.hpp"
#include "../symbols/call_chain.hpp"
#include "../symbols/cxx_name.hpp"
#include "../trace/info.hpp"
#include "findings.hpp"
#include "rules.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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
    return r != remedy::nothing && r != remedy::other_allocator && r != remedy::reserve;
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
        "{}: give the pool the option {}{}, which saves page faults. Without it a pool asks for huge "
        "pages from 64 MiB on.",
        live, huge_pages_option,
        type.what == remedy::pooled_container ? " (an argument of linn::allocator in the std container)"
                                              : "");
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
    return word_of(r,
                   {"nothing", "pooled-container", "pool-allocator", "pooled-class", "make-shared",
                    "recycler", "buffer-pool", "pool-resource", "other-allocator", "linn-pools", "reserve"});
}

namespace {

/// What pools remove at least of the time of the types that they serve. Not all, because a pool takes time itself, and because a miss
/// of the cache that the allocator had is then the program's: docs/design/predictions.md has the programs that this is from.
constexpr double least_removed = 0.2;

constexpr std::size_t name_room = 40;  // letters of a type in the sentence
constexpr double leading_share = 0.05; // of the time in the allocator

/// A pool in the source fits the type, or a plan of `linn pools` can serve it: blocks of one size from C, from a library, or
/// from code that nothing is known of.
bool may_have_pool(const advised_type& t) {
    if (!t.runtime.empty()) {
        return false;
    }
    return is_pool(t.what) || fits_a_plan(t);
}

bool is_complete(const advice& a) {
    return a.analysis.info.missing.empty();
}

constexpr const char* record_whole = "record the program again, to its end";

struct reason {
    std::string why;
    std::string to_know;
};

reason reason_of(const advice& a) {
    constexpr const char* measure = "'linn try -- PROG' measures pools without it";
    switch (a.analysis.time.why_not) {
    case time_unknown::no_counter:
        return {"this processor has no counter that runs at a constant rate", measure};
    case time_unknown::counter_jumps:
        return {"the processor's counter jumped while the program ran", measure};
    case time_unknown::few_samples:
        return {"too few calls were timed", "record a longer run"};
    case time_unknown::no_cpu_time:
        return {"the trace does not tell the program's CPU time",
                is_complete(a) ? "record it from its start with --baseline" : record_whole};
    case time_unknown::not_recorded:
    case time_unknown::none:
        break;
    }
    return {"the trace holds no timed calls of the allocator", "record the program again"};
}

std::string leading_types(const advice& a) {
    const double all = a.analysis.time.share;
    std::string text;
    std::size_t named = 0;
    for (const advised_type& t : a.types) {
        const double share = t.statistics.time.share().value;
        if (named == 2 || share < leading_share * all || share < 0.001) {
            break; // the types are by time
        }
        if (!t.runtime.empty()) {
            continue; // the start of every program, not this one's doing
        }
        text += fmt::format("{}{} ({})", named++ == 0 ? " " : " and ", short_type(label_of(t), name_room),
                            share_text(share));
    }
    return named == 0 ? text : text + (named == 1 ? " leads." : " lead.");
}

bool is_tiny(double share) {
    return share > 0 && share < 0.001;
}

/// "9 to 12 %".
std::string range_text(double low, double high) {
    return is_tiny(high)
               ? share_text(high)
               : figures::bounds_of(figures::unit::share, low, high).text(figures::lettering::prose);
}

/// "Allocation takes 31 to 36 % of this program's CPU time: 28 % in calls, 6.0 % in page faults. order (12 %) leads."
std::string measured_part(const advice& a) {
    const allocation_time& time = a.analysis.time;
    const std::string parts = time.high < 0.001
                                  ? std::string{}
                                  : fmt::format(": {} in calls, {} in page faults", share_text(time.calls),
                                                share_text(time.page_faults));
    return fmt::format("Allocation takes {} of this program's CPU time{}.{}", range_text(time.low, time.high),
                       parts, leading_types(a));
}

void write_verdict(advice& a) {
    const allocation_time& time = a.analysis.time;
    const std::string decides = share_text(a.threshold);
    if (a.analysis.all.allocations == 0 && is_complete(a)) {
        a.verdict = "No pool needed: the program allocated nothing.";
        return;
    }
    if (a.analysis.all.allocations == 0) {
        a.to_know = a.analysis.info.missing.front();
        a.verdict = fmt::format("Not known whether a pool would help: {}.", a.to_know);
        return;
    }
    if (!time.is_known()) {
        const reason r = reason_of(a);
        a.to_know = r.to_know;
        a.verdict = fmt::format("Not known whether a pool would help: {}; {}.", r.why, r.to_know);
        return;
    }
    const std::string measured = measured_part(a);
    switch (a.answer) {
    case pool_answer::yes:
        a.verdict =
            fmt::format("{} A pool would help: pools can remove at most about that much; 'linn try' measures "
                        "how much.",
                        measured);
        return;
    case pool_answer::no:
        a.verdict = fmt::format("{} No pool needed: that is below {}.", measured, decides);
        return;
    case pool_answer::not_known:
        break;
    }
    if (!is_complete(a)) {
        a.to_know = record_whole;
        a.verdict =
            fmt::format("Not known whether a pool would help: events are missing from the trace; {}. What is "
                        "there: {}",
                        a.to_know, measured);
        return;
    }
    a.to_know = "'linn try -- PROG' measures it";
    a.verdict = fmt::format("{} Not known whether a pool would help by {} or more: pools remove at most what "
                            "allocation takes; {}.",
                            measured, decides, a.to_know);
}

/// What pools would remove of the time in the allocator. The upper end is all of that time. The lower end is a part of the time of
/// blocks that a pool can serve, by the lower end of its interval. @pre the types are decided
share_range pools_would_remove(const advice& a) {
    const allocation_time& time = a.analysis.time;
    if (!time.is_known()) {
        return {0, 1};
    }
    site_time served;
    for (const advised_type& t : a.types) {
        if (may_have_pool(t)) {
            served.merge(t.statistics.time);
        }
    }
    return {least_removed * std::clamp(served.share().low, 0.0, time.low), time.high};
}

} // namespace

const char* to_string(pool_answer answer) noexcept {
    return word_of(answer, {"yes", "no", "not-known"});
}

pool_answer judge(const advice& a, double threshold) {
    if (a.analysis.all.allocations == 0 && is_complete(a)) {
        return pool_answer::no;
    }
    if (!a.analysis.time.is_known()) {
        return pool_answer::not_known;
    }
    if (a.pools.low > 0 && a.pools.low >= threshold) {
        return pool_answer::yes;
    }
    return is_complete(a) && a.analysis.time.high < threshold ? pool_answer::no : pool_answer::not_known;
}

void take_verdict(advice& a) {
    a.pools = pools_would_remove(a);
    a.answer = judge(a, a.threshold);
    a.to_know.clear();
    write_verdict(a);
    if (a.answer != pool_answer::no) {
        return;
    }
    for (advised_type& t : a.types) {
        if (is_pool(t.what)) {
            t.why =
                fmt::format("allocation takes less than {} of the run: {}", share_text(a.threshold), t.why);
            t.rule = "no-gain";
            t.what = remedy::nothing;
            t.use = {};
            t.snippet.clear();
            t.wants_huge_pages = false;
        }
    }
}

std::string share_text(double share) {
    return is_tiny(share) ? "less than 0.1 %" : figures::percent(share);
}

std::string at_most_text(double share) {
    return share < 0.001 ? "less than 0.1 %" : "at most " + figures::percent(share);
}

namespace {

/// Notes in the types what of them the runtime libraries keep. A type that the program allocates as well is the program's.
void mark_runtime_blocks(advice& a, runtime_memory memory) {
    a.kept_by_runtime = std::move(memory.kept);
    for (advised_type& type : a.types) {
        std::uint64_t allocations = 0;
        for (const advised_place& place : type.places) {
            for (const std::uint32_t site : place.sites) {
                if (const auto rule = memory.rule_of.find(site); rule != memory.rule_of.end()) {
                    const site_statistics& s = a.analysis.sites[site].statistics;
                    type.runtime_live += s.live_at_end;
                    type.runtime_live_bytes += s.live_bytes_at_end;
                    type.runtime = rule->second;
                    allocations += s.allocations;
                }
            }
        }
        if (allocations != type.statistics.allocations) {
            type.runtime.clear();
        }
    }
}

} // namespace

advice advise(trace_analysis analysis, const advise_parts& parts, double threshold) {
    advice a;
    a.analysis = std::move(analysis);
    a.threshold = threshold;
    std::vector<named_type> named = name_sites(a.analysis, parts.names, [&](double share) {
        if (parts.progress) {
            parts.progress("naming types", share);
        }
    });
    runtime_memory memory = find_runtime_blocks(a.analysis, named);
    a.types = group_types(a.analysis, std::move(named));
    mark_runtime_blocks(a, std::move(memory));
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
