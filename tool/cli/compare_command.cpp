// SPDX-License-Identifier: Apache-2.0
#include "compare_command.hpp"

#include "../measure/suggest.hpp"
#include "../report/verbs/compare_document.hpp"
#include "../report/verbs/compare_json.hpp"
#include "exit_code.hpp"
#include "option_checks.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace linn::tool {
namespace {

constexpr const char* compare_footer =
    "A row is a regression if its median grew by more than the threshold and the noise floor of both\n"
    "files, and the growth is significant over all rows together. On two machines, ratios to glibc (bench) "
    "or\n"
    "to the program's default allocator (run) are compared in place of times.\n"
    "\nExit status:\n"
    "  0  no regression (or not what --fail-on asks for)\n"
    "  1  a regression\n"
    "  2  the files cannot be read or compared, or a report cannot be written\n"
    "\nExamples:\n"
    "  linn compare old.json new.json\n"
    "  linn compare old.json new.json --only linn --threshold 10\n"
    "  linn compare old.json new.json --by ratio --markdown change.md\n";

/// What is wrong with a list of names, of which none may be unknown to both files.
std::string check_list(const char* option, const std::vector<std::string>& wanted,
                       const std::set<std::string>& known) {
    for (const std::string& name : wanted) {
        if (known.contains(name))
            continue;
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string guess = suggest(name, names);
        return fmt::format("{}: neither file has '{}'; {}", option, name,
                           guess.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                         : fmt::format("did you mean '{}'?", guess));
    }
    return {};
}

} // namespace

compare_command::compare_command(CLI::App& program)
    : command{*program.add_subcommand("compare", "Find regressions between two results of bench or run")},
      files_{verb(), forms_of({.json = [this] { return compare_json(result_); },
                               .document = [this] { return report::compare_document(result_); },
                               .has_data = false,
                               .has_page = false})} {
    CLI::App& arguments = verb();
    arguments.footer(compare_footer);
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    arguments.add_option("OLD", old_path_, "a file that bench --json or run --json wrote")
        ->required()
        ->type_name("FILE");
    arguments.add_option("NEW", new_path_, "the same, later")->required()->type_name("FILE");
    arguments
        .add_option("--threshold", threshold_percent_, "report only changes larger than this (default 5)")
        ->type_name("PERCENT")
        ->check(number(0, 1e6));
    arguments
        .add_option("--level", options_.level,
                    "of the intervals; 1 - level bounds the chance of any false report (default 0.95)")
        ->type_name("SHARE")
        ->check(number(0.5, 0.9999));
    arguments.add_option("--by", by_, "absolute, ratio, or auto: ratio where the machines differ (default)")
        ->type_name("HOW")
        ->check(one_of({"auto", "absolute", "ratio"}));
    arguments
        .add_option("--fail-on", fail_on_, "exit with 1 on a regression (default), on any change, or never")
        ->type_name("WHAT")
        ->check(one_of({"regression", "any", "never"}));
    const auto add_list = [&](const char* option, std::vector<std::string>& list, const char* help) {
        arguments.add_option(option, list, help)
            ->delimiter(',')
            ->type_name("NAMES")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_list("--only", options_.contenders, "compare these contenders (comma-separated)");
    add_list("--scenario", options_.scenarios, "compare these scenarios of bench");
    add_list("--metric", options_.measures, "compare these metrics of run, or phases of bench");
}

std::string compare_command::read_files(result_file& old_file, result_file& new_file) const {
    std::string problems;
    for (const auto& [path, file] : {std::pair{&old_path_, &old_file}, std::pair{&new_path_, &new_file}}) {
        try {
            *file = read_result_file(*path);
        } catch (const unusable_file& error) {
            problems += fmt::format("linn compare: {}\n", error.what());
        }
    }
    return problems;
}

std::string compare_command::check_names(const result_file& old_file, const result_file& new_file) const {
    std::set<std::string> scenarios;
    std::set<std::string> contenders;
    std::set<std::string> measures;
    for (const result_file* file : {&old_file, &new_file})
        for (const auto& [name, series] : file->series) {
            if (!name.scenario.empty())
                scenarios.insert(name.scenario);
            contenders.insert(name.contender);
            measures.insert(name.measure);
        }
    std::string problem = check_list("--scenario", options_.scenarios, scenarios);
    if (problem.empty())
        problem = check_list("--only", options_.contenders, contenders);
    if (problem.empty())
        problem = check_list("--metric", options_.measures, measures);
    return problem;
}

bool compare_command::fails() const {
    if (fail_on_ == "never")
        return false;
    const bool regressed = result_.count(change_kind::regression) != 0;
    const bool otherwise = result_.count(change_kind::improvement) != 0 || !result_.vanished.empty() ||
                           !result_.appeared.empty();
    return regressed || (fail_on_ == "any" && otherwise);
}

int compare_command::run() {
    const auto refuse = [](const std::string& problem) {
        fmt::print(stderr, "linn compare: {}\n", problem);
        return exit_usage;
    };
    options_.threshold = threshold_percent_ / 100;
    options_.by = by_ == "ratio"      ? compare_by::ratio
                  : by_ == "absolute" ? compare_by::absolute
                                      : compare_by::automatic;
    if (const std::string problem = files_.check(); !problem.empty())
        return refuse(problem);
    result_file old_file;
    result_file new_file;
    if (const std::string problems = read_files(old_file, new_file); !problems.empty()) {
        fmt::print(stderr, "{}", problems);
        return exit_usage;
    }
    if (const std::string problem = check_names(old_file, new_file); !problem.empty())
        return refuse(problem);
    result_ = compare_files(std::move(old_file), std::move(new_file), options_);
    if (!result_.problem.empty())
        return refuse(result_.problem);

    if (!files_.takes_stdout())
        print_report(report::compare_document(result_));
    if (const std::string problem = files_.write(); !problem.empty())
        return refuse(problem);
    if (std::fflush(stdout) != 0)
        return refuse("the result cannot be written to standard output");
    if (result_.nothing_decided())
        return exit_usage;
    return fails() ? exit_failure : exit_success;
}

} // namespace linn::tool
