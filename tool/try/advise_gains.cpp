// SPDX-License-Identifier: Apache-2.0
#include "advise_gains.hpp"

#include "../advise/type_groups.hpp"
#include "../measure/statistics.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace linn::tool {
namespace {

/// What is known of a type, by its label.
struct tried_type {
    std::optional<measured_gain> gain;
    std::string why_not;
};

class taker {
public:
    taker(const try_result& result, const std::string& only_type) : result_{result}, only_type_{only_type} {
        if (const estimate* e = result.cpu_of(empty_arm); e != nullptr) {
            empty_plan_cost_ = e->ratio - 1;
        }
        for (std::size_t i = 0; i != result.candidates.list.size(); ++i) {
            add(i);
        }
        for (const try_left_out& l : result.candidates.left_out) {
            types_[l.type].why_not = l.reason;
        }
    }

    std::optional<measured_gain> together() const {
        const run_row* row = result_.decisive();
        std::size_t types = 0;
        for (const std::size_t i : result_.chosen) {
            types += result_.candidates.list[i].types.size();
        }
        return row == nullptr || !why_unsound(*row).empty() ? std::nullopt : gain_of(*row, types);
    }

    tried_type of(const advised_type& type) const {
        if (const auto known = types_.find(label_of(type)); known != types_.end()) {
            return known->second;
        }
        if (!result_.problem.empty()) {
            return {{}, result_.problem};
        }
        if (label_of(type).find(only_type_) == std::string::npos) {
            return {{}, "--type asks for others"};
        }
        return {{}, type.runtime.empty() ? "too few of all allocations" : "blocks of the runtime library"};
    }

private:
    std::optional<measured_gain> gain_of(const run_row& row, std::size_t types) const {
        const auto found = row.estimates.find(cpu_metric);
        if (found == row.estimates.end() || !are_bounds(found->second.ratio_low, found->second.ratio_high)) {
            return std::nullopt;
        }
        const estimate& e = found->second;
        return measured_gain{1 - e.ratio, {1 - e.ratio_high, 1 - e.ratio_low}, types, empty_plan_cost_};
    }

    void add(std::size_t candidate) {
        const try_candidate& c = result_.candidates.list[candidate];
        // One candidate is measured once, as all that is chosen.
        const bool is_only = result_.alone.rows.empty();
        const run_row* row =
            is_only ? result_.together.find(together_arm) : result_.alone.find(arm_alone(candidate));
        tried_type t;
        if (row == nullptr) {
            t.why_not = result_.problem.empty() ? "it was not measured" : result_.problem;
        } else if (t.why_not = why_unsound(*row); t.why_not.empty()) {
            if (t.gain = gain_of(*row, c.types.size()); !t.gain) {
                t.why_not = "there were too few rounds: --budget gives it more";
            }
        }
        for (const std::string& type : c.types) {
            types_[type] = t;
        }
    }

    const try_result& result_;
    const std::string& only_type_;
    double empty_plan_cost_ = 0;
    std::map<std::string, tried_type> types_;
};

} // namespace

void take_trial(advice& a, const try_result& result, const std::string& only_type) {
    const taker from{result, only_type};
    for (advised_type& type : a.types) {
        tried_type t = from.of(type);
        type.tried = t.gain;
        type.not_tried = std::move(t.why_not);
        type.wants_huge_pages = type.wants_huge_pages && result.plan_variant != "small-pages";
    }
    a.tried.emplace();
    a.tried->answer = result.answer;
    a.tried->gain = from.together();
    a.tried->verdict = result.verdict;
    a.tried->findings = result.findings;
    a.tried->warnings = result.warnings;
    a.tried->problem = result.problem;
    a.tried->only_type = only_type;
    if (a.interrupted_by == 0) {
        a.interrupted_by = result.interrupted_by;
    }
}

} // namespace linn::tool
