// SPDX-License-Identifier: Apache-2.0
#include "../lint/lint.hpp"
#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace linn::tool {
namespace {

constexpr const char* lint_footer =
    "Runs clang-tidy with Linn's checks over the C++ files of a compile database. FILES are sources,\n"
    "folders, globs, or headers: a header stands for the files that include it.\n"
    "To silence a place whose zeros are wanted, write // NOLINT(linn-zero-fill) in the source, or the\n"
    "other check's name.\n"
    "Places are removable (nothing reads the zeros), maybe relied upon, or cold (small, and run once).\n"
    "Only the first are in the first sentence and in the exit status.\n"
    "\nExit status:\n"
    "  0  all files were checked, and no removable place of --error-from bytes or more is left\n"
    "  1  such places are left, or a file could not be checked (--no-fail: only the latter)\n"
    "  2  nothing could be checked: no compile database, no clang-tidy that fits, wrong arguments\n"
    "\nExamples:\n"
    "  linn lint                              all files, as build/compile_commands.json says\n"
    "  linn lint -p build/release src/cache   only that folder\n"
    "  linn lint --min-bytes 1024 --fix       change what is safe to change\n"
    "  linn lint --checks overwritten --html lint.html\n"
    "  linn lint $(git diff --name-only --diff-filter=d main)\n";

} // namespace

class lint_command final : public command {
public:
    explicit lint_command(CLI::App& program)
        : command{program, "lint", "Find where value-initialisation writes zeros for nothing", lint_footer},
          files_{app(), [this] { return report::lint_document(result_, top_); }} {
        options_.jobs = std::max(1U, static_cast<unsigned>(usable_cpus().size()));
        CLI::App& arguments = app();
        add_value(arguments, "FILES", options_.files, "FILES", "what to check (default: all)");
        add_value(arguments, "-p,--build", options_.build, "DIR",
                  "folder of compile_commands.json, or the file (default: looked for)");
        add_value(arguments, "--min-bytes", options_.checks.min_bytes, "N",
                  "report places of this many bytes and more (default 64)",
                  whole_number(1, std::uint64_t{1} << 32));
        add_names(arguments, "--checks", checks_,
                  "fill: zeros of new objects; overwritten: of vectors, strings and arrays (default both)")
            ->check(one_of({"fill", "overwritten"}));
        add_value(arguments, "--header-filter", header_filter_, "REGEX",
                  "report headers whose path matches (default: all of the project's folder)");
        add_value(arguments, "--exclude", exclude_, "REGEX",
                  "skip paths that match (default: the build folder, third_party and the like)");
        add_value(arguments, "-j,--jobs", options_.jobs, "N", "files at a time (default: the processors)",
                  whole_number(1, 4096));
        arguments.add_flag("--fix", fix_, "make the safe changes, after all files were checked");
        arguments.add_flag("--fix-notes", fix_notes_,
                           "also where callers may rely on the zeros; implies --fix");
        add_value(arguments, "--error-from", error_from_, "N",
                  "exit with 1 only for places of this many bytes and more",
                  whole_number(0, std::uint64_t{1} << 32));
        arguments.add_flag("--no-fail", no_fail_, "exit with 0 also where something is found");
        add_value(arguments, "--top", top_, "N", "places in the table (default 20; 0: all)",
                  whole_number(0, std::uint64_t{1} << 32));
        add_value(arguments, "--clang-tidy", options_.tidy.clang_tidy, "PATH",
                  "the one to use (default: the newest that fits a plugin)");
        add_value(arguments, "--plugin", options_.tidy.plugin, "PATH",
                  "Linn's checks (default: linn-tidy-N.so next to linn)");
    }

    /// 0: nothing was found; 1: something was, or a file could not be checked; 2: nothing could be checked.
    int run() override {
        check();
        const interrupt_guard guard;
        {
            progress_line line;
            result_ = lint(options_, guard, [&](const work_progress& p) { line.show(p); });
        }
        if ((fix_ || fix_notes_) && result_.signal == 0) {
            apply();
        }
        try {
            files_.deliver();
        } catch (const std::runtime_error& unwritten) {
            return refuse(unwritten.what(), exit_usage);
        }
        return exit_status();
    }

private:
    void check() {
        const auto is_asked = [&](const char* name) { return checks_.empty() || contains(checks_, name); };
        options_.checks.fill = is_asked("fill");
        options_.checks.overwritten = is_asked("overwritten");
        for (const auto& [name, text, into] :
             {std::tuple{"--header-filter", &header_filter_, &options_.scope.header_filter},
              std::tuple{"--exclude", &exclude_, &options_.scope.exclude}}) {
            if (app().count(name) == 0) {
                continue;
            }
            try {
                const std::regex trial{*text};
            } catch (const std::regex_error& error) {
                throw wrong_arguments{
                    fmt::format("{}: '{}' is not a regular expression: {}", name, *text, error.what())};
            }
            *into = *text;
        }
    }

    void apply() {
        const auto texts = apply_fixes(result_.findings, result_.texts, fix_notes_, result_.read_at);
        for (const auto& [file, text] : texts) {
            if (const std::string problem = write_atomically(file, text); !problem.empty()) {
                refuse_fixes_of(result_.findings, file, problem);
            }
        }
    }

    int exit_status() const {
        if (result_.signal != 0) {
            return 128 + result_.signal;
        }
        if (!result_.failed.empty()) {
            return exit_failure;
        }
        return result_.left(error_from_) != 0 && !no_fail_ ? exit_failure : exit_success;
    }

    report_files files_;
    lint_result result_;
    lint_options options_;
    std::vector<std::string> checks_;
    std::string header_filter_;
    std::string exclude_;
    std::uint64_t error_from_ = 0;
    std::size_t top_ = 20;
    bool fix_ = false;
    bool fix_notes_ = false;
    bool no_fail_ = false;
};

std::unique_ptr<command> make_lint(CLI::App& program) {
    return std::make_unique<lint_command>(program);
}

} // namespace linn::tool
