// SPDX-License-Identifier: Apache-2.0
#include "replay_command.hpp"

#include "../advise/type_groups.hpp"
#include "../allocators/given_library.hpp"
#include "../compare/result_file.hpp"
#include "../report/progress.hpp"
#include "../report/verbs/replay_document.hpp"
#include "../report/verbs/replay_json.hpp"
#include "../symbols/type_namer.hpp"
#include "../trace/corruption.hpp"
#include "../trace/reader.hpp"
#include "exit_code.hpp"
#include "given_seed.hpp"
#include "option_checks.hpp"
#include "trace_exit.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

namespace linn::tool {
namespace {

constexpr const char* replay_footer =
    "The replay repeats the recorded requests, each thread in its order and each release in its thread, "
    "under "
    "each\n"
    "allocator, under Linn's pools and under one that costs nothing. docs/guide/replay.md says how far to "
    "trust it.\n"
    "\n"
    "Exit status:\n"
    "  0  done\n"
    "  1  nothing could be replayed, the trace is damaged, or a report cannot be written\n"
    "  2  the file is not a trace, or the arguments are wrong\n"
    "\n"
    "Examples:\n"
    "  linn record -o app.linn -- ./app\n"
    "  linn replay app.linn\n"
    "  linn replay app.linn --types\n"
    "  linn replay app.linn --allocators jemalloc,mimalloc --rounds 15\n"
    "  linn run --json run.json -- ./app && linn replay app.linn --against run.json\n";

} // namespace

replay_command::replay_command(CLI::App& program)
    : command{*program.add_subcommand("replay",
                                      "What a recorded program's requests cost under every allocator")},
      files_{verb(), report_source{[this] { return replay_json(result_); },
                                   [this] { return report::replay_document(result_); }}} {
    CLI::App& arguments = verb();
    arguments.footer(replay_footer);
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    const auto list = [&](const char* names, std::vector<std::string>& values, const char* help) {
        return repeatable(arguments.add_option(names, values, help));
    };
    arguments.add_option("TRACE", trace_, "what linn record wrote")->required()->type_name("FILE");
    list("--allocators,--only", only_, "replay under these allocators (comma-separated) and the default")
        ->type_name("NAMES");
    list("--allocator", allocators_, "replay under the library PATH too, under this name")
        ->type_name("NAME=PATH");
    arguments.add_option("--rounds", rounds_, "rounds; each runs every row once (default 7)")
        ->type_name("COUNT")
        ->check(whole_number(1, 10'000));
    arguments.add_option("--budget", budget_, "seconds for all rounds; the first always runs (default 60)")
        ->type_name("SECONDS")
        ->check(whole_number(1, 1'000'000));
    arguments
        .add_option("--touch", touch_, "what to write of each new block: none, byte, lines (default), or all")
        ->type_name("WHAT")
        ->check(one_of({"none", "byte", "lines", "all"}));
    arguments
        .add_option("--events", options_.most_events,
                    "replay this many events from the start (default 50 000 000)")
        ->type_name("COUNT")
        ->check(whole_number(1, 4'000'000'000));
    CLI::Option* const types = arguments.add_flag(
        "--types", prices_types_, "price the most frequent types, each alone from a pool of Linn's");
    arguments.add_option("--top", most_types_, "with --types: the number of types (default 10)")
        ->type_name("COUNT")
        ->needs(types)
        ->check(whole_number(1, 254));
    arguments.add_option("--against", against_, "compare the order with this result of linn run --json")
        ->type_name("RUN.json");
    list("--debug-dir", debug_folders_, "with --types: also look here for separate debug information")
        ->type_name("DIR")
        ->needs(types);
    arguments.add_option("--seed", seed_, "seed of the order of the rounds (default random, in the JSON)")
        ->type_name("NUMBER");
}

std::string replay_command::check_allocators() {
    const std::vector<std::string> own{default_name, default_again_name, linn_name, null_name, no_trim_name};
    for (const std::string& text : allocators_) {
        if (std::string problem = take_library(text, own, options_.allocators); !problem.empty()) {
            return problem;
        }
    }
    return take_names("--allocators", only_, contender_names(options_.allocators, {linn_name, null_name}),
                      options_.only);
}

std::string replay_command::read_measured_run() {
    try {
        const result_file file = read_result_file(against_);
        if (file.is_bench()) {
            return fmt::format(
                "--against {}: it is a result of linn bench; linn run --json writes what is needed",
                against_);
        }
        for (const auto& [name, series] : file.series) {
            if (name.measure != "cpu_ns" || series.is_control) {
                continue;
            }
            const std::vector<double> ones(series.values.size(), 1.0);
            measured_.push_back({name.contender, series.is_reference ? ones : series.ratios});
            measured_floor_ = std::max(measured_floor_, series.noise_floor);
        }
        return measured_.empty() ? fmt::format("--against {}: it has no CPU times", against_) : std::string{};
    } catch (const unusable_file& error) {
        return fmt::format("--against: {}", error.what());
    }
}

std::string replay_command::check() {
    if (std::string problem = check_allocators(); !problem.empty()) {
        return problem;
    }
    if (std::string problem = read_seed(seed_, options_.seed); !problem.empty()) {
        return problem;
    }
    options_.trace = trace_;
    options_.rounds = rounds_;
    options_.budget = std::chrono::seconds{budget_};
    options_.touch = touch_ == "none"   ? replay_touch::none
                     : touch_ == "byte" ? replay_touch::byte
                     : touch_ == "all"  ? replay_touch::all
                                        : replay_touch::lines;
    return against_.empty() ? std::string{} : read_measured_run();
}

/// Makes a group of every frequent type; false when interrupted.
bool replay_command::find_types(const interrupt_guard& guard) {
    trace_reader reader{options_.trace};
    progress_line line;
    const auto show = [&](const char* doing, double share) {
        work_progress p;
        p.done = static_cast<std::size_t>(share * 1000);
        p.total = 1000;
        p.doing = doing;
        line.show(p);
        return guard.poll() == 0;
    };
    const trace_analysis analysis =
        analyse_trace(reader, [&](double share) { return show("reading the trace", share); });
    symbol_options where;
    where.debug_folders.insert(where.debug_folders.begin(), debug_folders_.begin(), debug_folders_.end());
    symbolizer symbols{where};
    type_namer namer{symbols};
    const naming names{
        [&](const allocation_site& site) { return namer.name(site); },
        [&](const std::string& module, const std::string& id) { return symbols.about(module, id); }};
    const std::vector<advised_type> types =
        group_types(analysis, names, [&](double share) { show("naming types", share); });
    for (const advised_type& type : types) {
        if (options_.groups.size() == most_types_) {
            break;
        }
        replay_group group{label_of(type), {}};
        for (const advised_place& place : type.places) {
            for (const std::uint32_t site : place.sites) {
                group.stacks.push_back(analysis.sites[site].stack);
            }
        }
        options_.groups.push_back(std::move(group));
    }
    line.clear();
    return guard.poll() == 0;
}

int replay_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        return refuse_arguments(problem);
    }
    if (const std::string problem = files_.check(); !problem.empty()) {
        return refuse(problem);
    }
    const interrupt_guard guard;
    if (refuses_libraries("replay", options_.allocators, guard)) {
        return exit_usage;
    }
    try {
        refuse_corrupt(options_.trace);
        if (prices_types_ && !find_types(guard)) {
            return refuse("stopped before anything was measured", 128 + interrupt_guard::pending());
        }
        progress_line line;
        result_ = replay_trace(options_, guard, [&](const work_progress& p) { line.show(p); });
    } catch (const unusable_trace& error) {
        return refuse(error.what(), exit_code_for(error));
    }
    return deliver();
}

int replay_command::deliver() {
    if (!result_.problem.empty()) {
        refuse(result_.problem);
    }
    const bool has_something = result_.complete_rounds != 0 && result_.problem.empty();
    if (has_something) {
        if (!against_.empty()) {
            result_.agreement = compare_with_run(result_, measured_, measured_floor_, against_);
        }
        if (const std::string problem = files_.deliver(); !problem.empty()) {
            return refuse(problem);
        }
    }
    if (result_.interrupted_by != 0) {
        if (!has_something) {
            refuse("stopped before anything was measured");
        }
        return 128 + result_.interrupted_by;
    }
    return has_something ? exit_success : exit_failure;
}

} // namespace linn::tool
