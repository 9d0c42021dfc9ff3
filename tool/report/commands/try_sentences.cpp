// SPDX-License-Identifier: Apache-2.0
#include "../../advise/advice.hpp"
#include "../../experiment/rounds.hpp"
#include "../../measure/quantity.hpp"
#include "../../run/run.hpp"
#include "../../symbols/cxx_name.hpp"
#include "../../try/trial.hpp"
#include "reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linn::tool::report {
namespace {

using figures::subject;
using figures::unit;

// In the verdict: so many names, and no further one behind so many letters.
constexpr std::size_t most_names = 4;
constexpr std::size_t most_letters = 60;
constexpr std::size_t candidate_room = 60;
constexpr double least_memory = 0.05 * 1024 * 1024; // bytes: less is no difference

std::string share_of_time(double share) {
    return figures::written(unit::saving, share);
}

interval saving_of(const estimate& e) {
    return {1 - e.ratio, 1 - e.ratio_high, 1 - e.ratio_low};
}

/// "`order`, `trade` and 3 more", where `more` names have no place. @pre there is a name
std::string listed_names(std::vector<std::string> names, std::size_t more) {
    if (more != 0) {
        names.push_back(fmt::format("{} more", more));
    }
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string name_in_sentence(const try_candidate& c) {
    return short_type(c.label, candidate_room);
}

/// Why an arm is not to be compared: it failed, or wrote something else than the plain program. Empty: it is.
std::string why_unsound(const run_row& row) {
    return !row.failure.empty() || row.output_difference.empty()
               ? row.failure
               : fmt::format("the output differs ({})", row.output_difference);
}

class sentences_of_try {
public:
    explicit sentences_of_try(const try_result& result) : result_{result}, judged_{result.judged} {}

    std::string verdict() const {
        switch (judged_.open) {
        case open_question::no_candidate:
            return "Not known: no type can be tried on the program as it is.";
        case open_question::does_not_work:
            return fmt::format("Pools do not work: {}; the program runs without them.", why_broken());
        case open_question::incomplete_trace:
            return "Not known whether pools gain: events are missing from the trace, and with them types.";
        case open_question::too_few_rounds:
            return fmt::format("Not known whether pools for {} gain: {}.", names_of_pools(), shortage());
        case open_question::none:
        case open_question::too_wide:
            break;
        }
        if (!judged_.pools) {
            return result_.problem.empty() && result_.interrupted_by == 0
                       ? "No pool is needed: no type of one size has a share of the allocations."
                       : "";
        }
        return main_clause() + "; " + allocator_clause() + "." + both_clause();
    }

    std::vector<std::string> findings() {
        for (const run_result* run : {&result_.deciding, &result_.explaining}) {
            add_failures(*run);
        }
        if (judged_.pools && judged_.open != open_question::too_few_rounds) {
            add_over();
            add_parts();
            add_better();
            add_empty_plan();
            add_huge_pages();
        }
        add_budget();
        add_litter();
        return std::move(findings_);
    }

    std::vector<std::string> warnings() const {
        std::vector<std::string> list;
        for (std::size_t i = 0; i != result_.candidates.list.size(); ++i) {
            const try_candidate& c = result_.candidates.list[i];
            if (const std::optional<double> served = result_.routed(i);
                served && *served < 0.99 && c.share >= told_share) {
                list.push_back(fmt::format("the pools of {} served {} of its allocations: the rest comes "
                                           "from elsewhere, or the trace is of another input",
                                           c.label, share_of_time(*served)));
            }
        }
        const std::vector<std::string>& measuring = result_.decisive_run().warnings;
        list.insert(list.end(), measuring.begin(), measuring.end());
        return list;
    }

private:
    std::string why_broken() const {
        if (!result_.why_broken.empty()) {
            return result_.why_broken;
        }
        for (const try_arm& arm : result_.arms) {
            if (const run_row* row = result_.deciding.find(arm.name); row != nullptr && !row->is_sound()) {
                return why_unsound(*row);
            }
        }
        return "no run of them was measured";
    }

    std::string names_of_candidates(const std::vector<std::size_t>& which) const {
        std::vector<std::string> names;
        std::size_t letters = 0;
        std::size_t more = 0;
        for (const std::size_t i : which) {
            const try_candidate& c = result_.candidates.list[i];
            if (names.size() == most_names || letters > most_letters) {
                more += c.types.size();
            } else {
                names.push_back(name_in_sentence(c));
                letters += names.back().size();
            }
        }
        return listed_names(std::move(names), more);
    }

    /// "order and trade, a pool for each size,": what follows "pools for".
    std::string names_of_pools() const {
        const try_arm* const arm = result_.find_arm(judged_.pools->name);
        if (arm == nullptr || arm->served.empty()) {
            return "every block by its size";
        }
        const std::string names = names_of_candidates(arm->served);
        return arm->name == by_size_arm ? fmt::format("{}, {},", names, arm->title) : names;
    }

    std::string shortage() const {
        const std::size_t least = judged_.rounds_needed;
        const bool has_budget = result_.deciding.stopped == stop_reason::budget;
        const too_few_rounds rounds{.done = judged_.pools->rounds,
                                    .needed = has_budget ? std::max(least, rounds_to_decide) : least,
                                    .seconds = result_.deciding.measured_seconds,
                                    .besides = result_.decision.seconds_before,
                                    .why = result_.deciding.stopped};
        return rounds.done < least ? text_of(rounds, "to judge them") : "its runs do not compare";
    }

    std::string memory_clause() const {
        const run_row* const row = result_.decisive();
        const run_row* const plain = result_.decisive_run().find(default_name);
        const estimate* now = row == nullptr ? nullptr : row->find_estimate("peak_rss_bytes");
        const estimate* before = plain == nullptr ? nullptr : plain->find_estimate("peak_rss_bytes");
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

    std::string main_clause() const {
        const std::string what = fmt::format("pools for {} {} of CPU time", names_of_pools(),
                                             saving_text(subject::many, judged_.pools->saved));
        if (judged_.answer == pool_answer::yes) {
            return capitalised(what) + memory_clause();
        }
        const std::string least = share_of_time(worth_a_pool);
        return judged_.answer == pool_answer::no
                   ? fmt::format("No pool gains {}: {}{}", least, what, memory_clause())
                   : fmt::format("Not known whether pools gain {}: {}, and a larger --budget may tell", least,
                                 what);
    }

    std::string title_of_allocator() const {
        const run_row* const row = result_.deciding.find(judged_.allocator->name);
        return row == nullptr ? judged_.allocator->name : row->contender.title;
    }

    std::string allocator_clause() const {
        if (!judged_.allocator) {
            return "no other allocator was measured";
        }
        return judged_.allocator_saves ? fmt::format("{} {}", title_of_allocator(),
                                                     saving_text(subject::one, judged_.allocator->saved))
                                       : "no other allocator certainly saves time";
    }

    std::string both_clause() const {
        return judged_.over && judged_.over->is_known()
                   ? fmt::format(" Both together: pools over {} {}.", title_of_allocator(),
                                 saving_text(subject::many, *judged_.over))
                   : "";
    }

    void add_failures(const run_result& run) {
        for (const run_row& row : run.rows) {
            if (!row.contender.is_own() && !row.is_sound()) {
                findings_.push_back(fmt::format("{}: {}.", row.contender.title, why_unsound(row)));
            }
        }
    }

    void add_over() {
        if (!judged_.over_allocator || !judged_.over_allocator->is_known()) {
            return;
        }
        const interval& s = *judged_.over_allocator;
        const std::string name = title_of_allocator();
        const std::string text = saving_text(subject::many, s);
        findings_.push_back(
            s.low > 0 || s.high < 0
                ? fmt::format("Over {} alone, the pools {}.", name, text)
                : fmt::format("Not known whether the pools gain over {} alone: they {}.", name, text));
    }

    /// What each leading type adds to the others.
    void add_parts() {
        std::vector<std::pair<double, std::string>> known;
        std::vector<std::string> unknown;
        for (const try_arm& arm : result_.parts) {
            if (!arm.to_all) {
                continue;
            }
            const std::string name = name_in_sentence(result_.candidates.list[*arm.without]);
            if (!arm.to_all->is_different()) {
                unknown.push_back(name);
                continue;
            }
            const interval saved = saving_of(*arm.to_all);
            known.emplace_back(-std::abs(saved.middle),
                               fmt::format("Without a pool for {}, the others {} compared with all pools.",
                                           name, saving_text(subject::many, saved)));
        }
        std::ranges::sort(known);
        for (const auto& [size, text] : known) {
            findings_.push_back(text);
        }
        if (!unknown.empty()) {
            findings_.push_back(fmt::format("What {} {} to the other pools cannot be told from chance.",
                                            listed_names(unknown, 0), unknown.size() == 1 ? "adds" : "add"));
        }
    }

    void add_better() {
        const try_arm* const arm = judged_.better ? result_.find_arm(judged_.better->name) : nullptr;
        if (arm != nullptr) {
            findings_.push_back(fmt::format("Better still: {}; over the pools it {}{}.", arm->title,
                                            saving_text(subject::one, judged_.better->saved),
                                            result_.plan_arm == arm->name ? ", and the plan is that" : ""));
        }
    }

    void add_empty_plan() {
        const estimate* empty = result_.cpu_of(empty_arm);
        if (empty != nullptr && are_bounds(empty->ratio_low, empty->ratio_high)) {
            findings_.push_back(fmt::format("A lower bound: pools in the source have no preload, no look-up, "
                                            "and are inlined. The preload with an empty plan {} of CPU time.",
                                            saving_text(subject::one, saving_of(*empty))));
        }
    }

    /// What was measured with huge pages is had in the source with the option alone.
    void add_huge_pages() {
        std::vector<std::string> huge;
        std::size_t more = 0;
        for (const plan_pool& pool : result_.plan.pools) {
            if (pool.wants_huge_pages && huge.size() == most_names) {
                ++more;
            } else if (pool.wants_huge_pages) {
                huge.push_back(short_type(pool.name, candidate_room));
            }
        }
        if (!huge.empty()) {
            findings_.push_back(
                fmt::format("The pools of {} had huge pages. In the source, give them the option {}: without "
                            "it a pool asks for huge pages from 64 MiB on.",
                            listed_names(std::move(huge), more), huge_pages_option));
        }
    }

    void add_budget() {
        const std::string forecast = forecast_of(result_.decision);
        if (judged_.open == open_question::too_few_rounds) {
            return; // the verdict says which budget
        }
        if (!forecast.empty() && judged_.answer == pool_answer::not_known) {
            findings_.push_back(capitalised(forecast) + ".");
        } else if (result_.explaining_seconds > 0) {
            findings_.push_back(fmt::format("--budget {:.0f} has room for the parts of more types.",
                                            std::ceil(result_.explaining_seconds / 10) * 10));
        }
    }

    void add_litter() {
        const run_row* plain = result_.littered();
        if (plain == nullptr) {
            return;
        }
        const probe::litter& one = plain->samples.front().littered;
        findings_.push_back(fmt::format(
            "Each run starts on a littered heap: {} blocks of the recorded sizes, of which {} are freed. "
            "They are {} of the peak with the default allocator; the CPU time that they take is not counted.",
            one.blocks, one.freed, figures::bytes_text(one.resident_bytes)));
    }

    const try_result& result_;
    const try_judgement& judged_;
    std::vector<std::string> findings_;
};

} // namespace

std::string try_verdict(const try_result& result) {
    return sentences_of_try{result}.verdict();
}

std::vector<std::string> try_findings(const try_result& result) {
    return sentences_of_try{result}.findings();
}

std::vector<std::string> try_warnings(const try_result& result) {
    return sentences_of_try{result}.warnings();
}

} // namespace linn::tool::report
