// SPDX-License-Identifier: Apache-2.0
#include "run_command.hpp"

#include "../allocators/given_library.hpp"
#include "../experiment/contenders.hpp"
#include "../report/progress.hpp"
#include "../report/verbs/run_document.hpp"
#include "../report/verbs/run_json.hpp"
#include "../report/verbs/scan_document.hpp"
#include "../report/verbs/scan_json.hpp"
#include "../run/run_contenders.hpp"
#include "../run/runner.hpp"
#include "exit_code.hpp"
#include "option_checks.hpp"
#include "program_words.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace linn::tool {
namespace {

constexpr const char* run_footer =
    "Everything from PROG on belongs to the program.\n"
    "\n"
    "Examples:\n"
    "  linn run -- sqlite3 :memory: \".read insert.sql\"\n"
    "  linn run --input big.json -- jq '.[].name'\n"
    "  linn run -- env PYTHONMALLOC=malloc python3 script.py\n"
    "  linn run --only jemalloc,mimalloc --budget 300 --html report.html -- ./simulate 1000\n"
    "  linn run --allocator mine=/opt/lib/libmine.so --rounds 20 -- ./simulate 1000\n"
    "  linn run --scan n=1000,10000,100000 --html scan.html -- ./simulate {n}\n"
    "  linn run --prepare 'rm -rf out' -- ./build-index out\n"
    "  linn run --ready 'redis-cli -p 7777 ping' --client 'redis-benchmark -p 7777 -q -n 100000 -t "
    "set,lpush' \\\n"
    "           -- redis-server --port 7777 --save ''\n";

} // namespace

run_command::run_command(CLI::App& program)
    : command{*program.add_subcommand("run", "Measure your own program under every allocator")},
      files_{verb(), report_source{[this] { return is_scan() ? scan_json(scan_) : run_json(result_); },
                                   [this] { return document(); }}} {
    CLI::App& arguments = verb();
    arguments.footer(run_footer);
    arguments.prefix_command();
    // The last one counts, so that a user may overrule what an alias or a script says.
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    const auto list = [&](const char* names, std::vector<std::string>& values, const char* help) {
        return repeatable(arguments.add_option(names, values, help));
    };
    list("--only,--allocators", only_, "compare these allocators (comma-separated) with the default")
        ->type_name("NAMES");
    list("--allocator", allocators_, "compare the library PATH too, under this name")->type_name("NAME=PATH");
    list("--scan", scans_,
         "measure once for each value, in place of {NAME} in the program's words; several: all combinations")
        ->type_name("NAME=VALUES");
    measuring_.add();
}

std::string run_command::check_allocators() {
    const std::vector<std::string> own{default_name, default_again_name, baseline_name, no_trim_name,
                                       huge_name};
    for (const std::string& text : allocators_) {
        if (std::string problem = take_library(text, own, options_.allocators); !problem.empty()) {
            return problem;
        }
    }
    return take_names("--only", only_, contender_names(options_.allocators, {huge_name}), options_.only);
}

std::string run_command::check() {
    if (std::string problem = take_program_words(verb(), words_); !problem.empty()) {
        return problem;
    }
    if (std::string problem = check_allocators(); !problem.empty()) {
        return problem;
    }
    if (std::string problem = measuring_.check(); !problem.empty()) {
        return problem;
    }
    return check_scans();
}

std::string run_command::check_scans() {
    for (const std::string& text : scans_) {
        scan_parameter parameter;
        if (std::string problem = read_scan(text, parameter); !problem.empty()) {
            return problem;
        }
        parameters_.push_back(std::move(parameter));
    }
    return check_scan(parameters_, options_, words_);
}

report::document run_command::document() const {
    return is_scan() ? report::scan_document(scan_) : report::run_document(result_);
}

run_result run_command::measure(const run_options& options, const std::vector<std::string>& words,
                                const interrupt_guard& guard, progress_line& line) const {
    const bool is_watched = ::isatty(STDERR_FILENO) != 0;
    return run_program(
        options, words, guard, [&](const work_progress& p) { line.show(p); },
        [&](const std::string& text) {
            line.clear();
            if (is_watched) {
                fmt::print(stderr, "{}\n", text);
            }
        });
}

void run_command::scan(const interrupt_guard& guard, progress_line& line) {
    run_options options = options_;
    // Once, not at every point.
    options.inventory =
        allocator_choice{options.only, options.allocators}.look(guard, [&](const std::string& name) {
            work_progress p;
            p.doing = fmt::format("trying {}", name);
            line.show(p);
        });
    scan_ = run_scan(
        parameters_, options, words_,
        [&](const run_options& here, const std::vector<std::string>& words) {
            return measure(here, words, guard, line);
        },
        [&](std::size_t at, std::size_t of, const std::string& label) {
            line.clear();
            if (::isatty(STDERR_FILENO) != 0) {
                fmt::print(stderr, "{} of {}: {}\n", at + 1, of, label);
            }
        });
}

int run_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        return refuse_arguments(problem);
    }
    if (const std::string problem = files_.check(); !problem.empty()) {
        return refuse(problem);
    }
    const interrupt_guard guard;
    if (refuses_libraries("run", options_.allocators, guard)) {
        return exit_usage;
    }
    progress_line line;
    if (is_scan()) {
        scan(guard, line);
    } else {
        result_ = measure(options_, words_, guard, line);
    }
    line.clear();
    return deliver();
}

int run_command::deliver() const {
    if (is_scan()) {
        return deliver(!scan_.points.empty(), scan_.problem, scan_.is_usage_error, scan_.interrupted_by);
    }
    const bool has_samples = std::any_of(result_.rows.begin(), result_.rows.end(),
                                         [](const run_row& r) { return !r.samples.empty(); });
    return deliver(has_samples, result_.problem, result_.is_usage_error, result_.interrupted_by);
}

int run_command::deliver(bool has_something, const std::string& problem, bool is_usage_error,
                         int interrupted_by) const {
    if (!problem.empty()) {
        refuse(problem);
    }
    if (has_something) {
        if (const std::string unwritten = files_.deliver(); !unwritten.empty()) {
            return refuse(unwritten);
        }
    }
    if (interrupted_by != 0) {
        if (!has_something) {
            refuse("stopped before anything was measured");
        }
        return 128 + interrupted_by;
    }
    if (!problem.empty()) {
        return is_usage_error ? exit_usage : exit_failure;
    }
    return has_something ? exit_success : exit_failure;
}

} // namespace linn::tool
