// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include "../measure/statistics.hpp"
#include "../pools/launch.hpp"
#include "../run/judge.hpp"
#include "../run/run_checks.hpp"
#include "../run/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace linn::tool {
namespace {

using ending = observation::ending;

constexpr std::size_t own_arms = 2; // the plain program, twice
constexpr std::size_t arms_of_second_part =
    10; // these, four with the preload, three allocators and glibc's huge pages
constexpr std::size_t arms_of_both = 4; // these, an allocator, and pools in front of it
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
        const served_program program = find_served_program(command_.front(), false);
        if (!program.problem.empty())
            return refused(program.problem, program.is_usage_error);
        place_.library = program.library;
        place_.folder = folder_.records().parent_path();
        try {
            if (!result_.candidates.litter.empty()) {
                options_.launch.litter = place_.folder / litter_file;
                options_.launch.count = false; // hardware counters would count the litter
                write_litter(result_.candidates.litter, options_.launch.litter);
            }
            if (!result_.candidates.list.empty() && count() && !result_.candidates.list.empty())
                measure();
        } catch (const std::runtime_error& error) {
            return refused(error.what(), false);
        }
        if (result_.problem.empty() && result_.interrupted_by == 0)
            describe_try(result_);
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
        if (is_interrupted())
            return false;
        if (!what.problem.empty()) {
            refuse(what);
            return false;
        }
        now.doing = "counting what the pools serve";
        launch_spec spec = spec_for(options_.launch, what);
        spec.library = place_.library;
        for (const std::string& variable : counting_variables(result_.candidates, place_))
            set_variable(spec.environment, variable);
        if (!prepare())
            return false;
        const observation o = launch(spec, guard_, tick);
        if (is_interrupted())
            return false;
        if (o.how != what.first.how || o.code != what.first.code)
            result_.warnings.push_back(fmt::format("with the pools of all types the program {}: {}",
                                                   o.how == ending::exited ? "ends otherwise" : "fails",
                                                   describe_ending(o, spec)));
        else
            drop_idle(read_hits(result_.candidates, place_));
        seconds_a_run_ = seconds_of(what.first);
        plan_third_part();
        fit_into_budget();
        return true;
    }

    void refuse(const target& what) {
        result_.problem = what.problem;
        result_.is_usage_error = what.is_usage_error;
        if (what.first.how == ending::exited && what.first.code != 0)
            result_.status = what.first.code;
    }

    bool prepare() {
        if (options_.prepare.empty())
            return true;
        const std::string problem = run_shell_command(options_.prepare, guard_, [] {});
        if (!is_interrupted())
            result_.problem = prepare_problem(options_.prepare, problem);
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
        if (!hits.empty())
            result_.candidates.list = std::move(served);
    }

    /// The runs of one part that a claim takes.
    double runs_of(std::size_t arms) const {
        return static_cast<double>(arms * least_rounds_to_claim(arms - own_arms, options_.level));
    }
    /// Seconds that the second part and a third with so many arms take at least.
    double seconds_with(std::size_t arms_of_third_part) const {
        return (runs_of(arms_of_second_part) + runs_of(arms_of_third_part)) * seconds_a_run_;
    }

    /// How much of the third part the budget has room for: first the pools over an allocator, then variants.
    void plan_third_part() {
        const auto has_room = [this](std::size_t arms) {
            return options_.rounds != 0 || seconds_with(arms) <= static_cast<double>(options_.budget.count());
        };
        std::vector<std::size_t> all(result_.candidates.list.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        most_variants_ = variants_of(result_.candidates, all).size();
        while (most_variants_ != 0 && !has_room(arms_of_both + 1 + most_variants_))
            --most_variants_;
        arms_of_third_part_ = most_variants_ != 0      ? arms_of_both + 1 + most_variants_
                              : has_room(arms_of_both) ? arms_of_both
                                                       : 0;
    }

    /// The arms of the first part, where each part has the rounds that a claim takes in the budget.
    void fit_into_budget() {
        const std::size_t count = result_.candidates.list.size();
        if (options_.rounds != 0 || count < 2 || seconds_a_run_ <= 0)
            return;
        const auto rounds =
            static_cast<double>(least_rounds_to_claim(arms_of_second_part - own_arms, options_.level));
        const double arms = static_cast<double>(options_.budget.count()) / (seconds_a_run_ * rounds) -
                            static_cast<double>(arms_of_second_part + own_arms + arms_of_third_part_);
        const std::size_t fits = arms < 2 ? 1 : std::min(count, static_cast<std::size_t>(arms));
        if (fits == count)
            return;
        make_one_of(result_.candidates, fits - 1);
        if (!result_.hits.empty()) {
            result_.hits[fits - 1] =
                std::accumulate(result_.hits.begin() + static_cast<std::ptrdiff_t>(fits - 1),
                                result_.hits.end(), std::uint64_t{0});
            result_.hits.resize(fits);
        }
        result_.findings.push_back(
            fmt::format("{} are measured as one: a larger --budget measures each alone.",
                        result_.candidates.list.back().label));
    }

    /// A part's share of the budget.
    std::chrono::seconds budget_for(std::size_t arms) const {
        const std::size_t count = result_.candidates.list.size();
        const std::size_t all =
            (count == 1 ? 0 : count + own_arms) + arms_of_second_part + arms_of_third_part_;
        return std::max(options_.budget * static_cast<int>(arms) / static_cast<int>(all),
                        std::chrono::seconds{1});
    }

    void measure() {
        if (result_.candidates.list.size() == 1)
            result_.chosen = {0};
        else if (!measure_alone())
            return;
        if (result_.chosen.empty())
            return;
        run_options o = options_;
        o.budget = budget_for(arms_of_second_part);
        o.given = arms_together(result_.candidates, result_.chosen, place_);
        result_.together = run_program(o, command_, guard_, report_, notice_);
        if (take_problem(result_.together))
            measure_further();
    }

    /// Variants of the pools, and the pools in front of the best allocator.
    void measure_further() {
        const run_row* pools = result_.together.find(together_arm);
        const estimate* gain = result_.cpu_of(together_arm);
        if (pools == nullptr || gain == nullptr || !pools->is_sound() || gain->call == verdict::worse)
            return;
        const run_row* best = best_allocator(result_.together);
        if (best != nullptr && !may_be_better(*best))
            best = nullptr;
        result_.variants = variants_of(result_.candidates, result_.chosen);
        if (best != nullptr && arms_of_third_part_ == 0)
            result_.further_budget = seconds_with(arms_of_both);
        if (result_.variants.size() > most_variants_) {
            result_.further_budget = seconds_with(arms_of_both + 1 + result_.variants.size());
            result_.variants.resize(most_variants_);
        }
        if (arms_of_third_part_ == 0)
            return;
        run_options o = options_;
        o.given = arms_of_variants(result_.candidates, result_.chosen, result_.variants, place_);
        o.only = {default_name};
        if (best != nullptr) {
            o.given.push_back(arm_over(result_.candidates, result_.chosen, best->contender, place_));
            o.only = {best->contender.name};
        }
        if (o.given.empty())
            return;
        o.budget = budget_for(o.given.size() + own_arms + (best != nullptr ? 1 : 0));
        result_.further = run_program(o, command_, guard_, report_, notice_);
        result_.interrupted_by = result_.further.interrupted_by;
        if (const std::string& problem = result_.further.problem; !problem.empty() && !is_interrupted())
            result_.warnings.push_back(fmt::format("variants were not measured to the end: {}", problem));
    }

    /// It takes less CPU time than plain; after few rounds that need not be certain.
    static bool may_be_better(const run_row& row) {
        const estimate& e = row.estimates.at(cpu_metric);
        return are_bounds(e.ratio_low, e.ratio_high) ? e.call == verdict::better : e.ratio < 1;
    }

    bool measure_alone() {
        run_options o = options_;
        o.budget = budget_for(result_.candidates.list.size() + own_arms);
        o.only = {default_name}; // no other allocator
        o.given = arms_alone(result_.candidates, place_);
        result_.alone = run_program(o, command_, guard_, report_, notice_);
        if (!take_problem(result_.alone))
            return false;
        choose();
        return true;
    }

    bool take_problem(const run_result& run) {
        result_.interrupted_by = run.interrupted_by;
        if (run.problem.empty())
            return run.interrupted_by == 0;
        result_.problem = run.problem;
        result_.is_usage_error = run.is_usage_error;
        return false;
    }

    /// Those that gained; where none did, all that ran as they should: small gains may add up.
    void choose() {
        std::vector<std::size_t> sound;
        for (std::size_t i = 0; i != result_.candidates.list.size(); ++i) {
            const run_row* row = result_.alone.find(arm_alone(i));
            if (row == nullptr || !row->is_sound())
                continue;
            sound.push_back(i);
            const estimate* e = result_.cpu_of(row->contender.name);
            if (e != nullptr && e->call == verdict::better)
                result_.chosen.push_back(i);
        }
        result_.has_gained_alone = !result_.chosen.empty();
        if (!result_.has_gained_alone)
            result_.chosen = std::move(sound);
    }

    run_options options_;
    const std::vector<std::string>& command_;
    const interrupt_guard& guard_;
    const run_progress& report_;
    const run_notice& notice_;
    run_folder folder_;
    try_place place_;
    try_result result_;
    double seconds_a_run_ = 0;
    std::size_t most_variants_ = 0;
    std::size_t arms_of_third_part_ = 0; ///< 0: the budget has no room for it
};

} // namespace

std::optional<double> try_result::routed(std::size_t candidate) const {
    if (candidate >= hits.size() || candidates.list[candidate].allocations == 0)
        return std::nullopt;
    return std::min(1.0, static_cast<double>(hits[candidate]) /
                             static_cast<double>(candidates.list[candidate].allocations));
}

const estimate* try_result::cpu_of(std::string_view arm) const {
    for (const run_result* run : {&together, &alone, &further})
        if (const run_row* row = run->find(arm); row != nullptr)
            return row->find_estimate(cpu_metric);
    return nullptr;
}

const run_result& try_result::judged() const {
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
