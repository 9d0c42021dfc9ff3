// SPDX-License-Identifier: Apache-2.0
#include "advise_command.hpp"

#include "../advise/analysis.hpp"
#include "../advise/verdict.hpp"
#include "../measure/interrupt.hpp"
#include "../measure/machine.hpp"
#include "../pools/launch.hpp"
#include "../report/progress.hpp"
#include "../report/verbs/advise_json.hpp"
#include "../report/verbs/fills_document.hpp"
#include "../trace/corruption.hpp"
#include "../try/advise_gains.hpp"
#include "exit_code.hpp"
#include "option_checks.hpp"
#include "program_words.hpp"
#include "same_program.hpp"
#include "trace_exit.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace linn::tool {
namespace {

constexpr const char* advise_footer =
    "Exit status:\n"
    "  0    done, for any answer\n"
    "  1    the trace is damaged; a result cannot be written; or with --fail-over, pools together or "
    "another change save that much\n"
    "  2    the file is not a trace, or the arguments are wrong\n"
    "  128+n  signal n stopped the replay or --try; the results so far are written\n"
    "With --try also as linn try: 1 if the program cannot be measured, its own status if it fails.\n"
    "\n"
    "Examples:\n"
    "  linn record -- ./simulate 1000\n"
    "  linn advise simulate.linn\n"
    "  linn advise simulate.linn --type Particle\n"
    "  linn advise simulate.linn --no-replay --html advice.html\n"
    "  linn advise simulate.linn --try --budget 60 -- ./simulate 1000\n"
    "  linn advise simulate.linn --json - | jq '.types[] | {label, use, gain}'\n";

constexpr std::size_t progress_steps = 1000;
constexpr unsigned usual_replay_s = 20;

void show(progress_line& line, const char* doing, double share) {
    work_progress p;
    p.done = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * progress_steps);
    p.total = progress_steps;
    p.doing = doing;
    line.show(p);
}

} // namespace

advise_command::advise_command(CLI::App& program)
    : command{*program.add_subcommand("advise", "Say which types of a recorded program need a pool, if any")},
      files_{verb(), report_source{[this] { return advise_json(result_); },
                                   [this] {
                                       return fills_ ? report::fills_document(*fills_, view_.top)
                                                     : report::advise_document(result_, view_,
                                                                               frames_of_stacks());
                                   }}} {
    CLI::App& arguments = verb();
    arguments.footer(advise_footer);
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    arguments.prefix_command();
    arguments.add_option("TRACE", trace_, "what linn record wrote")->type_name("FILE");
    arguments.add_option("--top", view_.top, "types in the table (default 10)")
        ->type_name("N")
        ->check(whole_number(1, 1'000'000));
    arguments
        .add_option("--type", view_.only_type,
                    "details of the types that have this in their name; with --try these alone are tried")
        ->type_name("NAME");
    arguments.add_flag("--all-leaks", options_.shows_runtime_leaks,
                       "also list what the C and C++ runtime keeps on purpose, by rule");
    arguments.add_flag("--no-replay", no_replay_,
                       "estimate the gains from counts instead of replaying the trace");
    arguments
        .add_option("--replay-budget", replay_seconds_,
                    "seconds that the replays may take together (default 20)")
        ->type_name("SECONDS")
        ->check(whole_number(1, 86'400));
    source_.add();
    arguments
        .add_option("--fail-over", fail_over_percent_,
                    "exit with 1 if pools or another change would save at least this share of the run")
        ->type_name("PERCENT")
        ->check(number(0, 100));
    arguments.add_flag("--try", is_tried_,
                       "also measure what pools gain on the program after --, as linn try does");
    const std::size_t own = arguments.get_options().size();
    arguments.option_defaults()->group("With --try");
    measuring_.add();
    for (const CLI::Option* option : arguments.get_options()) {
        options_of_try_.push_back(option->get_name());
    }
    options_of_try_.erase(options_of_try_.begin(),
                          options_of_try_.begin() + static_cast<std::ptrdiff_t>(own));
}

/// The program of --try, and nothing else behind the options.
std::string advise_command::check() {
    if (trace_ == separator_word) {
        return "missing TRACE: linn record -- PROG writes it; then linn advise TRACE --try -- PROG ARGS...";
    }
    words_ = verb().remaining();
    const bool has_program = !words_.empty() && words_.front() == separator_word;
    if (!words_.empty() && !has_program) {
        const std::string word = words_.front();
        const std::string problem = take_program_words(verb(), words_);
        return problem.empty() ? fmt::format("unexpected '{}': give one TRACE", word) : problem;
    }
    if (trace_.empty()) {
        return "missing TRACE";
    }
    if (is_tried_) {
        return check_try();
    }
    if (has_program) {
        return "a program after -- needs --try";
    }
    for (const std::string& option : options_of_try_) {
        if (verb().count(option) != 0) {
            return fmt::format("{} needs --try", option);
        }
    }
    return {};
}

std::string advise_command::check_try() {
    if (!words_.empty()) {
        words_.erase(words_.begin());
    }
    if (words_.empty()) {
        return "--try needs a program: linn advise TRACE --try -- PROG ARGS...";
    }
    trial_options_.only = rivals_of_pools();
    if (std::string problem = measuring_.check(); !problem.empty()) {
        return problem;
    }
    const served_program program = find_served_program(words_.front(), false);
    return program.is_usage_error ? program.problem : std::string{};
}

html::frames_of_stack advise_command::frames_of_stacks() {
    return [this](std::uint32_t stack) {
        std::vector<symbol_frame> frames;
        const trace_info& info = result_.analysis.info;
        if (stack >= info.stacks.size()) {
            return frames;
        }
        for (const code_address& at : info.stacks[stack]) {
            code_site site{{}, {}, at.address == 0 ? 0 : at.address - 1};
            if (at.module < info.modules.size()) {
                site.module = info.modules[at.module].path;
                site.build_id = info.modules[at.module].build_id;
            }
            const std::vector<symbol_frame>& here = symbols_->frames(site);
            frames.insert(frames.end(), here.begin(), here.end());
        }
        return frames;
    };
}

void advise_command::try_types(advice& a, progress_line& line) {
    const interrupt_guard guard;
    const bool is_watched = ::isatty(STDERR_FILENO) != 0;
    candidate_options wanted;
    if (!view_.only_type.empty()) {
        wanted.types = {view_.only_type};
    }
    try_candidates candidates = find_candidates(a, wanted);
    if (candidates.list.empty() && candidates.left_out.empty() && !wanted.types.empty()) {
        trial_.problem = no_such_type(wanted.types);
        trial_.is_usage_error = true;
        take_trial(a, trial_, view_.only_type);
        return;
    }
    trial_ = try_pools(
        trial_options_, std::move(candidates), words_, guard, [&](const work_progress& p) { line.show(p); },
        [&](const std::string& text) {
            line.clear();
            if (is_watched) {
                fmt::print(stderr, "{}\n", text);
            }
        });
    line.clear();
    take_trial(a, trial_, view_.only_type);
}

advice advise_command::ask() {
    progress_line line;
    refuse_corrupt(trace_);
    // A trial needs every size of every place.
    trace_reader reader{trace_, is_tried_ ? sample_policy::refuse : sample_policy::accept};
    if (is_tried_) {
        if (const std::string why = why_other_program(
                trace_, reader.info(), find_served_program(words_.front(), false).file, words_);
            !why.empty()) {
            throw unusable_trace{why};
        }
    }
    trace_analysis analysis = analyse_trace(reader, [&](double share) {
        show(line, "reading", share);
        return true;
    });

    symbols_ = &source_.open();

    options_.trace = trace_;
    // Statistics cannot be replayed, nor can a sample.
    options_.use_replay = !no_replay_ && reader.aggregate().empty() && analysis.info.sample_bytes == 0;
    // More time is for more rounds, which narrow the ranges.
    options_.replay_rounds =
        options_.replay_rounds * std::max(replay_seconds_, usual_replay_s) / usual_replay_s;
    options_.replay_budget = std::chrono::seconds{replay_seconds_};
    if (const double fault = measure_page_fault_ns(); fault > 0) {
        options_.prices.page_fault_ns = fault;
    }
    advise_parts parts;
    parts.names = source_.names();
    parts.sources = read_sources();
    parts.progress = [&](const char* doing, double share) { show(line, doing, share); };
    parts.replay = [&](const replay_options& wanted) {
        try {
            const interrupt_guard guard;
            return replay_trace(wanted, guard, [&](const work_progress& p) { line.show(p); });
        } catch (const std::exception& error) {
            replay_result failed;
            failed.problem = error.what();
            return failed;
        }
    };
    if (is_tried_) {
        parts.measure = [&](advice& a) {
            if (a.interrupted_by == 0) {
                try_types(a, line);
            }
        };
    }
    if (analysis.info.contents == "fills") {
        fills_ = report_fills(analysis, parts.names, parts.sources);
    }
    return advise(std::move(analysis), options_, parts);
}

bool advise_command::fails() const {
    return fail_over_percent_ >= 0 && saves_at_least(result_, fail_over_percent_ / 100);
}

int advise_command::status() const {
    if (result_.interrupted_by != 0) {
        return 128 + result_.interrupted_by;
    }
    if (!trial_.problem.empty()) {
        return trial_.status ? *trial_.status : trial_.is_usage_error ? exit_usage : exit_failure;
    }
    return fails() ? exit_failure : exit_success;
}

int advise_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        return refuse_arguments(problem);
    }
    if (const std::string problem = files_.check(); !problem.empty()) {
        return refuse(problem, exit_usage);
    }
    try {
        result_ = ask();
    } catch (const unusable_trace& error) {
        return refuse(error.what(), exit_code_for(error));
    }
    const std::string problem = files_.deliver([this] {
        return fills_ ? report::fills_document(*fills_, view_.top) : report::advise_document(result_, view_);
    });
    if (!problem.empty()) {
        return refuse(problem);
    }
    if (!trial_.problem.empty()) {
        refuse(trial_.problem);
    }
    return status();
}

} // namespace linn::tool
