// SPDX-License-Identifier: Apache-2.0
#include "bench_command.hpp"

#include "../bench/judgement.hpp"
#include "../bench/runner.hpp"
#include "../measure/suggest.hpp"
#include "../report/bench_csv.hpp"
#include "../report/bench_markdown.hpp"
#include "../report/bench_table.hpp"
#include "../report/html/bench_html.hpp"
#include "../report/progress.hpp"
#include "../report/verbs/bench_json.hpp"
#include "exit_code.hpp"
#include "given_library.hpp"
#include "given_seed.hpp"
#include "option_checks.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace linn::tool {
namespace {

constexpr std::size_t full_rounds = 10;
constexpr std::size_t quick_rounds = 10; // at most
constexpr unsigned quick_budget_s = 240; // five minutes less what the start and a slow round may take
constexpr std::size_t quick_work = 25; // percent: so little that the rounds of a judgement fit in the budget
constexpr std::size_t full_work = 100;

const std::vector<std::string> container_names{"unordered_set", "map", "set", "list"};
const std::vector<std::string> object_sizes{"16", "64", "256", "1024"};

std::vector<std::string> scenario_names() {
    std::vector<std::string> names;
    for (const scenario& s : scenarios())
        names.emplace_back(s.name);
    for (const scenario_group& g : scenario_groups())
        names.emplace_back(g.name);
    return names;
}

std::string bench_footer() {
    std::string text = "Scenarios:\n";
    for (const scenario& s : scenarios())
        if (s.group.empty())
            text += fmt::format("  {:<13} {}\n", s.name, s.summary);
    for (const scenario_group& g : scenario_groups()) {
        text += fmt::format("  {:<13} {}:\n", g.name, g.summary);
        for (const scenario& s : scenarios())
            if (s.group == g.name)
                text += fmt::format("    {:<13} {}\n", s.name, s.summary);
    }
    text += "\nContenders:\n  ";
    text += wrap(fmt::format("{}", fmt::join(bench_names({}), ", ")), 78, 2) + '\n';
    text += "\nExamples:\n"
            "  linn bench                              every scenario, all contenders; at most five minutes\n"
            "  linn bench --full                       ten rounds of the same; half an hour\n"
            "  linn bench object                       one scenario, seconds\n"
            "  linn bench shared-ptr pipeline          packets held by shared_ptr\n"
            "  linn bench threads                      programs with many threads, and what locks allow\n"
            "  linn bench zero-fill --only linn        what make_shared<T>() writes for nothing\n"
            "  linn bench buffers pmr --only linn,jemalloc,tcmalloc\n"
            "  linn bench containers --container map   another container, same three phases\n"
            "  linn bench --only linn,jemalloc         these two, and glibc twice for the noise floor\n"
            "  linn bench --allocators jemalloc        all pools, but only this general allocator\n"
            "  linn bench --allocator mine=/opt/lib/libmine.so\n"
            "  linn bench --html report.html           also write a report with plots for a browser\n"
            "  linn bench --json result.json           also write every sample to a file\n";
    return text;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Says which names there are, and the likely one, which may also be one of `others`.
std::string unknown(std::string_view kind, const std::string& word, const std::vector<std::string>& names,
                    const std::vector<std::string>& others = {}) {
    std::vector<std::string> candidates = names;
    candidates.insert(candidates.end(), others.begin(), others.end());
    const std::string guess = suggest(word, candidates);
    return fmt::format("unknown {} '{}'{}; the {}s are: {}", kind, word,
                       guess.empty() ? "" : fmt::format(", did you mean '{}'?", guess), kind,
                       fmt::join(names, ", "));
}

/// The CPUs that this process, and so its children, may run on.
std::vector<unsigned> usable_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> list;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        for (unsigned cpu = 0; cpu != CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &set))
                list.push_back(cpu);
    return list;
}

} // namespace

bench_command::bench_command(CLI::App& program)
    : command{*program.add_subcommand("bench", "Measure what allocators and pools cost on this machine")},
      files_{verb(),
             {{"--json", "write the result as JSON", [this] { return bench_json(result_); }},
              {"--csv", "write the figures as CSV", [this] { return bench_csv(result_); }},
              {"--markdown", "write the report as Markdown", [this] { return bench_markdown(result_); }},
              {"--html", "write it as a page for a browser", [this] { return bench_html(result_); }}}} {
    CLI::App& arguments = verb();
    arguments.footer(bench_footer());
    // The last one counts, so that a user may overrule what an alias or a script says.
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    arguments
        .add_option("scenario", options_.scenarios, "what to measure (default: all but the threads programs)")
        ->type_name("NAME")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    CLI::Option* full = arguments.add_flag(
        "--full", options_.full, fmt::format("{} rounds after one that warms up, all the work", full_rounds));
    arguments
        .add_flag("--quick", quick_,
                  fmt::format("the default: up to {} rounds in {} seconds, {} % of the work", quick_rounds,
                              quick_budget_s, quick_work))
        ->excludes(full);
    arguments
        .add_option("--rounds", rounds_,
                    fmt::format("processes a contender and scenario (default {}, or {} at most)", full_rounds,
                                quick_rounds))
        ->type_name("COUNT")
        ->check(whole_number(1, 100'000));
    arguments
        .add_option(
            "--budget", budget_,
            fmt::format("start no round that would end later (default {}; none with --full)", quick_budget_s))
        ->type_name("SECONDS")
        ->check(whole_number(1, 1'000'000));
    arguments
        .add_option("--only", names_, "measure these contenders and glibc, or scenarios (comma-separated)")
        ->delimiter(',')
        ->type_name("NAMES")
        ->allow_extra_args(false) // the word after it is a scenario
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments
        .add_option("--allocators", general_,
                    "only these general allocators and glibc (comma-separated)")
        ->delimiter(',')
        ->type_name("NAMES")
        ->allow_extra_args(false) // the word after it is a scenario
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments.add_option("--allocator", allocators_, "measure the library PATH too, under this name")
        ->type_name("NAME=PATH")
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments.add_option("--n", options_.n, "integers of the scenario containers (default 1000000)")
        ->type_name("COUNT")
        ->check(whole_number(1, 200'000'000));
    arguments
        .add_option("--container", options_.container,
                    "unordered_set, map, set or list (default unordered_set)")
        ->type_name("NAME")
        ->check(one_of(container_names));
    arguments
        .add_option("--objects", options_.objects, "live objects of the scenario object (default 100000)")
        ->type_name("COUNT")
        ->check(whole_number(1, 100'000'000));
    arguments.add_option("--object-bytes", options_.object_bytes, "16, 64, 256 or 1024 (default 64)")
        ->type_name("BYTES")
        ->check(one_of(object_sizes));
    arguments
        .add_option(
            "--work", work_,
            fmt::format("percent of the usual work elsewhere (default {}, --full {})", quick_work, full_work))
        ->type_name("PERCENT")
        ->check(whole_number(1, 1'000));
    arguments.add_option("--seed", seed_, "seed of the order of the rounds (default random, printed)")
        ->type_name("UINT");
    arguments.add_option("--pin", pin_, "a CPU, none, or auto: each process stays on the CPU it starts on")
        ->type_name("CPU|auto|none");
    arguments.add_option("--timeout", timeout_, "kill a process after SECONDS (default 120)")
        ->type_name("SECONDS")
        ->check(whole_number(1, 86'400));
}

std::string bench_command::check_scenarios() const {
    const std::vector<std::string> names = scenario_names();
    for (const std::string& s : options_.scenarios)
        if (std::find(names.begin(), names.end(), s) == names.end())
            return unknown("scenario", s, names);
    return {};
}

std::string bench_command::choose_contenders() {
    const std::vector<std::string> names = bench_names(options_.allocators);
    const std::vector<std::string> all_scenarios = scenario_names();
    for (const std::string& name : names_) {
        if (is_one_of(name, all_scenarios))
            options_.scenarios.push_back(name);
        else if (is_one_of(name, names))
            options_.only.push_back(name);
        else
            return unknown("contender", name, names, all_scenarios);
    }
    std::vector<std::string> general = allocator_names(options_.allocators);
    general.emplace_back(no_trim_name);
    for (const std::string& name : general_)
        if (!is_one_of(name, general))
            return unknown("general allocator", name, general);
    if (general_.empty())
        return {};
    // The pools stay, and of the general allocators those that both lists have, or the one list that there is.
    std::vector<std::string> chosen;
    const std::vector<std::string> wanted = resolve_names(general_, options_.allocators);
    const std::vector<std::string> only = resolve_names(options_.only, options_.allocators);
    for (const std::string& name : names)
        if ((is_one_of(name, wanted) || !is_one_of(name, general)) && (only.empty() || is_one_of(name, only)))
            chosen.push_back(name);
    chosen.emplace_back(baseline_name); // never empty, which would mean all
    options_.only = std::move(chosen);
    return {};
}

std::string bench_command::check_pin() {
    options_.cpu = pin_;
    if (pin_ == "auto" || pin_ == "none")
        return {};
    unsigned cpu = 0;
    const char* end = pin_.data() + pin_.size();
    if (const auto [stop, error] = std::from_chars(pin_.data(), end, cpu);
        error != std::errc{} || stop != end) {
        const std::string guess = suggest(pin_, {"auto", "none"});
        return fmt::format("--pin must be the number of a CPU, auto or none, not '{}'{}", pin_,
                           guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess));
    }
    if (const std::vector<unsigned> usable = usable_cpus();
        std::find(usable.begin(), usable.end(), cpu) == usable.end())
        return fmt::format("--pin: this process may not run on CPU {}; it may on {}", cpu,
                           fmt::join(usable, ", "));
    return {};
}

std::string bench_command::check() {
    // The pools are in the program; a library of that name would be somebody else.
    std::vector<std::string> pools{baseline_name};
    const std::vector<std::string> general = allocator_names({});
    for (const std::string& name : bench_names({}))
        if (!is_one_of(name, general))
            pools.push_back(name);
    for (const std::string& text : allocators_)
        if (const std::string problem = take_library(text, pools, options_.allocators); !problem.empty())
            return problem;
    if (const std::string problem = check_scenarios(); !problem.empty())
        return problem;
    if (const std::string problem = choose_contenders(); !problem.empty())
        return problem;

    if (std::string problem = read_seed(seed_, options_.seed); !problem.empty())
        return problem;
    if (const std::string problem = check_pin(); !problem.empty())
        return problem;
    const bool full = options_.full;
    options_.rounds = rounds_ != 0 ? rounds_ : full ? full_rounds : quick_rounds;
    options_.budget_s = budget_ != 0 ? budget_ : full || rounds_ != 0 ? 0 : quick_budget_s;
    options_.warm_up_rounds = full ? 1 : 0;
    options_.work = work_ != 0 ? work_ : full ? full_work : quick_work;
    options_.timeout = std::chrono::seconds{timeout_};
    return {};
}

int bench_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        fmt::print(stderr, "linn bench: {}\n", problem);
        return exit_usage;
    }
    if (const std::string problem = files_.check(); !problem.empty()) {
        fmt::print(stderr, "linn bench: {}\n", problem);
        return exit_failure;
    }
    const interrupt_guard guard;
    if (refuses_libraries("bench", options_.allocators, guard))
        return exit_usage;
    progress_line line;
    result_ = run_bench(options_, guard, [&](const work_progress& p) { line.show(p); });
    line.clear();
    judge(result_);
    return deliver();
}

int bench_command::deliver() const {
    const bench_result& result = result_;
    // The files first: the reader of standard output may have gone away, which ends this process.
    const std::string problem = files_.write();
    if (!files_.takes_stdout())
        fmt::print("{}", bench_report(result, style_of_stdout()));
    if (!problem.empty()) {
        fmt::print(stderr, "linn bench: {}\n", problem);
        return exit_failure;
    }
    if (std::fflush(stdout) != 0) {
        fmt::print(stderr, "linn bench: the result cannot be written to standard output\n");
        return exit_failure;
    }
    if (result.interrupted_by != 0)
        return 128 + result.interrupted_by;
    // A foreign allocator that crashed is a finding; a row of ours that is missing, or no row at all, is a failure.
    const bool linn_failed = std::any_of(result.missing.begin(), result.missing.end(),
                                         [](const left_out& l) { return l.name == linn_name; });
    const bool something = std::any_of(result.scenarios.begin(), result.scenarios.end(),
                                       [](const scenario_result& s) { return !s.rows.empty(); });
    return linn_failed || !something ? exit_failure : exit_success;
}

} // namespace linn::tool
