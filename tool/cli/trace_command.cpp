// SPDX-License-Identifier: Apache-2.0
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/trace_report.hpp"
#include "../report/progress.hpp"
#include "../report/trace_export/trace_export.hpp"
#include "../trace/counts.hpp"
#include "../trace/reader.hpp"
#include "../trace/trace_file.hpp"
#include "command.hpp"
#include "given_trace.hpp"
#include "option_checks.hpp"
#include "report_files.hpp"
#include "trace_viewing.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iosfwd>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace linn::tool {

/// The command `trace`: what a trace holds, whether it is whole, and the same in other forms.
class trace_command final : public command {
public:
    /// Adds the command to the program's arguments.
    explicit trace_command(CLI::App& program);

    /// 0; 1: damaged, with --check, or something could not be written; 2: no trace, or wrong arguments.
    int run() override;

private:
    std::string check();
    /// Reads everything: counts, what there is to know of the file, and where names are wanted what was allocated. Returns why
    /// the trace does not tell what is asked for; empty: it does.
    std::string read_all(trace_reader& trace, bool wants_names);
    std::string json() const;
    report::document document() const;
    int summarise(trace_reader& trace);
    int check_file(trace_reader& trace);
    int convert(trace_reader& trace);

    report_files files_;
    trace_viewing viewing_;
    std::string path_;
    std::string format_;
    std::string output_ = "-";
    std::string weight_ = "bytes";
    std::optional<export_format> export_format_;
    bool checks_ = false;
    trace_info info_;
    trace_counts counts_;
};

namespace {

namespace fs = std::filesystem;

constexpr const char* trace_footer =
    "Exit status:\n"
    "  0  done\n"
    "  1  the trace is damaged, its intact part was used; with --check, also cut off; or a result "
    "cannot\n"
    "     be written\n"
    "  2  the file is not a trace, or the arguments are wrong\n"
    "\n"
    "Examples:\n"
    "  linn trace simulate.linn\n"
    "  linn trace simulate.linn --peak\n"
    "  linn trace simulate.linn --temporary --top 20\n"
    "  linn trace simulate.linn --html trace.html\n"
    "  linn trace simulate.linn --check\n"
    "  linn trace simulate.linn --convert collapsed --peak | flamegraph.pl > peak.svg\n"
    "  linn trace simulate.linn --convert pprof -o simulate.pb.gz\n";

} // namespace

trace_command::trace_command(CLI::App& program)
    : command{*program.add_subcommand("trace", "Show, check and convert what linn record wrote")},
      files_{app(), report_source{[this] { return json(); }, [this] { return document(); }}},
      viewing_{app()} {
    CLI::App& arguments = app();
    arguments.footer(trace_footer);
    arguments.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_value(arguments, "FILE", path_, "FILE", "the trace")->required();
    CLI::Option* const checks =
        arguments.add_flag("--check", checks_, "read the whole trace, and exit with 1 if it is damaged");
    CLI::Option* const convert =
        add_value(arguments, "--convert", format_, "FORM",
                  fmt::format("write it in another form: {}", fmt::join(export_format_names(), ", ")));
    add_value(arguments, "-o,--output", output_, "FILE",
              "with --convert: the file to write (default: -, standard output)")
        ->needs(convert);
    add_value(arguments, "--weight", weight_, "WHAT",
              "with --convert collapsed: the weight of a stack, bytes (default), allocations, or "
              "time, nanoseconds of CPU time in the allocator",
              one_of({"bytes", "allocations", "time"}))
        ->needs(convert);
    checks->excludes(convert);
    viewing_.add();
    for (const char* const filter : {"--peak", "--temporary", "--leaks"}) {
        arguments.get_option(filter)->excludes(checks);
    }
}

std::string trace_command::check() {
    if (std::string problem = viewing_.check(); !problem.empty()) {
        return problem;
    }
    const bool wants_names =
        !format_.empty() || viewing_.filter() != block_filter::all || files_.writes("--html");
    if (viewing_.names_sources() && !wants_names) {
        return "--debug-dir and --debuginfod need --html, --peak, --temporary, --leaks or --convert";
    }
    if (app().count("--top") != 0 && viewing_.filter() == block_filter::all && !files_.writes("--html")) {
        return "--top needs --html, --peak, --temporary or --leaks";
    }
    if (!format_.empty()) {
        export_format_ = export_format_of(format_);
        if (!export_format_) {
            return "--convert: " + unknown_name("form", format_, export_format_names());
        }
        if (viewing_.filter() != block_filter::all && export_format_ == export_format::csv) {
            return fmt::format(
                "--convert csv holds every event: leave out --{}, or convert to collapsed, pprof or "
                "csv-stacks",
                to_string(viewing_.filter()));
        }
        if (weight_ == "time" && viewing_.filter() != block_filter::all) {
            return fmt::format("--weight time is that of all blocks: leave out --{}",
                               to_string(viewing_.filter()));
        }
        if (export_format_ == export_format::pprof && output_ == "-" && ::isatty(STDOUT_FILENO) != 0) {
            return fmt::format("--convert {} is not for a terminal: give -o FILE", format_);
        }
    }
    return files_.check();
}

std::string trace_command::read_all(trace_reader& trace, bool wants_names) {
    std::optional<accumulator> counted;
    if (wants_names) {
        counted.emplace(trace.info());
    }
    {
        progress_line line;
        const sample_weight weight{trace.info().sample_bytes};
        trace.read(
            [&](std::span<const event> events) {
                counts_.take(events, weight);
                if (counted) {
                    counted->take(events);
                }
            },
            show_reading(line));
    }
    info_ = trace.info();
    if (!counted) {
        return {};
    }
    trace_analysis analysis = counted->finish(trace.info());
    if (std::string problem = viewing_.why_not(analysis); !problem.empty()) {
        return problem;
    }
    viewing_.take(path_, std::move(analysis));
    return {};
}

std::string trace_command::json() const {
    return viewing_.filter() != block_filter::all ? viewing_.json()
                                                  : report::trace_json(path_, info_, counts_);
}

report::document trace_command::document() const {
    if (viewing_.filter() != block_filter::all) {
        return viewing_.document();
    }
    return report::trace_document(path_, info_, counts_, viewing_.allocated());
}

int trace_command::summarise(trace_reader& trace) {
    const bool is_filtered = viewing_.filter() != block_filter::all;
    const std::string why = read_all(trace, is_filtered || files_.writes("--html"));
    if (is_filtered && !why.empty()) {
        return refuse(fmt::format("{} {}", path_, why), info_.missing.empty() ? exit_usage : exit_failure);
    }
    const std::string problem = files_.deliver();
    return problem.empty() ? static_cast<int>(exit_success) : refuse(problem);
}

int trace_command::check_file(trace_reader& trace) {
    read_all(trace, files_.writes("--html"));
    if (const std::string problem = files_.write(); !problem.empty()) {
        return refuse(problem);
    }
    if (!files_.takes_stdout()) {
        fmt::print("{}: {}, {}\n", path_, info_.missing.empty() ? "whole" : "not whole",
                   figures::counted(counts_.events, "event"));
        for (const std::string& missing : info_.missing) {
            fmt::print("  {}\n", missing);
        }
    }
    return info_.missing.empty() ? exit_success : exit_failure;
}

int trace_command::convert(trace_reader& trace) {
    const bool has_stacks = export_format_ != export_format::csv;
    if (has_stacks) {
        if (const std::string why = read_all(trace, true); !why.empty()) {
            return refuse(fmt::format("{} {}", path_, why), exit_usage);
        }
    }
    if (weight_ == "time" && !viewing_.profile().analysis.time.is_known()) {
        return refuse(
            fmt::format("the time in the allocator is not known of {}: linn advise says why", path_));
    }
    progress_line line;
    const auto write = [&](std::ostream& out) {
        if (has_stacks) {
            export_stacks(viewing_.profile(), viewing_.symbols(),
                          {*export_format_,
                           weight_ == "bytes"  ? export_weight::bytes
                           : weight_ == "time" ? export_weight::time
                                               : export_weight::allocations,
                           viewing_.filter(), viewing_.keeps_runtime()},
                          out);
        } else {
            export_events(trace, show_reading(line), out);
        }
    };
    const auto failed = [&](const std::string& what) {
        line.clear();
        return refuse(fmt::format("{} cannot be written: {}", what, std::strerror(errno)));
    };
    if (output_ == "-") {
        std::ios::sync_with_stdio(false);
        write(std::cout);
        if (!std::cout.flush()) {
            return failed("standard output");
        }
    } else {
        // It appears whole or not at all; what is no regular file, such as a pipe, is written to as it is.
        std::error_code error;
        const bool is_special = fs::exists(output_, error) && !fs::is_regular_file(output_, error);
        const std::string file = is_special ? output_ : fmt::format("{}.{}.part", output_, ::getpid());
        std::ofstream out{file, std::ios::binary};
        if (!out) {
            return failed(output_);
        }
        write(out);
        out.close();
        if (!out || (!is_special && std::rename(file.c_str(), output_.c_str()) != 0)) {
            const int reason = errno;
            if (!is_special) {
                fs::remove(file, error);
            }
            errno = reason;
            return failed(output_);
        }
    }
    line.clear();
    for (const std::string& missing : trace.info().missing) {
        warn(fmt::format("{}: {}", path_, missing));
    }
    if (has_stacks) {
        for (const trace_module& module : trace.info().modules) {
            if (const std::string problem = viewing_.symbols().about(module.path, module.build_id).problem;
                !problem.empty()) {
                warn(problem);
            }
        }
    }
    return exit_success;
}

int trace_command::run() {
    if (const std::string problem = check(); !problem.empty()) {
        return refuse_arguments(problem);
    }
    std::optional<trace_reader> trace;
    try {
        trace.emplace(path_, may_be_sample);
    } catch (const unusable_trace& error) {
        return refuse(error.what(), exit_code_for(error));
    }
    const int status = checks_ ? check_file(*trace) : export_format_ ? convert(*trace) : summarise(*trace);
    // The intact part was shown; the exit status says that it is not everything.
    const std::string corrupt = why_corrupt(path_);
    if (!corrupt.empty()) {
        refuse(corrupt);
    }
    if (const std::string problem = why_not_printed(); !problem.empty()) {
        return refuse(problem);
    }
    return status == exit_success && !corrupt.empty() ? exit_failure : status;
}

std::unique_ptr<command> make_trace(CLI::App& program) {
    return std::make_unique<trace_command>(program);
}

} // namespace linn::tool
