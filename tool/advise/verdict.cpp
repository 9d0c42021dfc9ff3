// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include "../measure/quantity.hpp"
#include "../measure/words.hpp"
#include "../symbols/short_name.hpp"
#include "../trace/info.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {
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

/// Why the time is not known, and what would tell.
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
        text += fmt::format("{}{} ({})", named++ == 0 ? " " : " and ", short_type(label_of(t), name_room),
                            share_text(share));
    }
    return named == 0 ? text : text + (named == 1 ? " leads." : " lead.");
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
    a.verdict = fmt::format(
        "{} Not known whether a pool would help: pools can remove at most about that much, and {} "
        "decides; {}.",
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

bool is_tiny(double share) {
    return share > 0 && share < 0.001;
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

double fill_share(const site_statistics& s, const trace_info& info) {
    const double cpu_ns = cost_of_program(info).cpu_ns;
    return cpu_ns > 0 ? std::min(1.0, static_cast<double>(s.fill_ns) / cpu_ns) : 0;
}

std::string share_text(double share) {
    return is_tiny(share) ? "less than 0.1 %" : figures::percent(share);
}

std::string at_most_text(double share) {
    return is_tiny(share) ? share_text(share) : "at most " + share_text(std::max(0.0, share));
}

std::string range_text(double low, double high) {
    return is_tiny(high)
               ? share_text(high)
               : figures::bounds_of(figures::unit::share, low, high).text(figures::lettering::prose);
}

} // namespace linn::tool
