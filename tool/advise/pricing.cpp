// SPDX-License-Identifier: Apache-2.0
#include "pricing.hpp"

#include "../measure/statistics.hpp"
#include "cost.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

namespace linn::tool {
namespace {

constexpr double no_gain = 0.005;    // of the run
constexpr double price_level = 0.99; // of the intervals: a dozen of them are looked at for one answer

// Of a worker, until one was measured.
constexpr double start_seconds = 0.02;
constexpr double event_seconds = 100e-9;

/// Too few rounds have no bounds.
bool is_measured(const replay_row& row) {
    return row.failure.empty() && are_bounds(row.change_low, row.change_high) &&
           (row.change_low != 0 || row.change_high != 0);
}

void take_gain(advised_type& type, const replay_row& row, double ceiling, double most) {
    if (!is_pool(type.what)) {
        return;
    }
    // What the replay shows beyond the price of the type's blocks is noise.
    const gain_range gain = replayed_gain(row);
    const double high = std::min({gain.high, ceiling, most});
    type.gain = {std::clamp(gain.low, std::min(-most, high), high), high};
    type.is_gain_measured = true;
    if (high >= no_gain) {
        return;
    }
    type.why = "replayed with only this type from a pool, the run would save " + at_most_text(high) + ": " +
               type.why;
    type.rule = "no-gain";
    type.what = remedy::nothing;
    type.part.clear();
    type.gain = {};
}

class pricing {
public:
    pricing(advice& a, cost_shares& costs, const types_of_changes& changes, const advise_options& options,
            const advise_parts& parts, const type_decision& decide)
        : a_{a},
          costs_{costs},
          changes_{changes},
          options_{options},
          parts_{parts},
          decide_{decide},
          left_{options.replay_budget},
          job_seconds_{start_seconds + event_seconds * static_cast<double>(a.analysis.info.events)} {}

    void perform() {
        // A price can only fall when it is measured, so that this finds every type that may become a candidate.
        decide_([&](std::size_t type) { return gain_range{0, costs_.most(type)}; });
        for (std::size_t i = 0; i != std::max<std::size_t>(options_.most_replays, 1); ++i) {
            const std::vector<std::size_t> open = open_candidates();
            if (i != 0 && open.empty()) {
                break;
            }
            const bool is_useful = replay(open, i == 0);
            decide_([&](std::size_t type) { return known_cost(type); });
            for (const auto& [type, row] : rows_) {
                take_row(type, row);
            }
            if (!is_useful) {
                break;
            }
        }
    }

private:
    /// Where the replay could not measure what allocation costs, a type may cost as much as any does: it is no reason for a no.
    gain_range known_cost(std::size_t type) const {
        const gain_range cost = costs_.of(type);
        return a_.is_ceiling_measured ? cost : gain_range{cost.low, std::max(cost.high, costs_.most(type))};
    }

    /// A type and those that its change serves too.
    std::vector<std::size_t> served_by(std::size_t type) const {
        std::vector<std::size_t> all{type};
        for (const std::size_t other : changes_[type]) {
            if (other != type && !a_.types[other].served_with.empty()) {
                all.push_back(other);
            }
        }
        return all;
    }

    std::vector<std::uint32_t> stacks_of(std::size_t type) const {
        std::vector<std::uint32_t> stacks;
        for (const std::size_t served : served_by(type)) {
            for (const advised_place& place : a_.types[served].places) {
                for (const std::uint32_t index : place.sites) {
                    stacks.push_back(a_.analysis.sites[index].stack);
                }
            }
        }
        std::sort(stacks.begin(), stacks.end());
        stacks.erase(std::unique(stacks.begin(), stacks.end()), stacks.end());
        return stacks;
    }

    double weight(std::size_t type) const {
        double sum = 0;
        for (const std::size_t served : served_by(type)) {
            sum += costs_.weight(served);
        }
        return sum;
    }

    void take_row(std::size_t type, const replay_row& row) {
        if (!is_pool(a_.types[type].what) || !a_.types[type].served_with.empty()) {
            return;
        }
        double most = 0;
        const std::vector<std::size_t> all = served_by(type);
        for (const std::size_t served : all) {
            most += costs_.most(served);
        }
        take_gain(a_.types[type], row, a_.ceiling.high, most);
        if (is_pool(a_.types[type].what)) {
            return;
        }
        // Where the change of the first is not worth it, it serves none of the others.
        for (const std::size_t served : all) {
            if (advised_type& other = a_.types[served]; !other.served_with.empty()) {
                other.why = a_.types[type].why;
                other.rule = a_.types[type].rule;
                other.what = remedy::nothing;
                other.part.clear();
                other.served_with.clear();
            }
        }
    }

    /// The types for which a pool is advised and that were not asked for, those that cost most first.
    std::vector<std::size_t> open_candidates() const {
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i != a_.types.size(); ++i) {
            if (is_pool(a_.types[i].what) && !a_.types[i].was_replayed && a_.types[i].served_with.empty()) {
                open.push_back(i);
            }
        }
        std::stable_sort(open.begin(), open.end(),
                         [&](std::size_t x, std::size_t y) { return weight(x) > weight(y); });
        return open;
    }

    /// How many types fit into a replay of so long, each with rounds enough to be judged.
    std::size_t types_within(std::chrono::seconds budget) const {
        const double jobs = static_cast<double>(budget.count()) / (rounds_to_judge * job_seconds_);
        return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(0.0, jobs - other_jobs)), 1,
                                       std::max<std::size_t>(options_.most_priced, 1));
    }

    /// The budget is for all replays together: half of what is left where half is enough.
    std::chrono::seconds budget(std::size_t candidates) const {
        const bool has_more = candidates > options_.most_priced;
        const bool is_half_enough = types_within(left_ / 2) >= options_.most_priced;
        return std::max(std::chrono::seconds{1}, has_more && is_half_enough ? left_ / 2 : left_);
    }

    /// False where another one would say no more.
    bool replay(const std::vector<std::size_t>& open, bool is_first) {
        replay_options wanted;
        wanted.trace = options_.trace;
        wanted.budget = budget(open.size());
        wanted.rounds = options_.replay_rounds;
        wanted.ceiling_only = true;
        wanted.price_together = is_first;
        wanted.level = price_level;
        const std::size_t count = std::min(open.size(), types_within(wanted.budget));
        for (std::size_t i = 0; i != count; ++i) {
            a_.types[open[i]].was_replayed = true;
            wanted.groups.push_back({change_label(a_.types[open[i]]), stacks_of(open[i])});
        }
        replay_result result = parts_.replay(wanted);
        const double spent = std::max(0.0, result.seconds - result.preparation_seconds);
        left_ -= std::chrono::seconds{static_cast<std::chrono::seconds::rep>(spent)};
        if (result.complete_rounds != 0) {
            job_seconds_ = spent / (static_cast<double>(result.complete_rounds) *
                                    (static_cast<double>(count) + other_jobs));
        }
        a_.interrupted_by = result.interrupted_by;
        const bool is_whole = result.problem.empty() && result.interrupted_by == 0;
        if (result.complete_rounds < rounds_to_judge) {
            for (std::size_t i = 0; i != count; ++i) {
                a_.types[open[i]].estimated_because = estimate_reason::few_rounds;
            }
        }
        for (std::size_t i = 0; i != std::min(count, result.groups.size()); ++i) {
            if (const replay_row& row = result.groups[i]; is_measured(row)) {
                rows_.emplace(open[i], row);
            }
        }
        if (is_first) {
            a_.replay = std::move(result);
            take_ceiling();
            if (!a_.is_ceiling_measured) {
                rows_.clear();
            }
        } else {
            auto& to = a_.replay;
            to.groups.insert(to.groups.end(), result.groups.begin(), result.groups.end());
            to.options.groups.insert(to.options.groups.end(), wanted.groups.begin(), wanted.groups.end());
            to.seconds += result.seconds;
        }
        return is_whole && a_.is_ceiling_measured && left_.count() > 0;
    }

    void take_ceiling() {
        const replay_row* const nothing = a_.replay.find(null_name);
        if (!a_.replay.problem.empty() || nothing == nullptr || !is_measured(*nothing)) {
            return;
        }
        a_.ceiling = replayed_ceiling(*nothing);
        a_.is_ceiling_measured = true;
        costs_.take_ceiling(a_.ceiling);
    }

    static constexpr double other_jobs = 4; // default, control, Linn, null

    advice& a_;
    cost_shares& costs_;
    const types_of_changes& changes_;
    const advise_options& options_;
    const advise_parts& parts_;
    const type_decision& decide_;
    std::chrono::seconds left_;
    double job_seconds_;                     ///< that one type takes in one round
    std::map<std::size_t, replay_row> rows_; ///< by type
};

} // namespace

void price_by_replay(advice& a, cost_shares& costs, const types_of_changes& changes,
                     const advise_options& options, const advise_parts& parts, const type_decision& decide) {
    pricing{a, costs, changes, options, parts, decide}.perform();
}

void explain_estimates(advice& a, const advise_options& options, const advise_parts& parts) {
    const bool could_replay = options.use_replay && parts.replay && a.analysis.info.contents != "fills";
    const bool has_failed = !a.replay.problem.empty() || a.interrupted_by != 0;
    const bool was_made = !a.replay.rows.empty() || has_failed;
    const bool has_few_rounds = a.replay.complete_rounds < rounds_to_judge;
    for (advised_type& type : a.types) {
        const bool had_few_rounds = type.estimated_because == estimate_reason::few_rounds;
        type.estimated_because = estimate_reason::none;
        if (type.what == remedy::nothing || type.is_gain_measured || !type.served_with.empty()) {
            continue;
        }
        if (!is_pool(type.what)) {
            type.estimated_because = estimate_reason::not_a_pool;
        } else if (!could_replay) {
            type.estimated_because = estimate_reason::no_replay;
        } else if (!was_made) {
            type.estimated_because = estimate_reason::negligible;
        } else if (!has_failed && (had_few_rounds || has_few_rounds)) {
            type.estimated_because = estimate_reason::few_rounds;
        } else if (has_failed || type.was_replayed) {
            type.estimated_because = estimate_reason::failed;
        } else {
            type.estimated_because = estimate_reason::too_many;
        }
    }
}

} // namespace linn::tool
