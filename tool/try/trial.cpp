// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include "../measure/statistics.hpp"
#include "../pools/launch.hpp"
#include "../run/judge.hpp"
#include "../run/run_checks.hpp"
#include "../run/run_folder.hpp"
#include "trial_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace linn::tool {
namespace {

using ending = observation::ending;

constexpr std::string_view litter_file = "litter";

class trial {
public:
    trial(const run_options& options, try_candidates candidates, const std::vector<std::string>& command,
          const interrupt_guard& guard, const run_progress& report, const run_notice& notice)
        : options_{options},
          command_{command},
          guard_{guard},
          report_{report},
          notice_{notice} {
        result_.candidates = std::move(candidates);
    }

    try_result perform() {
        options_.most_rounds = std::max(options_.most_rounds, rounds_to_decide);
        const served_program program = find_served_program(command_.front(), false);
        if (!program.problem.empty()) {
            return refused(program.problem, program.is_usage_error);
        }
        place_.library = program.library;
        place_.folder = folder_.records().parent_path();
        try {
            if (!result_.candidates.litter.empty()) {
                options_.launch.litter = place_.folder / litter_file;
                options_.launch.count = false; // hardware counters would count the litter
                write_litter(result_.candidates.litter, options_.launch.litter);
            }
            if (!result_.candidates.list.empty() && count() && !result_.candidates.list.empty()) {
                measure();
            }
        } catch (const std::runtime_error& error) {
            return refused(error.what(), false);
        }
        if (result_.problem.empty() && result_.interrupted_by == 0) {
            describe_try(result_);
        }
        return std::move(result_);
    }

private:
    try_result refused(std::string problem, bool is_usage_error) {
        result_.problem = std::move(problem);
        result_.is_usage_error = is_usage_error;
        return std::move(result_);
    }

    /// Finds the program, and runs it once with all pools and counts; false to end.
    bool count() {
        work_progress now;
        const auto tick = [&] { report_(now); };
        now.doing = "running the program once";
        const target what = find_target(command_, options_.launch, options_.keep_wrappers,
                                        options_.ignore_exit_status, guard_, tick);
        if (is_interrupted()) {
            return false;
        }
        if (!what.problem.empty()) {
            refuse(what);
            return false;
        }
        now.doing = "counting what the pools serve";
        launch_spec spec = spec_for(options_.launch, what);
        spec.library = place_.library;
        for (const std::string& variable : counting_variables(result_.candidates, place_)) {
            set_variable(spec.environment, variable);
        }
        if (!prepare()) {
            return false;
        }
        const observation o = launch(spec, guard_, tick);
        if (is_interrupted()) {
            return false;
        }
        if (o.how != what.first.how || o.code != what.first.code) {
            result_.warnings.push_back(fmt::format("with the pools of all types the program {}: {}",
                                                   o.how == ending::exited ? "ends otherwise" : "fails",
                                                   describe_ending(o, spec)));
        } else {
            drop_idle(read_hits(result_.candidates, place_));
        }
        // The first run is also that which reads the program from the disk.
        wishes_.seconds_a_run = o.how == what.first.how && seconds_of(o) > 0
                                    ? std::min(seconds_of(what.first), seconds_of(o))
                                    : seconds_of(what.first);
        find_rivals(tick);
        make_plan();
        return !is_interrupted();
    }

    void refuse(const target& what) {
        result_.problem = what.problem;
        result_.is_usage_error = what.is_usage_error;
        if (what.first.how == ending::exited && what.first.code != 0) {
            result_.status = what.first.code;
        }
    }

    bool prepare() {
        if (options_.prepare.empty()) {
            return true;
        }
        const std::string problem = run_shell_command(options_.prepare, guard_, [] {});
        if (!is_interrupted()) {
            result_.problem = prepare_problem(options_.prepare, problem);
        }
        return problem.empty();
    }

    bool is_interrupted() {
        result_.interrupted_by = interrupt_guard::pending();
        return result_.interrupted_by != 0;
    }

    /// A trace of another run may know types that this one does not have.
    void drop_idle(const std::vector<std::uint64_t>& hits) {
        std::vector<try_candidate> served;
        for (std::size_t i = 0; i != hits.size(); ++i) {
            try_candidate& c = result_.candidates.list[i];
            if (hits[i] == 0) {
                result_.candidates.left_out.push_back({c.label, "no call of this run came from its sites",
                                                       c.share,
                                                       c.addresses.size() == 1 ? c.addresses.front() : ""});
                continue;
            }
            result_.hits.push_back(hits[i]);
            served.push_back(std::move(c));
        }
        if (!hits.empty()) {
            result_.candidates.list = std::move(served);
        }
    }

    /// The allocators to compare with that are there, those first that gain most programs most.
    void find_rivals(const std::function<void()>& tick) {
        const allocator_choice choice{options_.only, options_.allocators};
        options_.inventory = choice.look(guard_, [&](const std::string&) { tick(); });
        std::vector<left_out_contender> unused;
        for (const contender& c : choice.contenders(*options_.inventory, unused)) {
            rivals_.push_back(c.name);
        }
        std::stable_partition(rivals_.begin(), rivals_.end(),
                              [](const std::string& name) { return name.starts_with("mimalloc"); });
        if (choice.wants(huge_name) && glibc_has_huge_pages()) {
            rivals_.insert(rivals_.begin() + (rivals_.empty() ? 0 : 1), huge_name);
        }
    }

    /// What the budget has room for.
    void make_plan() {
        std::vector<std::size_t> all(result_.candidates.list.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        wishes_.candidates = all.size();
        wishes_.rivals = rivals_.size();
        wishes_.variants = variants_of(result_.candidates, all).size();
        wishes_.budget = options_.rounds != 0 ? 0 : static_cast<double>(options_.budget.count());
        wishes_.level = options_.level;
        plan_ = plan_trial(wishes_);
        if (plan_.alone < all.size() && all.size() > 1) {
            join(std::max<std::size_t>(plan_.alone, 1) - 1);
        }
        if (plan_.rivals < rivals_.size() || !plan_.explains) {
            rivals_.resize(plan_.rivals);
            result_.left_out_budget = seconds_for_all(wishes_);
        }
    }

    /// Measures the candidate and all behind it as one.
    void join(std::size_t first) {
        make_one_of(result_.candidates, first);
        if (!result_.hits.empty()) {
            result_.hits[first] = std::accumulate(result_.hits.begin() + static_cast<std::ptrdiff_t>(first),
                                                  result_.hits.end(), std::uint64_t{0});
            result_.hits.resize(first + 1);
        }
        result_.findings.push_back(
            fmt::format("{} are measured as one: a larger --budget measures each alone.",
                        result_.candidates.list.back().label));
    }

    double seconds_left() const {
        const std::chrono::duration<double> used = std::chrono::steady_clock::now() - begun_;
        return static_cast<double>(options_.budget.count()) - used.count();
    }

    /// Seconds of a part until it can claim anything.
    double seconds_to_claim(std::size_t arms) const {
        return runs_to_claim(arms, options_.level) * wishes_.seconds_a_run;
    }

    /// A part's share of what is left of the budget: `arms` of those that are still to come. More where it could claim nothing with
    /// that: the later parts can do with less.
    std::chrono::seconds budget_for(std::size_t arms, std::size_t later) const {
        const double left = seconds_left();
        const double share = left * static_cast<double>(arms) / static_cast<double>(arms + later);
        const double wanted = std::max(share, 1.05 * seconds_to_claim(arms) + wishes_.seconds_a_run);
        return std::chrono::seconds{std::max(std::lround(std::min(left, wanted)), 1L)};
    }

    /// The machine may do less than in the first run.
    void take_time_of(const run_result& part) {
        const double runs = static_cast<double>(part.complete_rounds * part.rows.size());
        if (runs > 0) {
            wishes_.seconds_a_run = std::max(wishes_.seconds_a_run, part.measured_seconds / runs);
        }
    }

    void measure() {
        if (result_.candidates.list.size() == 1) {
            result_.chosen = {0};
        } else if (!measure_alone()) {
            return;
        }
        if (result_.chosen.empty()) {
            return;
        }
        run_options o = options_;
        o.budget = budget_for(plan_.arms_together(), plan_.arms_further());
        o.only = rivals_;
        o.rounds_of_allocators = rounds_to_explain;
        if (o.only.empty()) {
            o.only = {default_name};
        }
        o.given = arms_together(result_.candidates, result_.chosen, place_, plan_.explains);
        result_.together = run_program(o, command_, guard_, report_, notice_);
        take_time_of(result_.together);
        if (take_problem(result_.together)) {
            measure_further();
        }
    }

    /// What may gain where the pools of the types' own cost: fewer of them, if it is not a pool for each size that costs.
    void keep_fewer_pools() {
        const estimate* sizes = result_.cpu_of(sizes_arm);
        std::erase_if(result_.variants, [&](const try_variant& v) {
            return !v.is_shared || (sizes != nullptr && sizes->ratio >= 1);
        });
    }

    /// Those that the counts promise something of; first that of all types, if a pool for each size gained more than these.
    void find_variants(const estimate& gain) {
        result_.variants = variants_of(result_.candidates, result_.chosen);
        const estimate* sizes = result_.cpu_of(sizes_arm);
        if (sizes != nullptr && sizes->call == verdict::better && sizes->ratio < gain.ratio &&
            result_.chosen.size() < sound_.size()) {
            if (std::optional<try_variant> all = all_by_size(result_.candidates, sound_)) {
                result_.variants.insert(result_.variants.begin(), std::move(*all));
            }
        }
    }

    /// Variants of the pools, and the pools in front of the best allocator.
    void measure_further() {
        const run_row* pools = result_.together.find(together_arm);
        const estimate* gain = result_.cpu_of(together_arm);
        if (pools == nullptr || gain == nullptr || !pools->is_sound()) {
            return;
        }
        find_variants(*gain);
        const run_row* best = best_allocator(result_.together);
        if (gain->call == verdict::worse) {
            keep_fewer_pools();
            best = nullptr;
        } else if (best != nullptr && !may_be_better(*best)) {
            best = nullptr;
        }
        fit_further(best != nullptr);
        if (result_.variants.size() > plan_.variants || (best != nullptr && !plan_.has_both)) {
            result_.further_budget = seconds_for_all(wishes_);
            result_.variants.resize(std::min(result_.variants.size(), plan_.variants));
        }
        if (!plan_.has_both) {
            best = nullptr;
        }
        run_options o = options_;
        o.given = arms_of_variants(result_.candidates, result_.chosen, result_.variants, place_);
        o.only = {default_name};
        if (best != nullptr) {
            o.given.push_back(arm_over(result_.candidates, result_.chosen, best->contender, place_));
            o.only = {best->contender.name};
        }
        if (o.given.empty()) {
            return;
        }
        o.budget = budget_for(1, 0);
        result_.further = run_program(o, command_, guard_, report_, notice_);
        result_.interrupted_by = result_.further.interrupted_by;
        if (const std::string& problem = result_.further.problem; !problem.empty() && !is_interrupted()) {
            result_.warnings.push_back(fmt::format("variants were not measured to the end: {}", problem));
        }
    }

    /// Leaves out of the third part what could not be judged any more in the time that is left.
    void fit_further(bool has_best) {
        if (options_.rounds != 0) {
            return;
        }
        plan_.has_both = plan_.has_both && has_best;
        plan_.variants = std::min(plan_.variants, result_.variants.size());
        while (plan_.arms_further() != 0 && seconds_to_claim(plan_.arms_further()) > seconds_left()) {
            if (plan_.variants != 0) {
                --plan_.variants;
            } else {
                plan_.has_both = false;
            }
        }
    }

    /// It takes less CPU time than plain; after few rounds that need not be certain.
    static bool may_be_better(const run_row& row) {
        const estimate& e = row.estimates.at(cpu_metric);
        return are_bounds(e.ratio_low, e.ratio_high) ? e.call == verdict::better : e.ratio < 1;
    }

    bool measure_alone() {
        run_options o = options_;
        o.budget = budget_for(plan_.arms_alone(), plan_.arms_together() + plan_.arms_further());
        o.only = {default_name}; // no other allocator
        o.given = arms_alone(result_.candidates, place_);
        result_.alone = run_program(o, command_, guard_, report_, notice_);
        take_time_of(result_.alone);
        if (!take_problem(result_.alone)) {
            return false;
        }
        choose();
        return true;
    }

    bool take_problem(const run_result& run) {
        result_.interrupted_by = run.interrupted_by;
        if (run.problem.empty()) {
            return run.interrupted_by == 0;
        }
        result_.problem = run.problem;
        result_.is_usage_error = run.is_usage_error;
        return false;
    }

    /// Those that gained; where none did, all that ran as they should: small gains may add up.
    void choose() {
        for (std::size_t i = 0; i != result_.candidates.list.size(); ++i) {
            const run_row* row = result_.alone.find(arm_alone(i));
            if (row == nullptr || !row->is_sound()) {
                continue;
            }
            sound_.push_back(i);
            const estimate* e = result_.cpu_of(row->contender.name);
            if (e != nullptr && e->call == verdict::better) {
                result_.chosen.push_back(i);
            }
        }
        result_.has_gained_alone = !result_.chosen.empty();
        if (!result_.has_gained_alone) {
            result_.chosen = sound_;
        }
    }

    run_options options_;
    const std::vector<std::string>& command_;
    const interrupt_guard& guard_;
    const run_progress& report_;
    const run_notice& notice_;
    run_folder folder_;
    try_place place_;
    try_result result_;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    trial_wishes wishes_;
    trial_plan plan_;
    std::vector<std::size_t> sound_;  ///< the candidates with which the program ran alone as it should
    std::vector<std::string> rivals_; ///< the general allocators that the second part has
};

} // namespace

std::optional<double> try_result::routed(std::size_t candidate) const {
    if (candidate >= hits.size() || candidates.list[candidate].allocations == 0) {
        return std::nullopt;
    }
    return std::min(1.0, static_cast<double>(hits[candidate]) /
                             static_cast<double>(candidates.list[candidate].allocations));
}

const estimate* try_result::cpu_of(std::string_view arm) const {
    for (const run_result* run : {&together, &alone, &further}) {
        if (const run_row* row = run->find(arm); row != nullptr) {
            return row->find_estimate(cpu_metric);
        }
    }
    return nullptr;
}

const run_row* try_result::decisive() const {
    return decisive_variant.empty() ? together.find(together_arm) : further.find(decisive_variant);
}

const run_result& try_result::judged() const {
    if (!decisive_variant.empty()) {
        return further;
    }
    return together.rows.empty() ? alone : together;
}

const run_row* try_result::littered() const {
    const run_row* plain = together.find(default_name);
    return plain == nullptr || plain->samples.empty() || plain->samples.front().littered.blocks == 0 ? nullptr
                                                                                                     : plain;
}

try_result try_pools(const run_options& options, try_candidates candidates,
                     const std::vector<std::string>& command, const interrupt_guard& guard,
                     const run_progress& report, const run_notice& notice) {
    return trial{options, std::move(candidates), command, guard, report, notice}.perform();
}

} // namespace linn::tool
