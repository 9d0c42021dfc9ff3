// SPDX-License-Identifier: Apache-2.0
#include "verdict.hpp"

#include "../measure/quantity.hpp"
#include "../pools/plan_tables.hpp"
#include "../symbols/short_name.hpp"
#include "../trace/program_cost.hpp"
#include "cost.hpp"
#include "one_change.hpp"
#include "page_faults.hpp"
#include "rules.hpp"
#include "type_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace linn::tool {
namespace {

constexpr double notable = 0.01; // of the run, for a change that is no pool
/// What recording an event costs where it was measured apart from the program differs by about as much within it, and by less
/// where it was measured with the program's own events.
constexpr double recording_error = 0.5;
constexpr double sampled_error = 0.2;
/// On a machine with more to do than processors, CPU time is as much longer.
constexpr double busy_error = 1.5;
constexpr double busy = 1; // threads for each processor
/// Of a recording that was cut off only wall time is known.
constexpr double wall_time_error = 2;

/// How far the CPU time of the program may be from what it is taken for, as factors of it.
struct cpu_error {
    double least = 1;
    double most = 1;
};

cpu_error error_of(const trace_info& info) {
    const program_cost cost = cost_of_program(info);
    cpu_error error;
    if (cost.from == program_cost::source::wall_time) {
        return {1 / wall_time_error, wall_time_error};
    }
    if (cost.from != program_cost::source::less_recording || cost.cpu_ns <= 0) {
        return error;
    }
    const double recording = static_cast<double>(info.events) * info.event_cost_ns / cost.cpu_ns;
    const double share = info.event_cost_samples != 0 ? sampled_error : recording_error;
    error.least = std::max(0.1, 1 - share * recording);
    error.most = 1 + share * recording;
    if (info.load_per_cpu >= busy) {
        error.least /= busy_error;
        error.most *= busy_error;
    }
    return error;
}

/// The pools that are advised, all together.
gain_range sum_of_pools(const advice& a) {
    gain_range sum;
    std::optional<gain_range> best; // the highest bounds of one of them
    for (const advised_type& t : a.types) {
        if (!is_pool(t.what) || !t.served_with.empty()) {
            continue;
        }
        sum.low += t.gain.low;
        sum.high += std::max(0.0, t.gain.high);
        best = best ? gain_range{std::max(best->low, t.gain.low), std::max(best->high, t.gain.high)} : t.gain;
    }
    if (!best) {
        return {};
    }
    gain_range total{sum.low, std::max(sum.high, best->high)};
    total.high = std::min(total.high, std::max(a.ceiling.high, best->high));
    total.low = std::min(total.low, total.high);
    return total;
}

gain_range with_error(const gain_range& gain, const cpu_error& error) {
    return {gain.low / (gain.low > 0 ? error.most : error.least),
            std::min(1.0, gain.high / (gain.high > 0 ? error.least : error.most))};
}

pool_answer answer_for(const gain_range& pools) {
    if (pools.low >= worth_a_pool) {
        return pool_answer::yes;
    }
    return pools.high < worth_a_pool ? pool_answer::no : pool_answer::not_known;
}

bool has_pools(const advice& a) {
    return std::any_of(a.types.begin(), a.types.end(), [](const advised_type& t) { return is_pool(t.what); });
}

/// Whether a plan of `linn pools` can serve the type though its source takes no pool as it is: blocks of one size from C, from a
/// library, or from code that nothing is known of, such as the one allocation function of a C program.
bool is_out_of_reach(const advised_type& t) {
    const bool is_foreign = t.what == remedy::other_allocator || t.rule == foreign_rule;
    const auto& sizes = t.statistics.sizes;
    const std::uint64_t size = sizes.empty() ? t.statistics.smallest : sizes.front().first;
    return is_foreign && t.is_uniform() && size <= largest_planned_size;
}

/// What pools may save, at most, in such types. A wrapper in the source of cmark saves 29 % of a run
/// (docs/design/predictions.md).
double most_out_of_reach(const advice& a) {
    double most = 0;
    for (const advised_type& t : a.types) {
        if (is_out_of_reach(t)) {
            most += std::max(0.0, t.what == remedy::nothing ? t.cost.high : t.gain.high);
        }
    }
    return std::min(most, a.ceiling.high);
}

/// The types are by gain, so the first is the best; null: there is none.
const advised_type* best_of(const advice& a, bool (*wanted)(const advised_type&)) {
    const auto found = std::find_if(a.types.begin(), a.types.end(), wanted);
    return found == a.types.end() ? nullptr : &*found;
}

bool is_good_change(const advised_type& t) {
    return (t.what == remedy::for_overwrite || t.what == remedy::reserve) && t.gain.high >= notable &&
           t.gain.low > 0;
}

/// Whether many types share what allocation costs, each too little for a change of its own.
bool is_spread_out(const advice& a) {
    double spread = 0; // of the allocations
    for (const advised_type& t : a.types) {
        if (t.share * a.ceiling.high < notable) {
            spread += t.share;
        }
    }
    return spread >= 0.5 && spread * a.ceiling.high >= worth_a_pool;
}

/// What would make the answer known, as the end of a sentence.
std::string way_to_know(const gain_range& sum, const cpu_error& error) {
    if (answer_for(sum) != pool_answer::not_known && (error.least != 1 || error.most != 1)) {
        return "'linn record --baseline' measures the run itself";
    }
    return "'linn try -- PROG' measures it";
}

std::string place_of(const advised_type& t) {
    const std::string place = t.places.empty() ? std::string{} : place_text(t.places.front().frame);
    if (place.empty()) {
        return place;
    }
    return (place.starts_with("in ") ? " " : " at ") + place;
}

/// "before NAME at PLACE after", NAME being as short as it must be, and PLACE left out where NAME would become too short.
std::string around_type(const std::string& before, const advised_type& t, const std::string& after) {
    constexpr std::size_t least_name = 24;
    std::string place = place_of(t);
    const std::size_t fixed = before.size() + after.size();
    const std::size_t room = most_verdict_letters - std::min(most_verdict_letters, fixed);
    const std::string name = change_label(t);
    if (room < std::min(name.size(), least_name) + place.size()) {
        place.clear();
    }
    return before + short_type(name, room - std::min(room, place.size())) + place + after;
}

/// A no, and what would help instead.
std::string sentence_of_no(const advice& a, const gain_range& pools) {
    if (are_large(a.page_faults)) {
        return fmt::format(
            "No pool needed, but huge pages may help: page faults take {} of this run; try 'linn "
            "run', which measures glibc on huge pages too.",
            gain_text(a.page_faults.of_run));
    }
    const std::string most = share_text(a.ceiling.high);
    const advised_type* const change = best_of(a, is_good_change);
    const bool beats_allocators = change != nullptr && change->gain.high >= a.ceiling.high;
    const bool has_other =
        best_of(a, [](const advised_type& t) { return t.what == remedy::other_allocator; }) != nullptr;
    if ((has_other || is_spread_out(a)) && a.ceiling.high >= worth_a_pool && !beats_allocators) {
        return fmt::format(
            "No pool needed, but another allocator may help: allocation is up to {} of this run, "
            "and no type is worth a pool; try 'linn run'.",
            most);
    }
    std::string text;
    if (a.ceiling.high < worth_a_pool) {
        text = fmt::format("No pool needed: {} {} of this run",
                           change == nullptr ? "an allocator that cost nothing would save" : "allocation is",
                           at_most_text(a.ceiling.high));
    } else if (has_pools(a)) {
        text = fmt::format("No pool needed: pools would save {} of this run", at_most_text(pools.high));
    } else {
        text = fmt::format("No pool needed: allocation is up to {} of this run{}", most,
                           change == nullptr ? ", but a pool fits no type" : "");
    }
    if (change == nullptr) {
        return text + '.';
    }
    const std::string what = what_to_do(*change);
    return around_type(text + fmt::format("; {} for ", short_type(what.substr(0, what.find(", or ")), 44)),
                       *change, fmt::format(", {}.", gain_text(change->gain)));
}

constexpr const char* try_tells = "'linn try' measures pools on huge pages";

/// The prices of calls hold none of the page faults, so what pools save of both adds up.
gain_range plus_faults(const gain_range& calls, double faults) {
    return {calls.low, std::min(1.0, calls.high + faults)};
}

advice_verdict unknown(std::string why, std::string to_know) {
    advice_verdict v;
    v.sentence = fmt::format("Not known whether a pool would help: {}; {}.", why, to_know);
    v.to_know = std::move(to_know);
    return v;
}

advice_verdict predicted_verdict(const advice& a) {
    const trace_info& info = a.analysis.info;
    if (a.analysis.all.allocations == 0) {
        return {pool_answer::no, {}, "No pool needed: the trace has no allocations.", {}};
    }
    if (a.program_cpu_ns <= 0) {
        return unknown("the trace does not tell how long the program ran", "record it with --baseline");
    }
    const cpu_error error = error_of(info);
    const gain_range sum = sum_of_pools(a);
    advice_verdict v;
    v.pools = with_error(sum, error);
    v.answer = answer_for(v.pools);
    const double out_of_reach = most_out_of_reach(a);
    const double faults = may_pools_save(a.page_faults) ? a.page_faults.of_pools : 0;
    if (v.answer == pool_answer::no && faults > 0) {
        const gain_range pools = plus_faults({v.pools.low, std::max(v.pools.high, out_of_reach)}, faults);
        v = unknown(fmt::format("page faults take {} of the run, which counts of calls do not show",
                                gain_text(a.page_faults.of_run)),
                    try_tells);
        v.pools = pools;
        return v;
    }
    v.pools = plus_faults(v.pools, faults);
    if (v.answer == pool_answer::no && out_of_reach >= worth_a_pool) {
        v.pools.high = std::max(v.pools.high, out_of_reach);
        v.answer = pool_answer::not_known;
        v.to_know = "'linn try -- PROG' measures it";
        v.sentence = fmt::format("Not known whether a pool would help: in code that takes none as it is, it "
                                 "would save {} of the run; {}.",
                                 at_most_text(out_of_reach), v.to_know);
        return v;
    }
    switch (v.answer) {
    case pool_answer::yes: {
        const advised_type* const first = best_of(a, [](const advised_type& t) { return is_pool(t.what); });
        v.sentence = around_type(
            fmt::format("A pool would help: pools would save {} of this run; start with ",
                        gain_text(v.pools)),
            *first,
            fmt::format(", {}.", gain_text({std::min(first->gain.low, v.pools.low), first->gain.high})));
        break;
    }
    case pool_answer::no:
        v.sentence = sentence_of_no(a, v.pools);
        break;
    case pool_answer::not_known:
        v.to_know = faults > 0 ? try_tells : way_to_know(sum, error);
        v.sentence =
            fmt::format("Not known whether a pool would help: it would {} of the run, and {} decides; {}.",
                        figures::saving_text(figures::subject::many, v.pools.low, v.pools.high),
                        share_text(worth_a_pool), v.to_know);
        break;
    }
    return v;
}

/// What is missing could only add to the gain: a yes stands, everything else is not known.
advice_verdict judged_by_part(advice_verdict v, const trace_info& info) {
    if (info.missing.empty() || v.answer == pool_answer::yes) {
        return v;
    }
    const double least = v.pools.low;
    v = unknown("events are missing from the trace", "record the program again, to its end");
    v.pools = {least, 1};
    return v;
}

} // namespace

const char* to_string(pool_answer answer) noexcept {
    switch (answer) {
    case pool_answer::yes:
        return "yes";
    case pool_answer::no:
        return "no";
    case pool_answer::not_known:
        break;
    }
    return "not-known";
}

advice_verdict verdict_of(const advice& a) {
    advice_verdict v = predicted_verdict(a);
    return judged_by_part(std::move(v), a.analysis.info);
}

void take_verdict(advice& a) {
    advice_verdict v = verdict_of(a);
    a.answer = v.answer;
    a.verdict = std::move(v.sentence);
    a.to_know = std::move(v.to_know);
    a.pools = v.pools;
    for (advised_type& t : a.types) {
        if (!is_pool(t.what)) {
            continue;
        }
        // No row promises more than the sentence, though one of many low ends is high by chance.
        if (t.served_with.empty()) {
            t.gain.low = std::min(t.gain.low, std::max(0.0, v.pools.low));
        }
        if (a.answer != pool_answer::no) {
            continue;
        }
        // No row says "use a pool" below a sentence that says that none is needed.
        t.why = fmt::format("all pools together would save less than {} of the run: {}",
                            share_text(worth_a_pool), t.why);
        t.rule = "no-gain";
        t.what = remedy::nothing;
        t.part.clear();
        t.snippet.clear();
        t.wants_huge_pages = false;
        t.served_with.clear();
    }
}

bool saves_at_least(const advice& a, double share) {
    if (has_pools(a) && a.pools.low >= share) {
        return true;
    }
    const cpu_error error = error_of(a.analysis.info);
    return std::any_of(a.types.begin(), a.types.end(), [&](const advised_type& t) {
        return t.what != remedy::nothing && !is_pool(t.what) && with_error(t.gain, error).low >= share;
    });
}

} // namespace linn::tool
