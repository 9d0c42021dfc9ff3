// SPDX-License-Identifier: Apache-2.0
#include "runner.hpp"

#include "../measure/canary.hpp"
#include "../measure/plan.hpp"
#include "../measure/rounds.hpp"
#include "../measure/ticks.hpp"
#include "judge.hpp"
#include "run_checks.hpp"
#include "run_contenders.hpp"
#include "verdict.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace linn::tool {
namespace {

using ending = observation::ending;

/// How often a disturbed run is repeated before it is kept and marked, and how many repetitions all runs together may
/// have, as a share of those done: a machine that is always busy must not make everything take twice as long.
constexpr unsigned most_repetitions = 2;
constexpr double most_repeated_share = 0.25;
/// Where the user gave no time limit, the discovery run gets the first one, and what follows from it holds for the rest.
constexpr std::chrono::seconds discovery_timeout{600};
constexpr std::chrono::seconds least_timeout{10};
constexpr int timeout_factor = 10;
/// A warm-up that would take more of the budget than this is left to the discovery run.
constexpr double most_warm_up_share = 0.2;
/// Bootstrap resamples while looking whether to stop; the final judgement takes more.
constexpr judge_options quick_look{1'000};

/// What a contender adds to the environment: its variables with their pointers, and its libraries in LD_PRELOAD and where
/// the probe is told of the first.
std::size_t environment_bytes(const run_contender& c) {
    std::size_t bytes = 2 * c.library.string().size() + c.runtime.size() + (c.library.empty() ? 0 : 1);
    bytes += c.behind.string().size() + (c.behind.empty() ? 0 : 1);
    for (const std::string& variable : c.environment)
        bytes += variable.size() + 1 + sizeof(char*);
    return bytes;
}

class session {
public:
    session(const run_options& options, const run_world& world, const run_progress& report,
            const run_notice& notice)
        : world_{world},
          report_{report},
          notice_{notice} {
        result_.options = options;
    }

    run_result perform() {
        const auto start = world_.now();
        result_.started = fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now()));
        say("looking at the machine");
        result_.machine = world_.inspect();
        if (discover() && choose() && world_.interrupted() == 0)
            measure();
        result_.interrupted_by = world_.interrupted();
        if (result_.interrupted_by != 0)
            result_.stopped = stop_reason::interrupted;
        judge(result_);
        describe_run(result_);
        result_.seconds = (world_.now() - start).count();
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
        if (!result_.options.is_timeout_given)
            spec.timeout = discovery_timeout;
        result_.what = world_.find_target(spec);
        if (world_.interrupted() != 0)
            return false; // what the target says is only that
        result_.problem = result_.what.problem;
        result_.is_usage_error = result_.what.is_usage_error;
        const observation& first = result_.what.first;
        result_.left_behind = first.left_behind;
        result_.why_no_counters = first.why_no_counters;
        result_.warnings.insert(result_.warnings.end(), result_.what.remarks.begin(),
                                result_.what.remarks.end());
        if (!result_.problem.empty())
            return false;
        result_.outputs_compared = result_.options.compare_output && result_.options.launch.client.empty();
        const auto wall = first.values.find("wall_ns");
        first_seconds_ = wall == first.values.end() ? 0 : wall->second * 1e-9;
        if (const process_proof* const proof = main_proof(first))
            first_seconds_ += static_cast<double>(proof->littered.wall_ns) * 1e-9; // a run takes that too
        if (!result_.options.is_timeout_given)
            result_.options.launch.timeout =
                least_timeout +
                std::chrono::milliseconds{std::llround(timeout_factor * first_seconds_ * 1e3)};
        return true;
    }

    /// Finds out what to compare; false when that is nothing.
    bool choose() {
        say("trying the allocators");
        const std::vector<allocator_entry> inventory = world_.take_inventory();
        if (world_.interrupted() != 0)
            return false;
        for (run_contender& c :
             choose_contenders(result_.options, result_.what, inventory, result_.left_out)) {
            run_row& row = result_.rows.emplace_back();
            row.contender = std::move(c);
        }
        if (!result_.options.given.empty())
            add_given();
        if (result_.rows.size() == 2) {
            result_.stopped = stop_reason::nothing_to_compare;
            result_.problem = "there is no allocator to compare with: none of those asked for can be used";
            for (const run_left_out& l : result_.left_out)
                result_.problem += fmt::format("; {}: {}", l.name, l.reason);
            if (result_.left_out.empty())
                result_.problem += "; 'linn allocators' says what is there and how to get more";
            return false;
        }
        return true;
    }

    /// The size of the environment alone moves a program's time, so all runs get the same.
    void add_given() {
        constexpr std::size_t own_rows = 2;
        std::vector<run_row> given;
        for (const run_contender& c : result_.options.given)
            given.emplace_back().contender = c;
        result_.rows.insert(result_.rows.begin() + own_rows, given.begin(), given.end());
        std::size_t most = 0;
        for (const run_row& row : result_.rows)
            most = std::max(most, environment_bytes(row.contender));
        for (run_row& row : result_.rows)
            row.contender.environment.push_back("LINN_PAD=" +
                                                std::string(most - environment_bytes(row.contender), 'x'));
    }

    std::size_t least_rounds() const {
        const run_options& o = result_.options;
        return o.rounds != 0 ? o.rounds
                             : std::max(o.least_rounds, least_rounds_to_claim(alive() - 2, o.level));
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

    void announce() {
        const double round = first_seconds_ * static_cast<double>(result_.rows.size());
        const double budget = static_cast<double>(result_.options.budget.count());
        warm_up_rounds_ = result_.options.warm_up_rounds;
        if (result_.options.rounds == 0 && warm_up_rounds_ == 1 && round > most_warm_up_share * budget)
            warm_up_rounds_ = 0; // the discovery run has warmed the caches
        const double total = round * static_cast<double>(least_rounds() + warm_up_rounds_);
        const std::string plan =
            fmt::format("{} contenders, about {} a run", result_.rows.size(), seconds_text(first_seconds_));
        if (result_.options.rounds != 0)
            notice_(fmt::format("{}: {} rounds take about {}", plan, result_.options.rounds,
                                seconds_text(total)));
        else if (total > budget)
            notice_(
                fmt::format("{}: {} rounds would take about {}, but the budget is {}; --budget gives more "
                            "time, --only fewer contenders",
                            plan, least_rounds(), seconds_text(total), seconds_text(budget)));
        else
            notice_(fmt::format("{}: {} to {}", plan, seconds_text(total), seconds_text(budget)));
    }

    void measure() {
        announce();
        const std::vector<cell> plan =
            make_plan(result_.rows.size(), warm_up_rounds_ + most_rounds(), result_.options.seed);
        progress_.total = result_.rows.size() * (warm_up_rounds_ + least_rounds());
        start_ = world_.now();
        result_.stopped = stop_reason::rounds;
        for (std::size_t i = 0; i != plan.size(); ++i) {
            const cell& now = plan[i];
            if (result_.rows[now.job].failure.empty() && !run_cell(now))
                break;
            ++progress_.done;
            const bool ends_round = i + 1 == plan.size() || plan[i + 1].round != now.round;
            if (!ends_round || now.round < warm_up_rounds_)
                continue;
            ++result_.complete_rounds;
            if (is_enough())
                break;
        }
        result_.measured_seconds = spent();
        drop_unproven();
    }

    double spent() const { return (world_.now() - start_).count() - lost_seconds_; }

    /// Whether to stop after a complete round; says how much is to come if not.
    bool is_enough() {
        const run_options& o = result_.options;
        if (alive() == 2)
            return true; // nothing left to compare with the default
        if (o.rounds != 0)
            return false;
        const double rounds = static_cast<double>(result_.complete_rounds + warm_up_rounds_);
        const double budget = static_cast<double>(o.budget.count());
        const double a_round = spent() / rounds;
        if (spent() + a_round / 2 > budget) {
            result_.stopped = stop_reason::budget;
            return true;
        }
        std::size_t wanted = least_rounds();
        if (result_.complete_rounds >= wanted) {
            const double precision = worst_precision(result_, quick_look);
            if (precision <= o.precision) {
                result_.stopped = stop_reason::precise;
                return true;
            }
            // The width falls with the square root of the number of rounds.
            const double factor = precision / o.precision;
            wanted = static_cast<std::size_t>(
                std::min(static_cast<double>(most_rounds()),
                         std::ceil(static_cast<double>(result_.complete_rounds) * factor * factor)));
        }
        const double fits = (budget - spent()) / a_round + static_cast<double>(result_.complete_rounds);
        wanted = std::min(wanted, static_cast<std::size_t>(std::max(fits, 0.0)));
        wanted = std::max(wanted, result_.complete_rounds + 1);
        progress_.total = result_.rows.size() * (warm_up_rounds_ + wanted);
        return false;
    }

    /// Runs one contender until it is undisturbed; false to end the whole.
    bool run_cell(const cell& now) {
        run_row& row = result_.rows[now.job];
        const bool is_warm_up = now.round < warm_up_rounds_;
        for (unsigned attempt = 0;; ++attempt) {
            say(is_warm_up
                    ? fmt::format("warm-up, {}", row.contender.title)
                    : fmt::format("round {}, {}", now.round - warm_up_rounds_ + 1, row.contender.title));
            if (!prepare())
                return false;
            world_.touch_memory(memory_to_touch());
            const auto before = world_.now();
            const double canary_before = world_.canary();
            launch_spec spec = spec_of(row.contender);
            spec.litter_seed = litter_seed_of(now.round);
            const observation o = world_.launch(spec);
            const double canary = std::max(canary_before, world_.canary());
            if (o.how == ending::interrupted || world_.interrupted() != 0)
                return false;
            note_leftovers(o);
            if (const std::string problem = check(row, o, spec); !problem.empty()) {
                lost_seconds_ += (world_.now() - before).count();
                return give_up(row, o, problem, now.round);
            }
            best_canary_ = best_canary_ == 0 ? canary : std::min(best_canary_, canary);
            if (is_warm_up)
                return true;
            const bool disturbed = canary > best_canary_ * canary_tolerance;
            ++runs_;
            if (disturbed && attempt < most_repetitions &&
                progress_.repeated < most_repeated_share * static_cast<double>(runs_)) {
                ++row.repeated;
                ++progress_.repeated;
                continue;
            }
            keep(row, o, now.round - warm_up_rounds_, disturbed);
            return true;
        }
    }

    bool prepare() {
        if (result_.options.prepare.empty())
            return true;
        const std::string problem = world_.prepare(result_.options.prepare);
        if (world_.interrupted() != 0)
            return false;
        if (!problem.empty())
            result_.problem = fmt::format("--prepare '{}': {}", result_.options.prepare, problem);
        return problem.empty();
    }

    /// As much as the program takes: a virtual machine returns idle pages to its host.
    std::size_t memory_to_touch() const {
        const auto& values = result_.what.first.values;
        const auto peak = values.find("peak_rss_bytes");
        const auto bytes = static_cast<std::size_t>(peak == values.end() ? 0 : peak->second);
        return std::clamp<std::size_t>(bytes, std::size_t{1} << 20, std::size_t{1} << 30);
    }

    launch_spec spec_of(const run_contender& c) const {
        launch_spec spec = result_.options.launch;
        spec.program = result_.what.spec.program;
        spec.arguments = result_.what.spec.arguments;
        spec.environment = result_.what.spec.environment;
        spec.directory = result_.what.spec.directory;
        spec.library = c.library;
        spec.behind = c.behind;
        spec.runtime = c.runtime;
        for (const std::string& setting : c.environment)
            set_variable(spec.environment, setting);
        return spec;
    }

    /// All runs of a round start on the same litter.
    std::uint32_t litter_seed_of(std::size_t round) const {
        return static_cast<std::uint32_t>((result_.options.seed + round + 1) * 0x9e37'79b9'7f4a'7c15u >> 32);
    }

    void note_leftovers(const observation& o) { result_.left_behind += o.left_behind; }

    /// What is wrong with a run; empty when it counts.
    std::string check(run_row& row, const observation& o, const launch_spec& spec) {
        const observation& first = result_.what.first;
        const bool ends_alike = o.how == first.how && o.code == first.code;
        const bool is_ignored =
            result_.options.ignore_exit_status && o.how == ending::exited && first.how == ending::exited;
        if (!ends_alike && !is_ignored)
            return describe_ending(o, spec);
        if (std::string problem =
                refute_run(o, row.contender.library, row.contender.behind, result_.what.own_provider);
            !problem.empty()) {
            unproven_.push_back(row.contender.name);
            return problem;
        }
        if (!spec.litter.empty() && main_proof(o)->littered.blocks == 0) {
            unproven_.push_back(row.contender.name);
            return "its heap was not littered";
        }
        if (row.contender.providers.empty()) {
            row.contender.providers = main_proof(o)->files;
            note_own_new(*main_proof(o));
        }
        return {};
    }

    void note_own_new(const process_proof& proof) {
        const auto file = proof.files.find("operator new");
        if (file == proof.files.end() || file->second != proof.executable.string() || has_own_new_)
            return;
        has_own_new_ = true;
        result_.warnings.push_back("the program has an operator new of its own: an allocator gets what that "
                                   "passes on to malloc");
    }

    /// Removes a contender from what follows; false when nothing can follow.
    bool give_up(run_row& row, const observation& o, const std::string& problem, std::size_t round) {
        row.failure = problem;
        row.last_output = last_words(o);
        if (o.how == ending::timed_out)
            for (const std::string& note : row.contender.notes)
                row.failure += fmt::format(" ({})", note);
        if (!row.contender.is_own())
            return true;
        result_.problem =
            fmt::format("the program itself fails now and then: with nothing preloaded, {} in {}", problem,
                        round < warm_up_rounds_ ? std::string{"the warm-up"}
                                                : fmt::format("round {}", round - warm_up_rounds_ + 1));
        return false;
    }

    void keep(run_row& row, const observation& o, std::size_t round, bool disturbed) {
        run_sample s;
        s.round = round;
        s.disturbed = disturbed;
        s.values = o.values;
        const auto value = [&](const char* name) {
            const auto found = o.values.find(name);
            return found == o.values.end() ? 0.0 : found->second;
        };
        s.values["cpu_ns"] = value("user_ns") + value("sys_ns");
        if (const process_proof* const proof = main_proof(o); proof != nullptr && proof->littered.blocks != 0)
            s.littered = proof->littered;
        compare_output(row, s, o);
        row.samples.push_back(std::move(s));
    }

    void compare_output(run_row& row, run_sample& s, const observation& o) {
        const captured_output& expected = result_.what.first.output;
        if (!result_.outputs_compared || o.output == expected)
            return;
        if (!row.contender.is_own()) {
            s.same_output = false;
            if (row.output_difference.empty())
                row.output_difference = describe_difference(expected.text(), o.output.text());
            return;
        }
        // It differs from run to run by itself, so that a difference under an allocator means nothing.
        result_.outputs_compared = false;
        result_.warnings.push_back(
            fmt::format("the output differs from run to run with nothing changed ({}): it is not compared",
                        describe_difference(expected.text(), o.output.text())));
        for (run_row& r : result_.rows) {
            r.output_difference.clear();
            for (run_sample& earlier : r.samples)
                earlier.same_output = true;
        }
    }

    /// What could not be proven never stands in a table.
    void drop_unproven() {
        for (const std::string& name : unproven_) {
            const auto row = std::find_if(result_.rows.begin(), result_.rows.end(),
                                          [&](const run_row& r) { return r.contender.name == name; });
            if (row->contender.is_own())
                continue; // told as the problem
            result_.left_out.push_back({name, row->failure});
            result_.rows.erase(row);
        }
    }

    const run_world& world_;
    const run_progress& report_;
    const run_notice& notice_;
    run_result result_;
    work_progress progress_;
    std::vector<std::string> unproven_;
    std::chrono::duration<double> start_{};
    double lost_seconds_ = 0; // to runs that failed, which must not shorten what the others get
    double first_seconds_ = 0;
    double best_canary_ = 0;
    std::size_t warm_up_rounds_ = 0;
    std::size_t runs_ = 0;
    bool has_own_new_ = false;
};

} // namespace

run_result run_program(const run_options& options, const run_world& world, const run_progress& report,
                       const run_notice& notice) {
    return session{options, world, report, notice}.perform();
}

run_result run_program(const run_options& options, const std::vector<std::string>& command,
                       const interrupt_guard& guard, const run_progress& report, const run_notice& notice) {
    work_progress last;
    const run_progress remember = [&](const work_progress& p) {
        last = p;
        report(p);
    };
    const std::function<void()> tick = [&] { report(last); };
    run_world world;
    world.find_target = [&](const launch_spec& launch) {
        return find_target(command, launch, options.keep_wrappers, options.ignore_exit_status, guard, tick);
    };
    world.take_inventory = [&] {
        return tool::take_inventory(options.allocators, resolve_names(options.only, options.allocators),
                                    guard, [&](const std::string& name) {
                                        last.doing = fmt::format("trying {}", name);
                                        report(last);
                                    });
    };
    world.launch = [&](const launch_spec& spec) { return launch(spec, guard, tick); };
    world.prepare = [&](const std::string& line) { return run_shell_command(line, guard, tick); };
    world.inspect = inspect_machine;
    world.canary = canary;
    world.touch_memory = touch_memory;
    world.now = [] { return std::chrono::duration<double>{static_cast<double>(now_ns()) * 1e-9}; };
    world.interrupted = interrupt_guard::pending;
    return run_program(options, world, remember, notice);
}

} // namespace linn::tool
