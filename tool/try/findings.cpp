// SPDX-License-Identifier: Apache-2.0
// What the measurement means, in words.
#include "../advise/huge_pages.hpp"
#include "../advise/verdict.hpp"
#include "../experiment/too_few_rounds.hpp"
#include "../measure/quantity.hpp"
#include "../measure/statistics.hpp"
#include "../run/judge.hpp"
#include "trial.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace linn::tool {
namespace {

// In the verdict: so many names, and no further one behind so many letters.
constexpr std::size_t most_names = 4;
constexpr std::size_t most_letters = 60;
constexpr double least_memory = 0.05 * 1024 * 1024; // bytes: less is no difference

using figures::subject;
using figures::unit;
using figures::written;

/// "11.9 %": the digit after the point counts.
std::string percent(double share) {
    return figures::written(unit::saving, share);
}

/// "saves 11.9 % (11.2 to 12.6)", or "costs" where the estimate is above what it is compared with.
std::string change_text(figures::subject who, const estimate& e) {
    return figures::saving_text(who, {1 - e.ratio, 1 - e.ratio_high, 1 - e.ratio_low});
}

/// "saves 11.9 %", "costs 3.0 %".
std::string middle_change(const estimate& e) {
    return figures::saving_text(figures::subject::one, {1 - e.ratio, unknown_bound, unknown_bound});
}

/// "11.9 % (11.2 to 12.6)", of what it takes more.
std::string more_text(const estimate& e) {
    return figures::figure_of(unit::saving, {e.ratio - 1, e.ratio_low - 1, e.ratio_high - 1})
        .text(figures::lettering::prose);
}

std::string memory_text(const run_row& row, const run_row& plain) {
    const estimate* now = row.find_estimate("peak_rss_bytes");
    const estimate* before = plain.find_estimate("peak_rss_bytes");
    if (now == nullptr || before == nullptr) {
        return "";
    }
    figures::quantity change =
        figures::figure_of(unit::bytes, now->median - before->median, figures::mebibytes);
    change.is_signed = true;
    return std::abs(change.value) < least_memory
               ? ", peak memory as before"
               : fmt::format(", peak memory {} {}", change.text(), figures::mebibytes.name);
}

/// A way to have pools, and no allocator.
bool is_arm(const run_row& row) {
    if (std::find(std::begin(variant_names), std::end(variant_names), row.contender.name) !=
        std::end(variant_names)) {
        return true;
    }
    for (const std::string_view arm : {together_arm, sizes_arm, lookup_arm, empty_arm, both_arm}) {
        if (row.contender.name == arm) {
            return true;
        }
    }
    return false;
}

std::string allocator_text(const run_result& run) {
    const run_row* best = best_allocator(run);
    if (best == nullptr) {
        return "no other allocator was measured";
    }
    const estimate& e = best->estimates.at(cpu_metric);
    if (e.call == verdict::better) {
        return fmt::format("{} {}", best->contender.title, change_text(subject::one, e));
    }
    const auto compared = static_cast<std::size_t>(std::ranges::count_if(
        run.rows, [](const run_row& row) { return !row.contender.is_own() && row.failure.empty(); }));
    const too_few_rounds rounds{.done = run.complete_rounds,
                                .needed = least_rounds_to_claim(compared, run.options.level)};
    if (are_bounds(e.ratio_low, e.ratio_high) && e.ratio_high < 1 && rounds.done < rounds.needed) {
        return fmt::format("{} seems to {}, but {}", best->contender.title, change_text(subject::many, e),
                           shortage_of(rounds, "to be certain"));
    }
    return "no allocator tried saves as much as can be measured";
}

pool_answer answer_of(const estimate& e) {
    if (1 - e.ratio_low < worth_a_pool) {
        return pool_answer::no;
    }
    return e.call == verdict::better && 1 - e.ratio_high >= worth_a_pool ? pool_answer::yes
                                                                         : pool_answer::not_known;
}

std::string names_of(const try_candidates& candidates, const std::vector<std::size_t>& which) {
    std::vector<std::string> names;
    std::size_t letters = 0;
    std::size_t more = 0;
    for (const std::size_t i : which) {
        const try_candidate& c = candidates.list[i];
        if (names.size() == most_names || letters > most_letters) {
            more += c.types.size();
        } else {
            names.push_back(c.in_sentence());
            letters += names.back().size();
        }
    }
    return listed_names(std::move(names), more);
}

class description {
public:
    explicit description(try_result& result) : result_{result} {}

    void write() {
        if (result_.candidates.list.empty()) {
            return nothing_to_try();
        }
        add_failures(result_.alone);
        add_failures(result_.together);
        add_failures(result_.further);
        const run_row* row = result_.together.find(together_arm);
        const run_row* plain = result_.together.find(default_name);
        if (row == nullptr || plain == nullptr || !row->is_sound()) {
            result_.verdict =
                row == nullptr
                    ? "Not known: no type's pools could be measured; the program runs without them."
                    : fmt::format("Pools for {} do not work: {}; the program runs without them.",
                                  names_of_chosen(), why_unsound(*row));
            return add_warnings();
        }
        const better_variant better = find_better_variant();
        decide(*row, *plain);
        decide_by_variant(better);
        add_both();
        add_explanations();
        add_variants(better);
        add_huge_pages();
        add_budget();
        add_litter();
        add_warnings();
    }

private:
    /// "those of `order` alone"; "54 of them, each with its own pool,".
    std::string chosen_alone() const {
        std::size_t types = 0;
        for (const std::size_t i : result_.chosen) {
            types += result_.candidates.list[i].types.size();
        }
        return types == 1 ? fmt::format("those of {} alone", names_of_chosen())
                          : fmt::format("{} of them, each with its own pool,", types);
    }

    std::string names_of_chosen() const { return names_of(result_.candidates, result_.chosen); }

    void nothing_to_try() {
        const bool is_explained = !result_.candidates.left_out.empty();
        result_.answer = is_explained ? pool_answer::not_known : pool_answer::no;
        result_.verdict = is_explained
                              ? "Not known: no type can be tried on the program as it is."
                              : "No pool is needed: no type of one size has a share of the allocations.";
    }

    void decide(const run_row& row, const run_row& plain) {
        const estimate* known = row.find_estimate(cpu_metric);
        const std::string names = names_of_chosen();
        if (known == nullptr || !are_bounds(known->ratio_low, known->ratio_high)) {
            result_.verdict =
                fmt::format("Not known whether pools for {} gain: {}.", names, why_no_interval());
            return;
        }
        const estimate& e = *known;
        const std::string memory = memory_text(row, plain);
        const std::string others = allocator_text(result_.together);
        result_.answer = answer_of(e);
        if (e.call == verdict::better) {
            result_.verdict = fmt::format("Pools for {} {} of CPU time{}; {}.", names,
                                          change_text(subject::many, e), memory, others);
            result_.plan = plan_of_candidates(result_.candidates, result_.chosen);
        } else if (e.call == verdict::worse) {
            result_.verdict =
                fmt::format("No pool gains: with pools for {} the program takes {} more CPU time{}; {}.",
                            names, more_text(e), memory, others);
        } else if (result_.answer == pool_answer::no) {
            result_.verdict = fmt::format("No pool gains: pools for {} {} of CPU time; {}.", names,
                                          change_text(subject::many, e), others);
        } else {
            const auto floor = result_.together.noise_floor.find(cpu_metric);
            result_.verdict = fmt::format(
                "Not known whether pools gain: those for {} {} of CPU time{}; a larger --budget may tell; "
                "{}.",
                names, change_text(subject::many, e),
                floor == result_.together.noise_floor.end()
                    ? ""
                    : fmt::format(", with a noise floor of {}", percent(floor->second.floor)),
                others);
        }
    }

    /// What they save in front of the best allocator; and what of that is theirs.
    void add_both() {
        const run_row* row = result_.further.find(both_arm);
        const run_row* best = best_allocator(result_.further);
        const estimate* both = result_.cpu_of(both_arm);
        if (row == nullptr || !row->is_sound() || best == nullptr || both == nullptr ||
            !are_bounds(both->ratio_low, both->ratio_high)) {
            return;
        }
        const std::string& name = best->contender.title;
        const bool is_variant = !result_.decisive_variant.empty();
        const std::string pools = is_variant ? "pools for " + names_of_chosen() : "the pools";
        if (!is_variant) {
            result_.verdict +=
                fmt::format(" Both together: pools over {} {}.", name, change_text(subject::many, *both));
        }
        const std::optional<estimate> more = compare_rows(result_.further, *row, *best, cpu_metric);
        if (!more) {
            return;
        }
        if (more->call == verdict::better) {
            result_.findings.push_back(fmt::format("Over {} {} {} of what it takes alone.", name, pools,
                                                   change_text(subject::many, *more)));
        } else if (more->call == verdict::worse) {
            result_.findings.push_back(fmt::format("Over {} {} {} of what it takes alone: {} is enough.",
                                                   name, pools, change_text(subject::many, *more), name));
        } else {
            result_.findings.push_back(
                fmt::format("Not known whether {} gain over {}: they {} of what it takes alone.", pools, name,
                            change_text(subject::many, *more)));
        }
    }

    std::string why_no_interval() const {
        const run_result& run = result_.together;
        too_few_rounds rounds;
        rounds.done = run.complete_rounds;
        rounds.seconds =
            result_.alone.measured_seconds + run.measured_seconds + result_.further.measured_seconds;
        rounds.why = run.stopped;
        return rounds.done < rounds.needed ? text_of(rounds, "to judge them") : "its runs do not compare";
    }

    void add_explanations() {
        const estimate* empty = result_.cpu_of(empty_arm);
        const estimate* lookup = result_.cpu_of(lookup_arm);
        if (empty != nullptr && are_bounds(empty->ratio_low, empty->ratio_high)) {
            result_.findings.push_back(fmt::format(
                "A lower bound: pools in the source have no preload, no look-up, and are inlined. The "
                "preload with an empty plan {} of CPU time{}.",
                change_text(subject::one, *empty),
                lookup != nullptr
                    ? "; with look-ups and no pool, as these pools pay it, it " + middle_change(*lookup)
                    : ""));
        }
        const estimate* sizes = result_.cpu_of(sizes_arm);
        const estimate* pools = result_.cpu_of(together_arm);
        if (sizes == nullptr || pools == nullptr || pools->call != verdict::better) {
            return;
        }
        result_.findings.push_back(fmt::format(
            "A pool for each size, for all calls of that size, {}: {}.", middle_change(*sizes),
            sizes->ratio_low <= pools->ratio_high ? "the gain comes from pooling, not from separating types"
                                                  : "pools of the types' own gain more"));
    }

    /// The best variant that is certainly better than the pools as they are.
    struct better_variant {
        const try_variant* what = nullptr;
        estimate over_pools;
    };

    better_variant find_better_variant() const {
        better_variant best;
        const run_row* pools = result_.further.find(together_arm);
        if (pools == nullptr) {
            return best;
        }
        for (const try_variant& v : result_.variants) {
            if (const run_row* row = result_.further.find(v.name); row != nullptr && row->is_sound()) {
                if (const std::optional<estimate> e =
                        compare_rows(result_.further, *row, *pools, cpu_metric, result_.variants.size());
                    e && e->call == verdict::better &&
                    (best.what == nullptr || e->ratio < best.over_pools.ratio)) {
                    best = {&v, *e};
                }
            }
        }
        return best;
    }

    /// The plan says it, and the verdict, if it gains.
    void decide_by_variant(const better_variant& better) {
        if (better.what == nullptr) {
            return;
        }
        const try_variant& v = *better.what;
        const run_row* row = result_.further.find(v.name);
        const run_row* plain = result_.further.find(default_name);
        const estimate* gain = result_.cpu_of(v.name);
        const estimate* pools = result_.cpu_of(together_arm);
        const bool gains =
            gain != nullptr && gain->call == verdict::better && plain != nullptr && pools != nullptr;
        if (gains) {
            if (result_.answer != pool_answer::yes) { // it is better than what is a yes already
                result_.answer = answer_of(*gain);
            }
            result_.decisive_variant = v.name;
            const std::string as_they_are = v.served == result_.chosen ? "as they are they" : chosen_alone();
            result_.verdict = fmt::format(
                "Pools for {}, {}, {} of CPU time{}; {}; {}.", names_of(result_.candidates, v.served),
                v.change, change_text(subject::many, *gain), memory_text(*row, *plain),
                as_they_are + ' ' + change_text(subject::many, *pools), allocator_text(result_.together));
        }
        if (gains || !result_.plan.sites.empty()) {
            result_.plan = v.plan;
            result_.plan_variant = v.name;
        }
    }

    void add_variants(const better_variant& better) {
        if (better.what != nullptr) {
            result_.findings.push_back(
                fmt::format("Better still: {} ({}); it {} of what the pools take{}.", better.what->title,
                            better.what->why, change_text(subject::one, better.over_pools),
                            result_.plan_variant.empty() ? "" : ", and the plan is that"));
        } else if (result_.further.find(together_arm) != nullptr) {
            result_.findings.push_back("No variant of the pools is certain to gain more.");
        }
    }

    void add_budget() {
        std::vector<std::string> missing;
        if (result_.further_budget > 0) {
            missing.emplace_back("the pools in front of the best allocator, and for all variants of them");
        }
        if (result_.left_out_budget > 0) {
            missing.emplace_back("more allocators, and for a pool for each size");
        }
        if (!missing.empty()) {
            result_.findings.push_back(fmt::format(
                "--budget {} has room for {}.",
                written(unit::count,
                        std::ceil(std::max(result_.further_budget, result_.left_out_budget) / 10) * 10),
                fmt::join(missing, ", and for ")));
        }
    }

    /// What was measured with huge pages is had in the source with the option alone.
    void add_huge_pages() {
        const estimate* pools = result_.cpu_of(together_arm);
        if (pools == nullptr || pools->call == verdict::worse) {
            return;
        }
        const pool_plan plan = result_.plan.pools.empty()
                                   ? plan_of_candidates(result_.candidates, result_.chosen)
                                   : result_.plan;
        std::vector<std::string> huge;
        for (const plan_pool& pool : plan.pools) {
            if (pool.wants_huge_pages) {
                huge.push_back(pool.name);
            }
        }
        if (!huge.empty()) {
            result_.findings.push_back(fmt::format(
                "The pools of {} had huge pages. In the source, give them the option {}: without it a pool "
                "asks for huge pages from 64 MiB on.",
                listed_pools(result_.candidates, huge), huge_pages_option));
        }
    }

    void add_litter() {
        const run_row* plain = result_.littered();
        if (plain == nullptr) {
            return;
        }
        std::vector<double> bytes;
        std::vector<double> seconds;
        for (const run_sample& s : plain->samples) {
            bytes.push_back(static_cast<double>(s.littered.resident_bytes));
            seconds.push_back(static_cast<double>(s.littered.user_ns + s.littered.sys_ns) * 1e-9);
        }
        const probe::litter& one = plain->samples.front().littered;
        result_.findings.push_back(fmt::format(
            "Each run starts on a littered heap: {} blocks of the recorded sizes, of which {} are freed. "
            "With "
            "the default allocator they are {} of the peak; their {} are not counted.",
            one.blocks, one.freed, figures::bytes_text(static_cast<std::uint64_t>(median(bytes))),
            figures::seconds_text(median(seconds))));
    }

    void add_failures(const run_result& run) {
        for (const run_row& row : run.rows) {
            if (!row.contender.is_own() && !row.is_sound()) {
                result_.findings.push_back(fmt::format("{}: {}.", row.contender.title, why_unsound(row)));
            }
        }
    }

    void add_warnings() {
        for (std::size_t i = 0; i != result_.candidates.list.size(); ++i) {
            if (const std::optional<double> share = result_.routed(i); share && *share < 0.99) {
                result_.warnings.push_back(fmt::format("the pools of {} served {} of its allocations: "
                                                       "the rest comes from elsewhere, or the "
                                                       "trace is of another input",
                                                       result_.candidates.list[i].label, percent(*share)));
            }
        }
        for (const std::string& warning : result_.judged().warnings) {
            if (!warning.starts_with("the output differs under")) { // a finding says so
                result_.warnings.push_back(warning);
            }
        }
    }

    try_result& result_;
};

} // namespace

const run_row* best_allocator(const run_result& run) {
    const run_row* best = nullptr;
    const auto rank = [](const run_row& row) {
        const estimate& e = *row.find_estimate(cpu_metric);
        return std::pair{e.call != verdict::better, e.ratio};
    };
    for (const run_row& row : run.rows) {
        if (row.contender.is_own() || is_arm(row) || !row.is_sound() ||
            row.find_estimate(cpu_metric) == nullptr) {
            continue;
        }
        if (best == nullptr || rank(row) < rank(*best)) {
            best = &row;
        }
    }
    return best;
}

std::string why_unsound(const run_row& row) {
    return !row.failure.empty() || row.output_difference.empty()
               ? row.failure
               : fmt::format("the output differs ({})", row.output_difference);
}

void describe_try(try_result& result) {
    description{result}.write();
    if (result.answer == pool_answer::no && result.candidates.lacks_events) {
        result.answer = pool_answer::not_known;
        result.verdict =
            "Not known whether pools gain: events are missing from the trace, and with them types.";
    }
}

} // namespace linn::tool
