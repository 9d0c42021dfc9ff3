// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../analysis/accumulator.hpp"
#include "../measure/files.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../profile/trace_profile.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../report/trace_export/trace_export.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/info.hpp"
#include "../trace/trace_file.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <cstring>
#include <iosfwd>
#include <iostream>

namespace linn::tool {
namespace {

constexpr const char* trace_footer =
    "Exit status:\n"
    "  0  done\n"
    "  1  the trace is damaged, its intact part was used; or a result cannot be written\n"
    "  2  the file is not a trace, or the arguments are wrong\n"
    "\n"
    "Examples:\n"
    "  linn trace simulate.linn\n"
    "  linn trace simulate.linn --peak\n"
    "  linn trace simulate.linn --temporary --top 20\n"
    "  linn trace simulate.linn --html trace.html\n"
    "  linn trace simulate.linn --convert collapsed --peak | flamegraph.pl > peak.svg\n"
    "  linn trace simulate.linn --convert pprof -o simulate.pb.gz\n";

} // namespace

class trace_command final : public command {
public:
    explicit trace_command(CLI::App& program)
        : command{program, "trace", "Show and convert what linn record wrote", trace_footer},
          files_{app(), [this] { return document(); }} {
        CLI::App& arguments = app();
        add_value(arguments, "FILE", path_, "FILE", "the trace")->required();
        CLI::Option* const convert = add_choice<export_format>(
            arguments, "--convert", format_, "FORM",
            fmt::format("write it in another form: {}", fmt::join(export_format_names(), ", ")),
            export_format_names());
        for (const report::output_format& other : report::output_formats) {
            convert->excludes(app().get_option(other.option));
        }
        add_value(arguments, "-o,--output", output_, "FILE",
                  "with --convert: the file to write (default: -, standard output)", writable_file(or_stdout))
            ->needs(convert);
        add_choice<export_weight>(
            arguments, "--weight", weight_, "WHAT",
            "with --convert collapsed: the weight of a stack, bytes (default), allocations, or time, "
            "nanoseconds of CPU time in the allocator",
            {"bytes", "allocations", "time"})
            ->needs(convert);
        add_filters();
    }

    /// 0; 1: damaged, or something could not be written; 2: no trace, or wrong arguments.
    int run() override {
        check();
        trace_reader trace{path_, may_be_sample};
        if (filter_ == block_filter::temporary && trace.info().sample_bytes != 0) {
            return refuse(
                fmt::format("{} is a sample, which does not tell what a thread did next: record the "
                            "program again without --sample",
                            path_),
                exit_usage);
        }
        const int status = format_ ? convert(trace) : summarise(trace);
        // The intact part was shown; the exit status says that it is not everything.
        const std::string corrupt = trace_file{path_}.why_corrupt();
        if (!corrupt.empty()) {
            refuse(corrupt);
        }
        return status == exit_success && !corrupt.empty() ? exit_failure : status;
    }

private:
    void add_filters() {
        const auto add = [this](const char* option, block_filter filter, const char* help) {
            return app().add_flag_callback(option, [this, filter] { filter_ = filter; }, help);
        };
        CLI::Option* const peak =
            add("--peak", block_filter::peak,
                "what was live when the program held the most bytes, by type, place and stack");
        CLI::Option* const temporary =
            add("--temporary", block_filter::temporary,
                "the allocations that the very next call of their thread released");
        CLI::Option* const leaks = add("--leaks", block_filter::leaks, "the blocks that were never released");
        peak->excludes(temporary)->excludes(leaks);
        temporary->excludes(leaks);
        app()
            .add_flag("--all-leaks", keeps_runtime_,
                      "with --leaks: also what the C and C++ runtime keeps on purpose")
            ->needs(leaks);
        add_value(app(), "--top", top_, "N", "rows of a table (default 10)", whole_number(1, 1'000'000));
        add_symbol_options(app(), where_.debug_folders, where_.use_debuginfod);
    }

    void check() const {
        if (app().count("--weight") != 0 && format_ != export_format::collapsed) {
            throw wrong_arguments{"--weight is for --convert collapsed: the other forms hold all weights, so "
                                  "leave it out"};
        }
        if (is_filtered() && format_ == export_format::csv) {
            throw wrong_arguments{
                fmt::format("--convert csv holds every event: leave out --{}, or convert to "
                            "collapsed, pprof or csv-stacks",
                            to_string(filter_))};
        }
        if (is_filtered() && weight_ == export_weight::time) {
            throw wrong_arguments{
                fmt::format("--weight time is that of all blocks: leave out --{}", to_string(filter_))};
        }
        if (format_ == export_format::pprof && output_ == "-" && ::isatty(STDOUT_FILENO) != 0) {
            throw wrong_arguments{"--convert pprof is not for a terminal: give -o FILE"};
        }
    }

    bool is_filtered() const noexcept { return filter_ != block_filter::all; }

    /// Reads everything: counts, what there is to know of the file, and where names are wanted what was allocated.
    void read_all(trace_reader& trace, bool wants_names) {
        std::optional<accumulator> counted;
        if (wants_names) {
            counted.emplace(trace.info().sample_bytes);
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
        if (counted) {
            symbols_.emplace(where_);
            profile_ = name_profile(path_, counted->finish(trace.info()), naming_by(*symbols_));
            view_ = look_at(*profile_, filter_, keeps_runtime_);
        }
    }

    report::document document() const {
        return is_filtered()
                   ? report::trace_view_document(*profile_, view_, top_)
                   : report::trace_document(path_, info_, counts_, profile_ ? &*profile_ : nullptr, view_);
    }

    int summarise(trace_reader& trace) {
        read_all(trace, is_filtered() || !files_.page().empty());
        files_.deliver();
        return exit_success;
    }

    int convert(trace_reader& trace) {
        const bool has_stacks = format_ != export_format::csv;
        if (has_stacks) {
            read_all(trace, true);
        }
        if (weight_ == export_weight::time && !profile_->analysis.time.is_known()) {
            return refuse(
                fmt::format("the time in the allocator is not known of {}: linn advise says why", path_));
        }
        progress_line line;
        const auto write = [&](std::ostream& out) {
            if (has_stacks) {
                export_stacks(*profile_, names_by(trace.info(), *symbols_),
                              {*format_, weight_, filter_, keeps_runtime_}, out);
                return;
            }
            write_event_heading(trace.info(), out);
            trace.read([&](std::span<const event> events) { write_events(trace.info(), events, out); },
                       show_reading(line));
        };
        std::string unwritten;
        if (output_ == "-") {
            std::ios::sync_with_stdio(false);
            write(std::cout);
            if (!std::cout.flush()) {
                unwritten = fmt::format("cannot write to standard output: {}", std::strerror(errno));
            }
        } else {
            unwritten = write_atomically(output_, write);
        }
        line.clear();
        if (!unwritten.empty()) {
            return refuse(unwritten);
        }
        for (const std::string& missing : trace.info().missing) {
            warn(fmt::format("{}: {}", path_, missing));
        }
        for (const std::string& missing : view_.missing_symbols) {
            warn(missing);
        }
        return exit_success;
    }

    report_files files_;
    symbol_options where_;
    std::optional<symbolizer> symbols_; ///< where names are wanted
    std::string path_;
    std::string output_ = "-";
    std::optional<export_format> format_;
    export_weight weight_ = export_weight::bytes;
    bool keeps_runtime_ = false;
    block_filter filter_ = block_filter::all;
    std::size_t top_ = 10;
    trace_info info_;
    trace_counts counts_;
    std::optional<trace_profile> profile_; ///< where names are wanted
    trace_view view_;
};

std::unique_ptr<command> make_trace(CLI::App& program) {
    return std::make_unique<trace_command>(program);
}

} // namespace linn::tool
