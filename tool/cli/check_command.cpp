// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../check/check.hpp"
#include "../measure/files.hpp"
#include "../record/recorder.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../symbols/symbolizer.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace linn::tool {
namespace {

constexpr const char* check_footer =
    "BUDGETS is a TOML file, for example:\n"
    "  linn_budgets = 1             # the version of the format\n"
    "  [[budget]]\n"
    "  function = \"engine::match\"   # on the stack; also: type, file, program; * for any letters\n"
    "  allocations = 0              # also: bytes, temporary, live_blocks, live_bytes, peak_bytes\n"
    "docs/reference/budgets.md has all of it.\n"
    "\n"
    "With PROG, which keeps the terminal and the standard streams, the report goes to standard error.\n"
    "\n"
    "Exit status:\n"
    "  0  every budget is kept\n"
    "  1  one is broken, or the recording is not whole; or a result cannot be written\n"
    "  2  the budgets or the trace cannot be used, or the arguments are wrong\n"
    "If PROG fails: its own status.\n"
    "\n"
    "Examples:\n"
    "  linn check budgets.toml engine.linn\n"
    "  linn check budgets.toml -- build/engine_test\n"
    "  linn check budgets.toml -o engine.linn --json check.json -- build/engine_test\n";

constexpr const char* program_group = "With PROG";

} // namespace

class check_command final : public command {
public:
    explicit check_command(CLI::App& program)
        : command{program, "check", "Check what a program allocates against budgets", check_footer},
          files_{app(), [this] { return report::check_document(result_); }} {
        recording_.depth = most_recorded_depth; // budgets may name a function far out
        recording_.baseline = second_run_when::never;
        CLI::App& arguments = app();
        arguments.prefix_command();
        add_value(arguments, "BUDGETS", budget_file_, "FILE", "the budgets");
        add_value(arguments, "TRACE", trace_, "FILE",
                  "what linn record wrote; or -- PROG ARGS to record first");
        add_symbol_options(app(), where_.debug_folders, where_.use_debuginfod);
        arguments.option_defaults()->group(program_group);
        add_value(arguments, "-o,--output", output_, "FILE", "keep the recording in this file",
                  writable_file());
        add_value(arguments, "--depth", recording_.depth, "COUNT",
                  fmt::format("innermost calls that a stack keeps (default {})", most_recorded_depth),
                  whole_number(1, most_recorded_depth));
        arguments.add_flag("--no-follow{false}", recording_.follows,
                           "record only PROG, not the processes that it starts");
        arguments.add_flag("-q,--quiet", is_quiet_, "print nothing if every budget is kept");
    }

    /// 0: all are kept; 1: one is broken, or the recording is not whole; 2: the files or arguments are wrong. A program that was
    /// recorded and failed: its own status.
    int run() override {
        check();
        budgets_ = read_budget_file(budget_file_);
        return words_.empty() ? check_trace(trace_) : check_program();
    }

private:
    void check() {
        const bool has_program = trace_ == separator_word || !app().remaining().empty();
        const bool has_budgets = !budget_file_.empty() && budget_file_ != separator_word;
        if (!has_budgets || (!has_program && trace_.empty())) {
            throw wrong_arguments{
                fmt::format("missing {}: linn check BUDGETS TRACE, or linn check BUDGETS -- PROG ARGS...",
                            has_budgets ? "TRACE" : "BUDGETS")};
        }
        if (has_program && trace_ != separator_word && !trace_.empty()) {
            throw wrong_arguments{"give a TRACE or -- PROG, not both"};
        }
        if (has_program) {
            recording_.command = words_ = program_words(app());
            if (files_.takes_stdout()) {
                throw wrong_arguments{"a report needs the name of a file: standard output is the program's"};
            }
            return;
        }
        for (const CLI::Option* option : app().get_options()) {
            if (option->get_group() == program_group && option->count() != 0) {
                throw wrong_arguments{option->get_name() + " needs -- PROG"};
            }
        }
    }

    int check_program() {
        std::optional<temporary_folder> folder;
        recording_.file = output_;
        if (output_.empty()) {
            std::error_code error; // of a TMPDIR that is no folder
            folder.emplace(std::filesystem::temp_directory_path(error), "linn-check-");
            recording_.file = folder->path() / "recording.linn";
        }
        const record_result recorded = record_program(recording_);
        for (const std::string& warning : recorded.warnings) {
            warn(warning);
        }
        if (!recorded.was_started) {
            return refuse(recorded.problem, recorded.is_usage_error ? exit_usage : exit_failure);
        }
        if (!recorded.problem.empty()) {
            refuse(recorded.problem, exit_failure);
        }
        const int status = check_trace(recording_.file.string());
        return recorded.exit_status != 0              ? recorded.exit_status
               : !recorded.problem.empty() && !status ? static_cast<int>(exit_failure)
                                                      : status;
    }

    int check_trace(const std::string& trace) {
        try {
            progress_line line;
            symbolizer symbols{where_};
            const trace_profile profile = profile_trace(trace, naming_by(symbols), show_reading(line));
            result_ = check_budgets(budgets_, profile);
        } catch (const unusable_input& error) {
            return refuse(error.what(), exit_usage);
        }
        result_.budget_file = budget_file_;
        if (!words_.empty() && output_.empty()) {
            result_.trace.clear(); // it is not kept
        }
        if (!result_.problem.empty()) {
            return refuse(fmt::format("{}: {}", budget_file_, result_.problem), exit_usage);
        }
        try {
            files_.deliver(words_.empty() ? stdout : is_quiet_ && result_.is_kept() ? nullptr : stderr);
        } catch (const std::runtime_error& unwritten) {
            return refuse(unwritten.what()); // of a program that failed its own status counts
        }
        return result_.is_kept() ? exit_success : exit_failure;
    }

    std::string budget_file_;
    std::string trace_;
    std::string output_;
    bool is_quiet_ = false;
    std::vector<budget> budgets_;
    std::vector<std::string> words_; ///< the program and what belongs to it; empty: a trace was given
    record_options recording_;
    symbol_options where_;
    check_result result_;
    report_files files_;
};

std::unique_ptr<command> make_check(CLI::App& program) {
    return std::make_unique<check_command>(program);
}

} // namespace linn::tool
