// SPDX-License-Identifier: Apache-2.0
#include "trial.hpp"

#include "../measure/quantity.hpp"
#include "../run/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace linn::tool {
namespace {

using ending = observation::ending;

constexpr std::string_view litter_file = "litter";
constexpr std::size_t leading_candidates = 6;  // whose part of the gain is measured
constexpr double explaining_share = 0.8;       // of the seconds left
constexpr std::size_t arms_of_explanation = 3; // the plain program, its copy, the chosen pools

std::vector<std::size_t> first_numbers(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
}

std::vector<std::string> names_of(const std::vector<try_arm>& arms) {
    std::vector<std::string> names;
    for (const try_arm& arm : arms) {
        names.push_back(arm.name);
    }
    return names;
}

class trial {
public:
    trial(const run_options& options, try_candidates candidates, const run_world& world,
          const std::filesystem::path& library, const run_progress& report, const run_notice& notice,
          const run_notice& warn)
        : options_{options},
          world_{world},
          report_{report},
          notice_{notice},
          warn_{warn},
          place_{library, folder_.records().parent_path()} {
        result_.candidates = std::move(candidates);
    }

    try_result perform() {
        begun_ = world_.now();
        options_.most_rounds = std::max(options_.most_rounds, most_deciding_rounds);
        options_.least_rounds = rounds_to_decide;
        try {
            if (!result_.candidates.litter.empty()) {
                options_.launch.litter = place_.folder / litter_file;
                write_litter(result_.candidates.litter, options_.launch.litter);
            }
            if (!result_.candidates.list.empty() && discover() && find_sound() &&
                !result_.candidates.list.empty()) {
                find_allocators();
                if (decide()) {
                    explain();
                }
            }
        } catch (const std::runtime_error& error) {
            result_.problem = error.what();
        }
        result_.interrupted_by = world_.interrupted();
        judge_trial(result_);
        return std::move(result_);
    }

private:
    void say(std::string doing) {
        work_progress now;
        now.doing = std::move(doing);
        report_(now);
    }

    bool goes_on() const { return world_.interrupted() == 0 && result_.problem.empty(); }

    /// Finds the program, and runs it once.
    bool discover() {
        say("running the program once");
        what_ = world_.find_target(options_.launch);
        if (world_.interrupted() != 0) {
            return false;
        }
        result_.problem = what_.problem;
        result_.is_usage_error = what_.is_usage_error;
        if (!what_.problem.empty() && what_.first.how == ending::exited && what_.first.code != 0) {
            result_.status = what_.first.code;
        }
        world_.find_target = [this](const launch_spec&) { return what_; };
        seconds_a_run_ = seconds_of(what_.first);
        return goes_on();
    }

    /// Keeps the candidates with whose pools the program ends as it does without, and counts what each serves.
    bool find_sound() {
        say("counting what the pools serve");
        std::vector<std::size_t> all = first_numbers(result_.candidates.list.size());
        std::vector<std::size_t> sound = sound_of(all);
        if (sound.size() != all.size() && !sound.empty() && !works_with(sound)) {
            sound.clear(); // they break it only together
        }
        if (!goes_on()) {
            return false;
        }
        std::vector<try_candidate> kept;
        for (std::size_t n = 0; n != sound.size(); ++n) {
            try_candidate& c = result_.candidates.list[sound[n]];
            if (hits_.empty() || hits_[n] != 0) {
                if (!hits_.empty()) {
                    result_.hits.push_back(hits_[n]);
                }
                kept.push_back(std::move(c));
            } else if (c.share >= told_share) { // the trace of another run may know other types
                leave_out(c, "no call of this run came from its sites");
            }
        }
        result_.candidates.list = std::move(kept);
        return true;
    }

    void leave_out(const try_candidate& c, std::string reason) {
        result_.candidates.left_out.push_back(
            {c.label, std::move(reason), c.share, c.addresses.size() == 1 ? c.addresses.front() : ""});
    }

    /// Those with which the program works, found by halves; the others are left out.
    std::vector<std::size_t> sound_of(const std::vector<std::size_t>& which) {
        if (works_with(which) || !goes_on()) {
            return which;
        }
        if (which.size() == 1) {
            leave_out(result_.candidates.list[which.front()],
                      "with its pool the program does not work: " + result_.why_broken);
            return {};
        }
        const auto middle = which.begin() + static_cast<std::ptrdiff_t>(which.size() / 2);
        std::vector<std::size_t> sound = sound_of({which.begin(), middle});
        const std::vector<std::size_t> second = sound_of({middle, which.end()});
        sound.insert(sound.end(), second.begin(), second.end());
        return sound;
    }

    /// Runs the program once with their pools, and counts.
    bool works_with(const std::vector<std::size_t>& which) {
        const try_arm arm = arm_of_types(result_.candidates, which);
        launch_spec spec = what_.spec;
        spec.library = place_.library;
        for (const std::string& variable : counting_variables(arm, place_)) {
            set_variable(spec.environment, variable);
        }
        const std::optional<observation> o = launch(spec);
        if (!o) {
            return false;
        }
        hits_ = take_hits(result_.candidates, arm, place_);
        const bool is_ignored = options_.ignore_exit_status && o->how == ending::exited;
        if (!is_ignored && (o->how != what_.first.how || o->code != what_.first.code)) {
            result_.why_broken = describe_ending(*o, spec);
            return false;
        }
        if (options_.compare_output && o->output != what_.first.output && has_one_output()) {
            result_.why_broken =
                fmt::format("the output differs ({})", describe_difference(what_.first.output, o->output));
            return false;
        }
        if (seconds_of(*o) > 0) { // the first run is also that which reads the program from the disk
            seconds_a_run_ = std::min(seconds_a_run_, seconds_of(*o));
        }
        return true;
    }

    /// Whether the plain program writes the same each time.
    bool has_one_output() {
        if (!has_one_output_) {
            const std::optional<observation> again = launch(what_.spec);
            has_one_output_ = again && again->output == what_.first.output;
        }
        return *has_one_output_;
    }

    std::optional<observation> launch(const launch_spec& spec) {
        if (!options_.prepare.empty()) {
            if (const std::string problem = world_.prepare(options_.prepare); !problem.empty()) {
                result_.problem = world_.interrupted() != 0 ? "" : problem;
                return std::nullopt;
            }
        }
        observation o = world_.launch(spec);
        return world_.interrupted() != 0 ? std::nullopt : std::optional{std::move(o)};
    }

    double seconds_used() const { return result_.candidates.seconds + (world_.now() - begun_).count(); }
    double budget() const { return options_.rounds != 0 ? 0 : static_cast<double>(options_.budget.count()); }
    double seconds_left() const { return std::max(budget() - seconds_used(), 0.001); }
    trial_plan wishes() const {
        return {true,           !result_.candidates.is_selection,          allocators_.size(),
                seconds_a_run_, options_.rounds != 0 ? 0 : seconds_left(), seconds_used()};
    }

    /// The allocators that are there; of more than take part in the decision, the best of a few rounds.
    void find_allocators() {
        say("trying the allocators");
        world_.take_inventory = [found = world_.take_inventory()] { return found; };
        std::vector<left_out_contender> unused;
        std::vector<run_contender> all = choose_contenders(options_, what_, world_.take_inventory(), unused);
        all.erase(all.begin(), all.begin() + 2); // the plain program and its copy
        std::ranges::stable_sort(all, {}, [&](const run_contender& c) { return rank_of(c, options_); });
        for (const run_contender& c : all) {
            allocators_.push_back(c.name);
        }
        if (const std::size_t rounds = screening_rounds(wishes()); rounds != 0) {
            screen(rounds);
        }
        allocators_.resize(std::min(allocators_.size(), most_allocators));
    }

    void screen(std::size_t rounds) {
        run_options o = options_;
        o.rounds = rounds;
        o.warm_up_rounds = 0;
        o.only = allocators_;
        result_.screening = run_program(o, world_, report_, notice_);
        const auto ratio = [&](const std::string& name) {
            const run_row* const row = result_.screening.find(name);
            const estimate* const e =
                row == nullptr || !row->is_sound() ? nullptr : row->find_estimate(cpu_metric);
            return e == nullptr ? HUGE_VAL : e->ratio;
        };
        std::erase_if(allocators_, [&](const std::string& name) { return ratio(name) == HUGE_VAL; });
        std::ranges::stable_sort(allocators_, {}, ratio);
    }

    bool decide() {
        const std::vector<std::size_t> all = first_numbers(result_.candidates.list.size());
        result_.arms = {arm_of_types(result_.candidates, all), arm_by_size(result_.candidates, all),
                        arm_of_every_block()};
        trial_plan w = wishes();
        w.has_sizes = result_.arms[1].plan != result_.arms[0].plan;
        result_.decision = plan_decision(w);
        if (const std::string forecast = forecast_of(result_.decision); !forecast.empty()) {
            warn_(forecast);
        }
        std::erase_if(result_.arms, [&](const try_arm& arm) {
            return (arm.name == by_size_arm && !result_.decision.has_sizes) ||
                   (arm.name == every_arm && !result_.decision.has_every);
        });
        run_options o = options_;
        for (const try_arm& arm : result_.arms) {
            o.given.push_back(contender_of(arm, place_));
        }
        if (result_.decision.has_empty) {
            o.given.push_back(contender_of(arm_without_pools(result_.arms.front().plan), place_));
            o.given.back().most_rounds = rounds_to_compare;
        }
        allocators_.resize(result_.decision.allocators);
        o.only = allocators_;
        o.rounds_of_allocators = rounds_to_compare;
        result_.deciding = run(o, [this](run_result& so_far) { return is_decided(so_far); });
        if (!result_.deciding.problem.empty()) {
            result_.problem = result_.deciding.problem;
            result_.is_usage_error = result_.deciding.is_usage_error;
        }
        return goes_on();
    }

    run_result run(run_options& o, const round_judge& judge) {
        o.budget = std::chrono::seconds{std::max(std::lround(seconds_left()), 1L)};
        if (o.only.empty()) {
            o.only = {default_name}; // no allocator
        }
        return run_program(o, world_, report_, notice_, judge);
    }

    /// After a round: pools that are clearly not the best have no further ones.
    bool is_decided(run_result& so_far) const {
        const std::vector<std::string> arms = names_of(result_.arms);
        const try_judgement judged = judge_decision(so_far, arms);
        if (!judged.pools) {
            return false;
        }
        for (const std::string& arm : arms) {
            const std::optional<best_arm> worse = best_of(so_far, {arm}, judged.pools->name);
            if (arm != judged.pools->name && worse && worse->rounds >= rounds_to_compare &&
                worse->saved.high < -least_program_claim) {
                run_row& row =
                    *std::ranges::find(so_far.rows, arm, [](const run_row& r) { return r.contender.name; });
                row.contender.most_rounds = row.samples.size();
            }
        }
        return is_precise(judged, options_.precision) ||
               (is_clear(judged) && seconds_used() >= deciding_share * budget());
    }

    /// What explains is measured as far as there is time, most important first.
    void explain() {
        const try_judgement judged = judge_decision(result_.deciding, names_of(result_.arms));
        const std::optional<best_arm>& best = judged.pools;
        if (!best || (budget() != 0 && judged.open == open_question::too_few_rounds)) {
            return;
        }
        take_time_of(result_.deciding);
        // Parts are those of sites: pools for every block have none.
        const try_arm& all = best->name == every_arm ? result_.arms[result_.arms.size() > 2 ? 1 : 0]
                                                     : *result_.find_arm(best->name);
        const std::optional<best_arm>& allocator = judged.allocator;
        const bool wants_over = allocator && allocator->saved.middle > 0 && !judged.costs && fits(2);
        std::size_t arms = wants_over ? 2 : 0;
        std::vector<try_arm> parts = arms_of_parts(result_.candidates, all, leading_candidates);
        for (try_arm& part : parts) {
            if (!fits(arms + 1)) {
                result_.explaining_seconds =
                    seconds_used() + seconds_of_arms(2 + parts.size()) / explaining_share;
                break;
            }
            result_.parts.push_back(std::move(part));
            ++arms;
        }
        if (arms == 0) {
            return;
        }
        run_options o = options_;
        try_arm chosen = all;
        chosen.name = chosen_arm;
        o.given = {contender_of(chosen, place_)};
        for (const try_arm& part : result_.parts) {
            o.given.push_back(contender_of(part, place_));
        }
        if (wants_over) {
            const run_row* const row = result_.deciding.find(allocator->name);
            o.given.push_back(contender_over(chosen, row->contender, place_));
            o.only = {allocator->name};
        }
        result_.explaining = run(o, [](run_result&) { return false; }); // until the budget is spent
        if (const std::string& problem = result_.explaining.problem; !problem.empty() && goes_on()) {
            result_.explaining.warnings.push_back("the explanation was not measured to the end: " + problem);
        }
    }

    double seconds_of_arms(std::size_t arms) const {
        const std::size_t others = arms + arms_of_explanation - 2;
        return static_cast<double>((arms + arms_of_explanation) *
                                   least_rounds_to_claim(others, options_.level)) *
               seconds_a_run_;
    }

    /// With room for what repeats and what else the machine does.
    bool fits(std::size_t arms) const {
        return budget() == 0 || seconds_of_arms(arms) <= explaining_share * seconds_left();
    }

    /// The machine may do less than in the first run.
    void take_time_of(const run_result& part) {
        std::size_t runs = 0;
        for (const run_row& row : part.rows) {
            runs += row.samples.size() + row.repeated;
        }
        if (runs != 0) {
            seconds_a_run_ = std::max(seconds_a_run_, part.measured_seconds / static_cast<double>(runs));
        }
    }

    run_options options_;
    run_world world_;
    const run_progress& report_;
    const run_notice& notice_;
    const run_notice& warn_;
    run_folder folder_;
    try_place place_;
    try_result result_;
    target what_;
    std::vector<std::uint64_t> hits_; ///< of the last run that counted
    std::optional<bool> has_one_output_;
    std::vector<std::string> allocators_;
    std::chrono::duration<double> begun_{};
    double seconds_a_run_ = 0;
};

} // namespace

std::optional<double> try_result::routed(std::size_t candidate) const {
    if (candidate >= hits.size() || candidates.list[candidate].allocations == 0) {
        return std::nullopt;
    }
    return std::min(1.0, static_cast<double>(hits[candidate]) /
                             static_cast<double>(candidates.list[candidate].allocations));
}

const try_arm* try_result::find_arm(std::string_view name) const {
    for (const std::vector<try_arm>* list : {&arms, &parts}) {
        if (const auto found = std::ranges::find(*list, name, &try_arm::name); found != list->end()) {
            return &*found;
        }
    }
    return nullptr;
}

const estimate* try_result::cpu_of(std::string_view arm) const {
    for (const run_result* run : {&deciding, &explaining}) {
        if (const run_row* row = run->find(arm); row != nullptr) {
            return row->find_estimate(cpu_metric);
        }
    }
    return nullptr;
}

const run_row* try_result::decisive() const {
    return judged.pools ? decisive_run().find(judged.pools->name) : nullptr;
}

const run_row* try_result::littered() const {
    const run_row* plain = deciding.find(default_name);
    return plain == nullptr || plain->samples.empty() || plain->samples.front().littered.blocks == 0 ? nullptr
                                                                                                     : plain;
}

std::string forecast_of(const trial_plan& plan) {
    if (plan.rounds <= 0 || plan.can_decide()) {
        return {};
    }
    const auto rounds = static_cast<std::size_t>(plan.rounds);
    return fmt::format(
        "the budget has room for {} of {} variants: {}; a decision needs --budget {:.0f} or more",
        figures::counted(rounds, "round"), plan.arms(),
        rounds < rounds_to_judge ? "too few for an interval, so the answer will likely be not known"
                                 : "only a large gain can be told from chance",
        std::ceil((plan.seconds_before + plan.seconds_of(rounds_to_decide)) / 10) * 10);
}

try_result try_pools(const run_options& options, try_candidates candidates, const run_world& world,
                     const std::filesystem::path& library, const run_progress& report,
                     const run_notice& notice, const run_notice& warn) {
    return trial{options, std::move(candidates), world, library, report, notice, warn}.perform();
}

namespace {

/// What each leading type adds to the others.
void judge_parts(try_result& result) {
    const run_row* const chosen = result.explaining.find(chosen_arm);
    const auto leaves_one_out = [](const try_arm& arm) { return arm.without.has_value(); };
    const auto compared = static_cast<std::size_t>(std::ranges::count_if(result.parts, leaves_one_out));
    for (try_arm& arm : result.parts) {
        const run_row* const row = leaves_one_out(arm) ? result.explaining.find(arm.name) : nullptr;
        const bool is_sound = row != nullptr && row->is_sound() && chosen != nullptr && chosen->is_sound();
        arm.to_all =
            is_sound ? compare_rows(result.explaining, *row, *chosen, cpu_metric, compared) : std::nullopt;
    }
}

} // namespace

void judge_trial(try_result& result) {
    const bool is_over = result.problem.empty() && result.interrupted_by == 0;
    if (result.arms.empty()) { // nothing was measured
        const bool has_some = !result.candidates.left_out.empty() || !result.candidates.list.empty();
        result.judged = {};
        result.judged.answer = has_some || !is_over ? pool_answer::not_known : pool_answer::no;
        result.judged.open = !has_some || !is_over        ? open_question::none
                             : !result.why_broken.empty() ? open_question::does_not_work
                                                          : open_question::no_candidate;
    } else {
        result.judged = judge_decision(result.deciding, names_of(result.arms));
        if (result.judged.pools) {
            judge_explanation(result.judged, result.explaining, names_of(result.parts));
            judge_parts(result);
        } else if (!is_over) { // stopped before they had a run
            result.judged.open = open_question::none;
        }
    }
    if (result.judged.answer == pool_answer::no && result.candidates.lacks_events) {
        result.judged.answer = pool_answer::not_known;
        result.judged.open = open_question::incomplete_trace;
    }
    result.plan = {};
    result.plan_arm.clear();
    if (result.judged.saves) {
        const std::string& name =
            result.judged.better ? result.judged.better->name : result.judged.pools->name;
        if (const try_arm* const arm = result.find_arm(name)) {
            result.plan = arm->plan;
            result.plan_arm = name;
        }
    }
}

} // namespace linn::tool
