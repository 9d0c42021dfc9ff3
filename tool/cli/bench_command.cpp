// SPDX-License-Identifier: Apache-2.0
#include "../allocators/allocators.hpp"
#include "../bench/bench.hpp"
#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/ranges.h>

#include <algorithm>

namespace linn::tool {
namespace {

/// How much is measured where options do not say otherwise.
struct effort {
    std::size_t rounds; ///< at most
    unsigned budget_s;  ///< 0: none; as many rounds as a judgement needs regardless of it
    std::size_t warm_up_rounds;
    std::size_t work; ///< percent
};

// The headline takes a minute and a half at most where two cores are idle.
constexpr effort headline_effort{10, 75, 0, 25};
// Five minutes less what the start and a slow round may take; so little work that the rounds of a judgement fit.
constexpr effort quick_effort{10, 240, 0, 25};
constexpr effort all_effort{rounds_to_judge, 0, 0, 25};
constexpr effort full_effort{10, 0, 1, 100};
constexpr std::size_t least_rounds_of_a_budget = 2; // that a user gave

const effort& usual_effort(const bench_options& o) {
    const bool is_headline = !o.all && std::ranges::all_of(o.scenarios, [](const std::string& name) {
        return name == headline_name;
    });
    return o.full ? full_effort : o.all ? all_effort : is_headline ? headline_effort : quick_effort;
}

/// The build may leave out the program that measures a scenario, as that of `make bench` does.
void refuse_missing_worker(const bench_options& o) {
    for (const scenario* s : selected_scenarios(o)) {
        if (!std::filesystem::exists(companion(s->worker))) {
            throw std::runtime_error{fmt::format(
                "this build has no {}, which the scenario {} needs: `make tool` builds everything", s->worker,
                s->name)};
        }
    }
}

const std::vector<std::string> container_names{"unordered_set", "map", "set", "list"};

std::vector<std::string> scenario_names() {
    std::vector<std::string> names;
    for (const scenario& s : scenarios()) {
        names.emplace_back(s.name);
    }
    for (const scenario_group& g : scenario_groups()) {
        names.emplace_back(g.name);
    }
    return names;
}

std::string bench_footer() {
    std::string text = "Scenarios:\n";
    for (const scenario& s : scenarios()) {
        if (s.group.empty()) {
            text += fmt::format("  {:<13} {}\n", s.name, s.summary);
        }
    }
    for (const scenario_group& g : scenario_groups()) {
        text += fmt::format("  {:<13} {}:\n", g.name, g.summary);
        for (const scenario& s : scenarios()) {
            if (s.group == g.name) {
                text += fmt::format("    {:<19} {}\n", s.name, s.summary);
            }
        }
    }
    text += fmt::format("\nContenders:\n  {}\n",
                        wrap(fmt::format("{}", fmt::join(bench_names({}), ", ")), 98, 2));
    text += "\nExamples:\n"
            "  linn bench                              the headline: telling tests in 90 seconds\n"
            "  linn bench --html report.html           also write a report with plots for a browser\n"
            "  linn bench --all                        every scenario, six rounds; a quarter of an hour\n"
            "  linn bench object pipeline              two scenarios\n"
            "  linn bench targets --full               what Linn's own targets are measured by; an hour\n"
            "  linn bench containers --container map   another container, same three phases\n"
            "  linn bench --only linn,jemalloc         these two, and glibc twice for the noise floor\n"
            "  linn bench --allocators jemalloc        all pools, but only this general allocator\n"
            "  linn bench --allocator mine=/opt/lib/libmine.so\n"
            "  linn bench --json result.json           also write every sample to a file\n";
    return text;
}

} // namespace

class bench_command final : public command {
public:
    explicit bench_command(CLI::App& program)
        : command{program, "bench", "Measure what allocators and pools cost on this machine", bench_footer()},
          files_{app(), [this] { return report::bench_document(result_); }} {
        CLI::App& arguments = app();
        CLI::Option* const scenario = add_value(arguments, "SCENARIO", options_.scenarios, "NAME",
                                                "what to measure (default: headline)")
                                          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
        arguments
            .add_flag("--all", options_.all,
                      fmt::format("every scenario but the groups: {} rounds, in the time that they need",
                                  all_effort.rounds))
            ->excludes(scenario);
        arguments.add_flag(
            "--full", options_.full,
            fmt::format("{} rounds after one that warms up, all the work, no budget", full_effort.rounds));
        add_value(arguments, "--rounds", rounds_, "COUNT",
                  fmt::format("processes a contender and scenario (default {} at most, {} with --all)",
                              quick_effort.rounds, all_effort.rounds),
                  whole_number(1, 100'000));
        add_value(arguments, "--budget", budget_, "SECONDS",
                  fmt::format(
                      "start no round that would end later (default {}, headline {}, and at least {} rounds)",
                      quick_effort.budget_s, headline_effort.budget_s, rounds_to_judge),
                  whole_number(1, 1'000'000));
        add_names(arguments, "--only", options_.only, "measure these contenders and glibc (comma-separated)");
        add_names(arguments, "--allocators", general_,
                  "only these general allocators and glibc (comma-separated)");
        add_words(arguments, "--allocator", allocators_, "NAME=PATH",
                  "measure the library PATH too, under this name");
        add_value(arguments, "--container", options_.container, "NAME",
                  "unordered_set, map, set or list (default unordered_set)", one_of(container_names));
        add_value(arguments, "--work", work_, "PERCENT",
                  fmt::format("percent of the work of --full (default {})", quick_effort.work),
                  whole_number(1, 1'000));
        add_seed(arguments, options_.seed);
        add_value(arguments, "--pin", options_.cpu, "CPU|auto|none",
                  "a CPU, none, or auto: each process stays on the CPU it starts on");
        add_value(arguments, "--timeout", timeout_, "SECONDS", "kill a process after SECONDS (default 120)",
                  whole_number(1, 86'400));
    }

    int run() override {
        check();
        refuse_missing_worker(options_);
        const interrupt_guard guard;
        try_libraries(options_.allocators, options_.only, guard);
        progress_line line;
        result_ = run_bench(options_, guard, [&](const work_progress& p) { line.show(p); });
        line.clear();
        judge(result_);
        return deliver();
    }

private:
    void check() {
        // The pools are in the program; a library of that name would be another one.
        std::vector<std::string> pools{baseline_name};
        const std::vector<std::string> general = allocator_names({});
        for (const std::string& name : bench_names({})) {
            if (!contains(general, name)) {
                pools.push_back(name);
            }
        }
        options_.allocators = libraries_of(allocators_, pools);
        refuse_unknown("scenario", options_.scenarios, scenario_names());
        choose_contenders();
        check_pin();
        const effort& usual = usual_effort(options_);
        options_.rounds = rounds_ != 0 ? rounds_ : usual.rounds;
        options_.budget_s = budget_ != 0 ? budget_ : rounds_ != 0 ? 0 : usual.budget_s;
        options_.least_rounds = budget_ != 0 ? least_rounds_of_a_budget : rounds_to_judge;
        options_.warm_up_rounds = usual.warm_up_rounds;
        options_.work = work_ != 0 ? work_ : usual.work;
        options_.timeout = std::chrono::seconds{timeout_};
    }

    void choose_contenders() {
        const std::vector<std::string> names = bench_names(options_.allocators);
        refuse_unknown("contender", options_.only, names);
        std::vector<std::string> general = allocator_names(options_.allocators);
        general.emplace_back(no_trim_name);
        refuse_unknown("general allocator", general_, general);
        if (general_.empty()) {
            return;
        }
        // The pools stay, and of the general allocators those that both lists have, or the one list that there is.
        std::vector<std::string> chosen;
        const std::vector<std::string> wanted = resolve_names(general_, options_.allocators);
        const std::vector<std::string> only = resolve_names(options_.only, options_.allocators);
        for (const std::string& name : names) {
            if ((contains(wanted, name) || !contains(general, name)) &&
                (only.empty() || contains(only, name))) {
                chosen.push_back(name);
            }
        }
        chosen.emplace_back(baseline_name); // never empty, which would mean all
        options_.only = std::move(chosen);
    }

    void check_pin() const {
        if (options_.cpu == "auto" || options_.cpu == "none") {
            return;
        }
        const std::optional<unsigned> cpu = number_in<unsigned>(options_.cpu);
        if (!cpu) {
            throw wrong_arguments{fmt::format("--pin must be the number of a CPU, auto or none, not '{}'{}",
                                              options_.cpu, did_you_mean(options_.cpu, {"auto", "none"}))};
        }
        if (const std::vector<unsigned> usable = usable_cpus();
            std::ranges::find(usable, *cpu) == usable.end()) {
            throw wrong_arguments{fmt::format("--pin: this process may not run on CPU {}; it may on {}", *cpu,
                                              fmt::join(usable, ", "))};
        }
    }

    int deliver() const {
        const bench_result& result = result_;
        files_.deliver();
        if (result.interrupted_by != 0) {
            return 128 + result.interrupted_by;
        }
        // A foreign allocator that crashed is a finding, unless only glibc and its copy, the first two, are left.
        const bool linn_failed = std::ranges::any_of(
            result.missing, [](const left_out_contender& l) { return l.name == linn_name; });
        const bool is_compared = std::ranges::any_of(result.scenarios, [](const scenario_result& s) {
            return std::ranges::any_of(s.rows, [](const row& r) { return r.contender > 1; });
        });
        return linn_failed || (!is_compared && !result.missing.empty()) ? exit_failure : exit_success;
    }

    report_files files_;
    bench_options options_;
    bench_result result_;
    std::vector<std::string> allocators_; // NAME=PATH, unparsed
    std::vector<std::string> general_;    // of --allocators
    std::size_t rounds_ = 0;              // the zeros: not given
    std::size_t work_ = 0;
    unsigned budget_ = 0;
    unsigned timeout_ = 120;
};

std::unique_ptr<command> make_bench(CLI::App& program) {
    return std::make_unique<bench_command>(program);
}

} // namespace linn::tool
