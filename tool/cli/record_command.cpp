// SPDX-License-Identifier: Apache-2.0
#include "../advise/fills.hpp"
#include "../analysis/accumulator.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../record/recorder.hpp"
#include "../report/commands/trace_report.hpp"
#include "../report/render/render.hpp"
#include "../trace/sampling.hpp"
#include "command.hpp"
#include "live_tables.hpp"
#include "option_checks.hpp"
#include "report_files.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linn::tool {

/// The command `record`: runs a program and writes what it allocates to a trace.
class record_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit record_command(CLI::App& program);

    /// What the program returned, or 128 and the signal's number; 1 and 2 also where the recording failed.
    int run() override;

private:
    std::string check();
    std::string check_program();
    std::string check_process();
    void tell(const record_result& result) const;
    std::string tell_fills();
    std::string read_fills();

    record_options options_;
    std::vector<std::string> words_;
    std::string file_;
    bool is_live_ = false;
    bool is_quiet_ = false;
    bool is_not_followed_ = false;
    bool has_baseline_ = false;
    bool has_no_baseline_ = false;
    fill_report fills_;
    trace_info fills_info_;
    report_files files_;
};

namespace {

using figures::counted;
using figures::unit;
using figures::written;

constexpr std::size_t rows_of_fills = 15;

constexpr const char* record_footer =
    "Everything from PROG on belongs to the program, and so do the terminal and the standard streams.\n"
    "linn record writes its own messages to standard error, when the program has ended.\n"
    "\n"
    "Exit status: the program's; 128 + n if signal n ended it, or --wait; 1 if the program succeeded\n"
    "and the recording failed, or if it cannot be recorded; 2 if there is no such program or option.\n"
    "\n"
    "Examples:\n"
    "  linn record -- ./simulate 1000          writes simulate.linn\n"
    "  linn advise simulate.linn               what it says\n"
    "  linn record -o run.linn -- ./simulate 1000\n"
    "  linn record --live -- ./server          what it holds by type, each second\n"
    "  linn record --fills -- ./simulate 1000  zeros written into new blocks, by type and place\n"
    "  linn record --sample 524288 -- ./server a sample, cheap enough for production\n"
    "  linn record --pid 1234 --duration 60    a program that runs already, for a minute\n"
    "  linn record --only-exe cc1plus -o cc1plus.linn -- g++ -c big.cpp\n"
    "  linn record --depth 8 -- ./server --port 7777\n";

} // namespace

record_command::record_command(CLI::App& program)
    : command{*program.add_subcommand("record", "Record what a program allocates, for advise and trace")},
      files_{app(), {{"--json", "with --fills: write what the table says as JSON", [this] {
                          return report::fills_json(fills_, fills_info_, options_.file.string());
                      }}}} {
    CLI::App& arguments = app();
    arguments.footer(record_footer);
    arguments.prefix_command();
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_value(arguments, "-o,--output", file_, "FILE",
              "the trace to write (default: PROG.linn in this directory)", named_file());
    add_value(arguments, "--depth", options_.depth, "COUNT",
              "innermost calls that a stack keeps (default 16)", whole_number(1, most_recorded_depth));
    arguments.add_flag("--fills", options_.fills_only,
                       "record only blocks that are filled with zeros right away, such as the memset of "
                       "make_shared<T>()");
    add_value(arguments, "--min-fill", options_.smallest_fill, "BYTES",
              "smallest fill that counts, in bytes (default 1024)", whole_number(16, std::uint64_t{1} << 40));
    add_value(arguments, "--sample", options_.sample_bytes, "BYTES",
              "record a sample, about one block in BYTES allocated: advise and trace then give estimates "
              "with intervals (524288 suits production)",
              whole_number(1, sampling::most_mean));
    arguments.add_flag(
        "--live", is_live_,
        "each second, show what the program holds by type; without a terminal, a line on standard error");
    add_value(arguments, "--only-exe", options_.only_executable, "NAME",
              "record only programs of this name among those that PROG starts");
    arguments.add_flag("--no-follow", is_not_followed_, "record only PROG, not the processes that it starts");
    arguments.add_flag("--wait", options_.waits_for_all,
                       "record until everything that PROG started has ended too");
    CLI::Option* const baseline = arguments.add_flag(
        "--baseline", has_baseline_,
        "always run PROG again without recording, its output thrown away, to measure its CPU time "
        "(default: only if it reads no pipe, writes no files, does not wait and takes at most a minute)");
    arguments.add_flag("--no-baseline", has_no_baseline_, "run PROG only once")->excludes(baseline);
    arguments.add_flag("-q,--quiet", is_quiet_, "print errors only");
    add_value(arguments, "--pid,-p,--attach", options_.attach_to, "PID",
              "record a program that runs already, instead of PROG, until Ctrl-C; it runs on then",
              whole_number(1, std::uint64_t{1} << 30));
    add_value(arguments, "--duration", options_.duration_s, "SECONDS",
              "with --pid: end the recording after so many seconds", number(0.001, 1e9));
}

std::string record_command::check_program() {
    if (app().count("--duration") != 0) {
        return "--duration needs --pid: a program that linn starts is recorded until it ends";
    }
    if (std::string problem = take_program_words(app(), words_); !problem.empty()) {
        return problem;
    }
    options_.command = words_;
    options_.file =
        file_.empty() ? std::filesystem::path{words_.front()}.filename().string() + ".linn" : file_;
    return {};
}

std::string record_command::check_process() {
    if (!app().remaining().empty()) {
        return "--pid records a program that runs already: leave out PROG and its arguments";
    }
    for (const char* const option : {"--only-exe", "--wait", "--baseline", "--no-baseline"}) {
        if (app().count(option) != 0) {
            return fmt::format("{} and --pid cannot be combined: it is about a program that linn starts",
                               option);
        }
    }
    options_.file = file_; // without one, by the program's name, which is not known yet
    return {};
}

std::string record_command::check() {
    if (std::string problem = options_.attach_to != 0 ? check_process() : check_program(); !problem.empty()) {
        return problem;
    }
    options_.follows = !is_not_followed_;
    options_.baseline = has_baseline_                                    ? second_run_when::always
                        : has_no_baseline_ || options_.sample_bytes != 0 ? second_run_when::never
                                                                         : second_run_when::harmless;
    if (options_.fills_only && options_.sample_bytes != 0) {
        return "--fills and --sample cannot be combined: a sample has no fills";
    }
    if (options_.fills_only && is_live_) {
        return "--fills and --live cannot be combined: --fills records no releases, so nothing is known to "
               "live";
    }
    if (app().count("--json") != 0 && !options_.fills_only) {
        return "--json needs --fills; otherwise: linn advise TRACE --json FILE";
    }
    if (files_.takes_stdout()) {
        return "--json must be the name of a file: standard output is the program's";
    }
    if (std::string problem = files_.check(); !problem.empty()) {
        return problem;
    }
    if (options_.only_executable.find('/') != std::string::npos) {
        return "--only-exe must be the name of a program without its directory";
    }
    return {};
}

std::string record_command::read_fills() {
    try {
        trace_reader reader{options_.file};
        const trace_analysis analysis = analyse_trace(reader, {});
        symbolizer symbols;
        type_namer namer{symbols};
        naming names;
        names.name = [&](const allocation_site& site) { return namer.name(site); };
        fills_ = report_fills(analysis, names, read_sources());
        fills_info_ = analysis.info;
        return {};
    } catch (const unusable_trace& error) {
        return error.what();
    }
}

std::string record_command::tell_fills() {
    if (std::string problem = read_fills(); !problem.empty()) {
        return problem;
    }
    if (fills_info_.processes.empty()) {
        return {}; // the recorder was not there, and a warning says so
    }
    if (!is_quiet_) {
        fmt::print(stderr, "{}",
                   report::render_terminal(report::fills_document(fills_, rows_of_fills), style_of_stderr()));
        fmt::print(stderr, "\nlinn record: {}: {}; again, and as JSON: linn advise {}\n",
                   options_.file.string(), written(unit::bytes, static_cast<double>(fills_info_.file_bytes)),
                   shell_file(options_.file.string()));
    }
    return files_.write();
}

void record_command::tell(const record_result& result) const {
    const recording_end& end = result.end;
    for (const std::string& warning : result.warnings) {
        warn(warning);
    }
    if (is_quiet_ || !result.was_started || end.events == 0 || options_.fills_only) {
        return;
    }
    const std::string file = options_.file.string();
    say(fmt::format("{} of {}{}, {}: {}", counted(end.events, "event"), counted(result.threads, "thread"),
                    result.processes > 1 ? " in " + counted(result.processes, "process") : "", file,
                    written(unit::bytes, static_cast<double>(result.file_bytes))));
    if (result.baseline.cpu_ns > 0) {
        say(fmt::format("{} of CPU time with the recording, {} without",
                        written(unit::nanoseconds, end.user_ns + end.system_ns),
                        written(unit::nanoseconds, result.baseline.cpu_ns)));
    } else if (!result.no_baseline.empty()) {
        say(fmt::format("not run again for its own CPU time, because {}; the trace has an estimate "
                        "({} an event){}",
                        result.no_baseline, written(unit::nanoseconds, result.event_cost_ns),
                        options_.baseline == second_run_when::harmless ? ", --baseline measures it" : ""));
    }
    if (result.problem.empty()) {
        say(fmt::format("next: linn advise {}", shell_file(file)));
    }
}

int record_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        return refuse_arguments(problem);
    }
    const announce_function announce = [this](const std::string& what) {
        if (!is_quiet_) {
            say(what);
        }
    };
    std::optional<live_tables> view;
    if (is_live_) {
        view.emplace();
    }
    record_result result = options_.attach_to != 0
                               ? record_running_program(options_, announce, view ? &*view : nullptr)
                               : record_program(options_, announce, view ? &*view : nullptr);
    if (!result.problem.empty()) {
        refuse(result.problem);
    }
    tell(result);
    if (options_.fills_only && result.was_started) {
        if (std::string problem = tell_fills(); !problem.empty()) {
            refuse(problem);
            result.problem = std::move(problem);
        }
    }
    if (!result.was_started) {
        return result.is_usage_error ? exit_usage : exit_failure;
    }
    if (result.exit_status == 0 && !result.problem.empty()) {
        return exit_failure;
    }
    return result.exit_status;
}

std::unique_ptr<command> make_record(CLI::App& program) {
    return std::make_unique<record_command>(program);
}

} // namespace linn::tool
