// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "../measure/ticks.hpp"
#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace linn::tool {
namespace {

using ending = observation::ending;

/// Where the user gave no time limit, the discovery run gets the first one, and what follows from it holds for the rest.
constexpr std::chrono::seconds discovery_timeout{600};
constexpr std::chrono::seconds least_timeout{10};
constexpr int timeout_factor = 10;
/// The default and its second copy.
constexpr std::size_t own_rows = 2;
/// A warm-up that would take more of the budget than this is left to the discovery run.
constexpr double most_warm_up_share = 0.2;

/// What a contender adds to the environment: its variables with their pointers, and its libraries in LD_PRELOAD and where
/// the probe is told of the first.
std::size_t environment_bytes(const run_contender& c) {
    std::size_t bytes = 2 * c.library.string().size() + c.runtime.size() + (c.library.empty() ? 0 : 1);
    bytes += c.behind.string().size() + (c.behind.empty() ? 0 : 1);
    for (const std::string& variable : c.environment) {
        bytes += variable.size() + 1 + sizeof(char*);
    }
    return bytes;
}

class session final : experiment {
public:
    session(const run_options& options, const run_world& world, const run_progress& report,
            const run_notice& notice, const round_judge& judge)
        : world_{world},
          report_{report},
          notice_{notice},
          judge_{judge} {
        result_.options = options;
    }

    run_result perform() {
        start_ = world_.now();
        result_.started = time_stamp();
        say("looking at the machine");
        result_.machine = world_.inspect();
        if (discover() && choose() && world_.interrupted() == 0) {
            measure();
        }
        result_.interrupted_by = world_.interrupted();
        if (result_.interrupted_by != 0) {
            result_.stopped = stop_reason::interrupted;
        }
        result_.seconds = seconds();
        judge(result_);
        describe_run(result_);
        return std::move(result_);
    }

private:
    void say(std::string doing) {
        progress_.doing = std::move(doing);
        report_(progress_);
    }

    /// Finds the program and runs it once; false when there is nothing to measure.
    bool discover() {
        say("running the program once");
        launch_spec spec = result_.options.launch;
        if (!result_.options.is_timeout_given) {
            spec.timeout = discovery_timeout;
        }
        result_.what = world_.find_target(spec);
        if (world_.interrupted() != 0) {
            return false; // what the target says is only that
        }
        result_.problem = result_.what.problem;
        result_.is_usage_error = result_.what.is_usage_error;
        const observation& first = result_.what.first;
        result_.left_behind = first.left_behind;
        result_.warnings.insert(result_.warnings.end(), result_.what.remarks.begin(),
                                result_.what.remarks.end());
        if (!result_.problem.empty()) {
            return false;
        }
        result_.outputs_compared = result_.options.compare_output && result_.options.launch.client.empty();
        first_seconds_ = seconds_of(first);
        if (!result_.options.is_timeout_given) {
            result_.options.launch.timeout =
                least_timeout +
                std::chrono::milliseconds{std::llround(timeout_factor * first_seconds_ * 1e3)};
        }
        return true;
    }

    /// Finds out what to compare; false when that is nothing.
    bool choose() {
        say("trying the allocators");
        const std::vector<allocator_entry> inventory = world_.take_inventory();
        if (world_.interrupted() != 0) {
            return false;
        }
        for (run_contender& c :
             choose_contenders(result_.options, result_.what, inventory, result_.left_out)) {
            run_row& row = result_.rows.emplace_back();
            row.contender = std::move(c);
        }
        for (run_row& row : result_.rows) {
            row.contender.most_rounds = row.contender.is_own() ? 0 : result_.options.rounds_of_allocators;
        }
        if (!result_.options.given.empty()) {
            add_given();
        }
        if (result_.rows.size() == own_rows) {
            result_.stopped = stop_reason::nothing_to_compare;
            result_.problem = "there is no allocator to compare with: none of those asked for can be used";
            for (const left_out_contender& l : result_.left_out) {
                result_.problem += fmt::format("; {}: {}", l.name, l.reason);
            }
            if (result_.left_out.empty()) {
                result_.problem += "; 'linn allocators' says what is there and how to get more";
            }
            return false;
        }
        return true;
    }

    /// The size of the environment alone moves a program's time, so all runs get the same.
    void add_given() {
        std::vector<run_row> given;
        for (const run_contender& c : result_.options.given) {
            given.emplace_back().contender = c;
        }
        result_.rows.insert(result_.rows.begin() + own_rows, given.begin(), given.end());
        std::size_t most = 0;
        for (const run_row& row : result_.rows) {
            most = std::max(most, environment_bytes(row.contender));
        }
        for (run_row& row : result_.rows) {
            row.contender.environment.push_back("LINN_PAD=" +
                                                std::string(most - environment_bytes(row.contender), 'x'));
        }
    }

    std::size_t least_rounds() const {
        const run_options& o = result_.options;
        return o.rounds != 0 ? o.rounds
                             : std::max(o.least_rounds, least_rounds_to_claim(alive() - own_rows, o.level));
    }

    std::size_t most_rounds() const {
        const run_options& o = result_.options;
        return o.rounds != 0 ? o.rounds : std::max(o.most_rounds, least_rounds());
    }

    /// Contenders that have not failed.
    std::size_t alive() const {
        return static_cast<std::size_t>(std::count_if(result_.rows.begin(), result_.rows.end(),
                                                      [](const run_row& r) { return r.failure.empty(); }));
    }

    double budget() const { return static_cast<double>(result_.options.budget.count()); }
    std::string budget_text() const { return fmt::format("{} s", result_.options.budget.count()); }
    double seconds_left() const { return budget() - seconds(); }

    /// What rounds of those that take part need, by the time of the runs so far.
    double seconds_of_rounds(std::size_t rounds) const {
        const double a_run =
            runs_ == 0 ? first_seconds_ : (seconds() - rounds_begun_) / static_cast<double>(runs_);
        return static_cast<double>(alive() * rounds) * a_run;
    }

    /// Leaves out what cannot be judged within the budget; false where that is everything.
    bool fit_budget() {
        const run_options& o = result_.options;
        if (o.rounds != 0) {
            return true;
        }
        while (seconds_of_rounds(rounds_for_claim()) > seconds_left() && leave_out()) {
        }
        if (!o.given.empty() || seconds_of_rounds(rounds_for_claim()) <= seconds_left()) {
            return true;
        }
        result_.stopped = stop_reason::budget;
        result_.problem = fmt::format(
            "the budget of {} is too small: to compare one allocator takes {} of about {} each, {} in all",
            budget_text(), figures::counted(alive() * rounds_for_claim(), "run"),
            figures::seconds_text(first_seconds_),
            figures::seconds_text(seconds() + seconds_of_rounds(rounds_for_claim())));
        return false;
    }

    void announce() {
        const run_options& o = result_.options;
        warm_up_rounds_ = o.warm_up_rounds;
        if (o.rounds == 0 && warm_up_rounds_ == 1 &&
            (seconds_of_rounds(1) > most_warm_up_share * budget() ||
             seconds_of_rounds(rounds_for_claim() + 1) > seconds_left())) {
            warm_up_rounds_ = 0; // the discovery run has warmed the caches
        }
        const std::string plan = fmt::format("{}, about {} a run", figures::counted(alive(), "contender"),
                                             figures::seconds_text(first_seconds_));
        const double total = seconds_of_rounds(least_rounds() + warm_up_rounds_);
        if (o.rounds != 0) {
            notice_(fmt::format("{}: {} about {}", plan,
                                figures::counted(o.rounds, "round takes", "rounds take"),
                                figures::seconds_text(total)));
            return;
        }
        const double most = std::max(0.0, seconds_left());
        notice_(fmt::format("{}: {}{}", plan,
                            total < most ? figures::seconds_text(total) + " to " : std::string{},
                            figures::seconds_text(most)));
        for (const run_row& row : result_.rows) {
            if (!row.failure.empty()) {
                notice_(fmt::format("left out: {}: {}", row.contender.name, row.failure));
            }
        }
    }

    void measure() {
        if (!fit_budget()) {
            drop_left_out();
            return;
        }
        announce();
        const run_options& o = result_.options;
        round_options rounds;
        rounds.warm_up_rounds = warm_up_rounds_;
        rounds.limits = {1, most_rounds(), budget(), least_rounds()};
        if (o.rounds != 0) {
            rounds.limits = {o.rounds, o.rounds};
        }
        rounds.seed = o.seed;
        rounds.jobs = result_.rows.size();
        rounds.guess = first_seconds_;
        rounds_begun_ = seconds();
        const rounds_done done = run_rounds(*this, rounds);
        result_.complete_rounds = done.complete;
        result_.stopped = alive() == own_rows ? stop_reason::rounds : done.stopped;
        result_.measured_seconds = seconds() - rounds_begun_;
        drop_left_out();
    }

    bool takes_part(std::size_t job) const override {
        return result_.rows[job].failure.empty() && !result_.rows[job].is_done();
    }

    std::string title_of(std::size_t job) const override { return result_.rows[job].contender.title; }

    /// What comes before the rounds counts too.
    double seconds() const override { return (world_.now() - start_).count(); }

    std::size_t rounds_for_claim() const override {
        const run_options& o = result_.options;
        const std::size_t others = alive() - own_rows;
        if (o.rounds != 0 || others == 0) {
            return 0;
        }
        if (o.given.empty()) {
            return least_rounds_to_claim(others, o.level);
        }
        // A first round may be slow by chance: what is judged in its own way goes on until the budget is spent.
        return judge_ && place_of_least() == result_.rows.size() ? 0 : tool::rounds_to_judge;
    }

    /// The contender that matters least; the number of rows: all must stay. What is given stays: the caller has planned its time.
    std::size_t place_of_least() const {
        const run_options& o = result_.options;
        std::size_t least = result_.rows.size();
        for (std::size_t i = 0; i != result_.rows.size(); ++i) {
            const run_row& row = result_.rows[i];
            const bool can_go = row.failure.empty() && !row.contender.is_own() && !is_given(row);
            if (can_go && (least == result_.rows.size() ||
                           rank_of(row.contender, o) >= rank_of(result_.rows[least].contender, o))) {
                least = i;
            }
        }
        return least;
    }

    bool leave_out() override {
        if (result_.options.given.empty() && alive() == own_rows + 1) {
            return false;
        }
        const std::size_t place = place_of_least();
        if (place == result_.rows.size()) {
            return false;
        }
        run_row* const least = &result_.rows[place];
        if (no_time_.empty()) {
            no_time_ = fmt::format("no time for it in the budget of {}: to compare {} takes about {}",
                                   budget_text(), figures::counted(alive() - own_rows, "allocator"),
                                   figures::seconds_text((runs_ == 0 ? seconds() : rounds_begun_) +
                                                         seconds_of_rounds(rounds_for_claim())));
        }
        least->failure = no_time_;
        left_out_.push_back(least->contender.name);
        return true;
    }

    bool is_given(const run_row& row) const {
        const auto& given = result_.options.given;
        return std::any_of(given.begin(), given.end(),
                           [&](const run_contender& c) { return c.name == row.contender.name; });
    }

    void report(const work_progress& now) override {
        progress_ = now;
        report_(progress_);
    }

    std::size_t rounds_needed(std::size_t complete) override {
        if (alive() == own_rows) {
            return complete; // nothing left to compare with the default
        }
        if (result_.options.rounds != 0) {
            return experiment::rounds_needed(complete);
        }
        if (complete < least_rounds()) {
            return least_rounds();
        }
        if (judge_) {
            return judge_(result_) ? complete : complete + 1;
        }
        const double factor = worst_precision(result_) / result_.options.precision;
        if (factor <= 1) {
            return complete;
        }
        // The width falls with the square root of the number of rounds.
        const double rounds = std::ceil(static_cast<double>(complete) * factor * factor);
        return std::max(complete + 1,
                        static_cast<std::size_t>(std::min(rounds, static_cast<double>(most_rounds() + 1))));
    }

    attempt run_once(const cell& now) override {
        run_row& row = result_.rows[now.job];
        if (!prepare()) {
            return {world_.interrupted() != 0 ? attempt::ending::interrupted : attempt::ending::impossible};
        }
        // As much as the program takes: a virtual machine returns idle pages to its host.
        world_.touch_memory(static_cast<std::size_t>(result_.what.first.value("peak_rss_bytes")));
        const double canary_before = world_.canary();
        launch_spec spec = spec_of(row.contender);
        spec.litter_seed = litter_seed_of(now.round);
        last_ = world_.launch(spec);
        const double canary = std::max(canary_before, world_.canary());
        ++runs_;
        if (last_.how == ending::interrupted || world_.interrupted() != 0) {
            return {attempt::ending::interrupted};
        }
        result_.left_behind += last_.left_behind;
        if (const std::string problem = check(row, last_, spec); !problem.empty()) {
            return {give_up(row, problem, now.round) ? attempt::ending::failed : attempt::ending::impossible};
        }
        return {attempt::ending::measured, canary};
    }

    bool prepare() {
        const run_options& o = result_.options;
        if (o.prepare.empty()) {
            return true;
        }
        const std::string problem = world_.prepare(o.prepare);
        if (world_.interrupted() == 0) {
            result_.problem = problem;
        }
        return problem.empty() && world_.interrupted() == 0;
    }

    launch_spec spec_of(const run_contender& c) const {
        launch_spec spec = result_.what.spec;
        spec.timeout = result_.options.launch.timeout; // known after the discovery run
        spec.library = c.library;
        spec.behind = c.behind;
        spec.runtime = c.runtime;
        for (const std::string& setting : c.environment) {
            set_variable(spec.environment, setting);
        }
        return spec;
    }

    /// All runs of a round start on the same litter.
    std::uint32_t litter_seed_of(std::size_t round) const {
        return static_cast<std::uint32_t>((result_.options.seed + round + 1) * 0x9e37'79b9'7f4a'7c15u >> 32);
    }

    /// What is wrong with a run; empty when it counts.
    std::string check(run_row& row, const observation& o, const launch_spec& spec) {
        const observation& first = result_.what.first;
        const bool ends_alike = o.how == first.how && o.code == first.code;
        const bool is_ignored =
            result_.options.ignore_exit_status && o.how == ending::exited && first.how == ending::exited;
        if (!ends_alike && !is_ignored) {
            return describe_ending(o, spec);
        }
        if (std::string problem =
                refute_run(o, row.contender.library, row.contender.behind, result_.what.own_provider);
            !problem.empty()) {
            left_out_.push_back(row.contender.name);
            return problem;
        }
        if (!spec.litter.empty() && main_proof(o)->littered.blocks == 0) {
            left_out_.push_back(row.contender.name);
            return "its heap was not littered";
        }
        if (row.contender.providers.empty()) {
            row.contender.providers = main_proof(o)->files;
            note_own_new(*main_proof(o));
        }
        return {};
    }

    void note_own_new(const process_proof& proof) {
        if (has_own_new_ || proof.file_of("operator new") != proof.executable.string()) {
            return;
        }
        has_own_new_ = true;
        result_.warnings.push_back(
            "the program has an operator new of its own: an allocator gets what that passes on to malloc");
    }

    /// Removes a contender from what follows; false when nothing can follow.
    bool give_up(run_row& row, const std::string& problem, std::size_t round) {
        row.failure = problem;
        row.last_output = last_words(last_);
        if (last_.how == ending::timed_out) {
            for (const std::string& note : row.contender.notes) {
                row.failure += fmt::format(" ({})", note);
            }
        }
        if (!row.contender.is_own()) {
            return true;
        }
        result_.problem =
            fmt::format("the program itself fails now and then: with nothing preloaded, {} in {}", problem,
                        round < warm_up_rounds_ ? std::string{"the warm-up"}
                                                : fmt::format("round {}", round - warm_up_rounds_ + 1));
        return false;
    }

    void keep(const cell& now, const kept_attempt& how) override {
        run_row& row = result_.rows[now.job];
        const observation& o = last_;
        row.repeated += how.repeated;
        run_sample s;
        s.round = how.round;
        s.disturbed = how.is_disturbed;
        s.values = o.values;
        s.values["cpu_ns"] = o.value("user_ns") + o.value("sys_ns");
        if (const process_proof* const proof = main_proof(o);
            proof != nullptr && proof->littered.blocks != 0) {
            s.littered = proof->littered;
        }
        compare_output(row, s, o);
        row.samples.push_back(std::move(s));
    }

    void compare_output(run_row& row, run_sample& s, const observation& o) {
        const std::string& expected = result_.what.first.output;
        if (!result_.outputs_compared || o.output == expected) {
            return;
        }
        if (!row.contender.is_own()) {
            s.same_output = false;
            if (row.output_difference.empty()) {
                row.output_difference = describe_difference(expected, o.output);
            }
            return;
        }
        // It differs from run to run by itself, so that a difference under an allocator means nothing.
        result_.outputs_compared = false;
        result_.warnings.push_back(
            fmt::format("the output differs from run to run with nothing changed ({}): it is not compared",
                        describe_difference(expected, o.output)));
        for (run_row& r : result_.rows) {
            r.output_difference.clear();
            for (run_sample& earlier : r.samples) {
                earlier.same_output = true;
            }
        }
    }

    /// What could not be proven, or had no time, never stands in a table.
    void drop_left_out() {
        std::erase_if(result_.rows, [&](const run_row& row) {
            const bool is_left_out = !row.contender.is_own() && // whose problem is told
                                     std::ranges::find(left_out_, row.contender.name) != left_out_.end();
            if (is_left_out) {
                result_.left_out.push_back({row.contender.name, row.failure});
            }
            return is_left_out;
        });
    }

    const run_world& world_;
    const run_progress& report_;
    const run_notice& notice_;
    const round_judge& judge_;
    run_result result_;
    work_progress progress_;
    std::vector<std::string> left_out_;
    std::chrono::duration<double> start_{};
    double rounds_begun_ = 0; // after so many seconds
    std::size_t runs_ = 0;    // of the rounds
    std::string no_time_;     // why contenders are left out; empty: none is
    double first_seconds_ = 0;
    observation last_; // which is kept, or repeated
    std::size_t warm_up_rounds_ = 0;
    bool has_own_new_ = false;
};

} // namespace

run_result run_program(const run_options& options, const run_world& world, const run_progress& report,
                       const run_notice& notice, const round_judge& judge) {
    return session{options, world, report, notice, judge}.perform();
}

run_world world_of(const run_options& options, const std::vector<std::string>& command,
                   const interrupt_guard& guard, const std::function<void()>& tick) {
    run_world world;
    world.find_target = [&](const launch_spec& launch) {
        return find_target(command, launch, options.keep_wrappers, options.ignore_exit_status, guard, tick);
    };
    world.take_inventory = [&] {
        return allocator_choice{options.only, options.allocators}.look(guard,
                                                                       [&](const std::string&) { tick(); });
    };
    world.launch = [&](const launch_spec& spec) { return launch(spec, guard, tick); };
    world.prepare = [&](const std::string& line) { return prepare_run(line, guard, tick); };
    world.inspect = inspect_machine;
    world.canary = canary;
    world.touch_memory = touch_memory;
    world.now = [] { return std::chrono::duration<double>{static_cast<double>(now_ns()) * 1e-9}; };
    world.interrupted = interrupt_guard::pending;
    return world;
}

} // namespace linn::tool
