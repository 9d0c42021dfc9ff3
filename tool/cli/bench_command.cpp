// SPDX-License-Identifier: Apache-2.0
#include "bench_command.hpp"

#include "../bench/runner.hpp"
#include "../report/bench_csv.hpp"
#include "../report/bench_json.hpp"
#include "../report/bench_markdown.hpp"
#include "../report/bench_table.hpp"
#include "../report/progress.hpp"
#include "exit_code.hpp"
#include "suggest.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <random>

namespace linn::tool {
namespace {

constexpr std::size_t default_rounds = 10;
constexpr std::size_t quick_rounds = 3;

const std::vector<std::string> container_names{"unordered_set", "map", "set", "list"};
const std::vector<std::string> object_sizes{"16", "64", "256", "1024"};

std::vector<std::string> scenario_names() {
    std::vector<std::string> names;
    for (const scenario& s : scenarios())
        names.emplace_back(s.name);
    return names;
}

std::string footer() {
    std::string text = "Scenarios:\n";
    for (const scenario& s : scenarios())
        text += fmt::format("  {:<12} {}\n", s.name, s.summary);
    text += "\nContenders:\n  ";
    text += wrap(fmt::format("{}", fmt::join(contender_names({}), ", ")), 78, 2) + '\n';
    text += "\nExamples:\n"
            "  linn bench                              every scenario, all contenders; a quarter of an hour\n"
            "  linn bench --quick                      the same in three to five minutes\n"
            "  linn bench --quick object               one scenario, a first look in seconds\n"
            "  linn bench shared-ptr pipeline          packets held by shared_ptr\n"
            "  linn bench zero-fill --only linn        what make_shared<T>() writes for nothing\n"
            "  linn bench buffers pmr --only linn,jemalloc,tcmalloc\n"
            "  linn bench containers --container map   another container, same three phases\n"
            "  linn bench --only linn,jemalloc         these two, and glibc twice for the noise floor\n"
            "  linn bench --allocator mine=/opt/lib/libmine.so\n"
            "  linn bench --json result.json           also write every sample to a file\n";
    return text;
}

/// A whole number from 1 on; the name of the value says the rest, so that the help stays readable.
CLI::Validator count(double most) {
    return CLI::Range(1.0, most).description("");
}

/// "NAMES: a, b" plus the likely one, for messages about a wrong word.
std::string unknown(std::string_view kind, const std::string& word, const std::vector<std::string>& names) {
    const std::string guess = suggest(word, names);
    return fmt::format("there is no {} named '{}'{}; the {}s are: {}", kind, word,
                       guess.empty() ? "" : fmt::format(", did you mean '{}'?", guess), kind,
                       fmt::join(names, ", "));
}

} // namespace

bench_command::bench_command(CLI::App& program)
    : command{*program.add_subcommand("bench", "Measure what allocators and pools cost on this machine")},
      files_{verb(),
             {{"--json", "write the result as JSON", [this] { return bench_json(result_); }},
              {"--csv", "write the figures as CSV", [this] { return bench_csv(result_); }},
              {"--markdown", "write the report as Markdown", [this] { return bench_markdown(result_); }}}} {
    CLI::App& arguments = verb();
    arguments.footer(footer());
    // The last one counts, so that a user may overrule what an alias or a script says.
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    arguments.add_option("scenario", options_.scenarios, "what to measure; everything when none is named")
        ->type_name("NAME")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments
        .add_option("--rounds", rounds_,
                    fmt::format("processes a contender and scenario (default {})", default_rounds))
        ->type_name("COUNT")
        ->check(count(100'000));
    arguments.add_flag("--quick", quick_, fmt::format("{} rounds and no warm-up round", quick_rounds));
    arguments.add_option("--only", options_.only, "measure these contenders (comma-separated), and glibc")
        ->delimiter(',')
        ->type_name("NAMES")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments.add_option("--allocator", allocators_, "measure the library PATH too, under this name")
        ->type_name("NAME=PATH")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    arguments.add_option("--n", options_.n, "integers of the scenario containers (default 1000000)")
        ->type_name("COUNT")
        ->check(count(200'000'000));
    arguments
        .add_option("--container", options_.container,
                    "unordered_set, map, set or list (default unordered_set)")
        ->type_name("NAME")
        ->check(CLI::IsMember(container_names).description(""));
    arguments
        .add_option("--objects", options_.objects, "live objects of the scenario object (default 100000)")
        ->type_name("COUNT")
        ->check(count(100'000'000));
    arguments.add_option("--object-bytes", options_.object_bytes, "16, 64, 256 or 1024 (default 64)")
        ->type_name("BYTES")
        ->check(CLI::IsMember(object_sizes).description(""));
    arguments
        .add_option("--work", options_.work,
                    "percent of the usual operations in the other scenarios (default 100)")
        ->type_name("PERCENT")
        ->check(count(1'000));
    arguments.add_option("--seed", seed_, "seed of the order of the rounds (default random, printed)")
        ->type_name("UINT");
    CLI::Option* cpu =
        arguments.add_option("--cpu", cpu_, "pin every process to this CPU")->type_name("NUMBER");
    arguments.add_flag("--no-pin", not_pinned_, "pin no process; the default is the CPU it starts on")
        ->excludes(cpu);
    arguments.add_option("--timeout", timeout_, "seconds a process may take (default 120)")
        ->type_name("SECONDS")
        ->check(count(86'400));
}

std::string bench_command::check_scenarios() const {
    const std::vector<std::string> names = scenario_names();
    for (const std::string& s : options_.scenarios)
        if (std::find(names.begin(), names.end(), s) == names.end())
            return unknown("scenario", s, names);
    return {};
}

std::string bench_command::check_contenders() const {
    const std::vector<std::string> names = contender_names(options_.allocators);
    for (const std::string& c : options_.only)
        if (std::find(names.begin(), names.end(), c) == names.end())
            return unknown("contender", c, names);
    return {};
}

std::string bench_command::check() {
    for (const std::string& text : allocators_) {
        const std::size_t sign = text.find('=');
        if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
            return fmt::format("--allocator wants NAME=PATH, not '{}'", text);
        const std::string name = text.substr(0, sign);
        const std::vector<std::string> pools{baseline_name, control_name, linn_name};
        if (std::find(pools.begin(), pools.end(), name) != pools.end())
            return fmt::format("--allocator cannot replace '{}'; give the library another name", name);
        options_.allocators.emplace_back(name, text.substr(sign + 1));
    }
    if (const std::string problem = check_scenarios(); !problem.empty())
        return problem;
    if (const std::string problem = check_contenders(); !problem.empty())
        return problem;

    options_.seed = std::random_device{}();
    if (!seed_.empty()) {
        const char* end = seed_.data() + seed_.size();
        if (const auto [stop, error] = std::from_chars(seed_.data(), end, options_.seed);
            error != std::errc{} || stop != end)
            return fmt::format("--seed wants a whole number that is not negative, not '{}'", seed_);
    }
    if (!cpu_.empty() && cpu_.find_first_not_of("0123456789") != std::string::npos)
        return fmt::format("--cpu wants the number of a CPU, not '{}'", cpu_);
    options_.cpu = not_pinned_ ? "none" : cpu_.empty() ? "auto" : cpu_;
    options_.rounds = rounds_ != 0 ? rounds_ : quick_ ? quick_rounds : default_rounds;
    options_.warm_up_rounds = quick_ ? 0 : 1;
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
    progress_line line;
    result_ = run_bench(options_, guard, [&](const work_progress& p) { line.show(p); });
    line.clear();
    return deliver();
}

int bench_command::deliver() const {
    const bench_result& result = result_;
    if (!files_.takes_stdout())
        fmt::print("{}", bench_report(result, style_of_stdout()));
    if (const std::string problem = files_.write(); !problem.empty()) {
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
