// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../compare/compare_files.hpp"
#include "../compare/trace_comparison.hpp"
#include "../measure/files.hpp"
#include "../measure/suggest.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/trace_file.hpp"
#include "command.hpp"
#include "report_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <tuple>

namespace linn::tool {
namespace {

constexpr std::string_view type_prefix = "type=";

/// A number from 0 on that is all of the text.
std::optional<double> amount_in(std::string_view text) {
    const std::optional<double> value = number_in<double>(text);
    return value && *value >= 0 && *value <= 1e18 ? value : std::nullopt;
}

/// The value of --per.
work_unit unit_of(const std::string& text) {
    work_unit per;
    if (text == "run") {
        return per;
    }
    if (text == "allocations") {
        per.what = work_unit::kind::allocations;
        return per;
    }
    if (text.starts_with(type_prefix) && text.size() > type_prefix.size()) {
        per.what = work_unit::kind::type;
        per.type = text.substr(type_prefix.size());
        return per;
    }
    const std::size_t colon = text.find(':');
    const std::optional<double> before = amount_in(std::string_view{text}.substr(0, colon));
    const std::optional<double> after =
        colon == std::string::npos ? before : amount_in(std::string_view{text}.substr(colon + 1));
    if (!before || !after || *before == 0 || *after == 0) {
        throw wrong_arguments{fmt::format(
            "--per must be run, allocations, type=NAME, or the units of work in OLD and NEW such as "
            "1000:2000, not '{}'",
            text)};
    }
    per.what = work_unit::kind::number;
    per.old_count = *before;
    per.new_count = *after;
    return per;
}

/// The value of --fail-over: a percentage, or a number of allocations and the like.
growth_limits limits_of(const std::string& text) {
    growth_limits limits;
    if (text.empty()) {
        return limits;
    }
    constexpr std::string_view count_prefix = "count=";
    const bool is_count = text.starts_with(count_prefix);
    std::string_view digits = text;
    if (is_count) {
        digits.remove_prefix(count_prefix.size());
    } else if (digits.ends_with('%')) {
        digits.remove_suffix(1);
    }
    const std::optional<double> value = amount_in(digits);
    if (!value) {
        throw wrong_arguments{fmt::format(
            "--fail-over must be a percentage such as 5, or a number such as count=100, not '{}'", text)};
    }
    (is_count ? limits.count : limits.share) = is_count ? *value : *value / 100;
    return limits;
}

constexpr const char* compare_footer =
    "Two results: a row is a regression if its median grew by more than the threshold and the noise\n"
    "floor of both files, and the growth is significant over all rows. On two machines, ratios to glibc\n"
    "(bench) or to the program's default allocator (run) are compared instead of times.\n"
    "Two traces: types, places and stacks are matched by name, so the builds may differ.\n"
    "\n"
    "Exit status:\n"
    "  0  no regression; of traces: no growth beyond --fail-over\n"
    "  1  a regression, or with --fail-on any another change; of traces: growth beyond --fail-over\n"
    "  2  the files cannot be read or compared, or a report cannot be written\n"
    "\nExamples:\n"
    "  linn compare old.json new.json\n"
    "  linn compare old.json new.json --only linn --threshold 10\n"
    "  linn compare old.json new.json --by ratio --markdown change.md\n"
    "  linn compare old.linn new.linn --html change.html\n"
    "  linn compare old.linn new.linn --per type=Request --fail-over 1\n";

constexpr const char* results_group = "Two results";
constexpr const char* traces_group = "Two traces";
constexpr double usual_threshold_percent = 5; // of results; counts of a trace do not vary by chance

} // namespace

class compare_command final : public command {
public:
    explicit compare_command(CLI::App& program)
        : command{program, "compare", "Find what changed between two results of bench or run, or two traces",
                  compare_footer},
          files_{app(), [this] { return document(); }} {
        CLI::App& arguments = app();
        add_value(arguments, "OLD", old_path_, "FILE",
                  "a file that bench --json, run --json or record wrote");
        add_value(arguments, "NEW", new_path_, "FILE", "the same, later");
        add_value(arguments, "--threshold", threshold_percent_, "PERCENT",
                  "report only changes larger than this (default 5; of traces 0)", number(0, 1e6));
        arguments.option_defaults()->group(results_group);
        add_choice<compare_by>(arguments, "--by", options_.by, "HOW",
                               "of results: absolute, ratio, or auto: ratio where machines differ (default)",
                               {"auto", "absolute", "ratio"});
        add_value(arguments, "--fail-on", fail_on_, "WHAT",
                  "of results: exit with 1 on a regression (default), or on any change",
                  one_of({"regression", "any"}));
        add_names(arguments, "--only", options_.contenders, "of results: these contenders (comma-separated)");
        add_names(arguments, "--scenario", options_.scenarios, "compare these scenarios of bench");
        add_names(arguments, "--metric", options_.measures,
                  "compare these metrics of run, or phases of bench");
        arguments.option_defaults()->group(traces_group);
        add_choice<profile_measure>(
            arguments, "--measure", trace_options_.by, "WHAT",
            "of traces: allocations (default), bytes, temporary, live-blocks, live-bytes",
            {"allocations", "bytes", "temporary", "live-blocks", "live-bytes"});
        add_value(arguments, "--per", per_, "UNIT",
                  "of traces: divide by the work: run (default), allocations, type=NAME, or OLD:NEW");
        add_value(arguments, "--fail-over", fail_over_, "LIMIT",
                  "of traces: exit with 1 on growth over LIMIT, a percentage of the old total or count=N");
        add_value(arguments, "--top", top_, "N", "rows of a table (default 10)", whole_number(1, 1'000'000));
        add_symbol_options(app(), where_.debug_folders, where_.use_debuginfod);
    }

    /// 0: nothing that --fail-on names; 1: something; 2: the files cannot be compared, or a report cannot be written.
    int run() override {
        try {
            compare_pair();
            files_.deliver();
        } catch (const wrong_arguments&) {
            throw;
        } catch (const std::runtime_error& problem) {
            return refuse(problem.what(), exit_usage);
        }
        if (are_traces_) {
            return !trace_result_.broken.empty() ? exit_failure : exit_success;
        }
        if (result_.nothing_decided()) {
            return exit_usage;
        }
        return fails() ? exit_failure : exit_success;
    }

private:
    /// None of the lists of names may have one that is unknown to both files.
    void check_names(const result_file& old_file, const result_file& new_file) const {
        for (const auto& [option, wanted, part] :
             {std::tuple{"--scenario", &options_.scenarios, &series_name::scenario},
              std::tuple{"--only", &options_.contenders, &series_name::contender},
              std::tuple{"--metric", &options_.measures, &series_name::measure}}) {
            std::set<std::string> known;
            for (const result_file* file : {&old_file, &new_file}) {
                for (const auto& [name, series] : file->series) {
                    known.insert(name.*part);
                }
            }
            for (const std::string& name : *wanted) {
                if (!known.contains(name)) {
                    throw unusable_input{fmt::format(
                        "{}: {}", option, unknown_name("name", name, {known.begin(), known.end()}))};
                }
            }
        }
    }

    bool fails() const {
        const bool regressed = result_.count(change_kind::regression) != 0;
        const bool otherwise = result_.count(change_kind::improvement) != 0 || !result_.vanished.empty() ||
                               !result_.appeared.empty();
        return regressed || (fail_on_ == "any" && otherwise);
    }

    /// Options of the other kind of files say something that would be ignored.
    void check_kind() const {
        const char* const other = are_traces_ ? results_group : traces_group;
        for (const CLI::Option* option : app().get_options()) {
            if (option->count() != 0 && option->get_group() == other) {
                throw unusable_input{fmt::format(
                    fmt::runtime(are_traces_ ? "{} is for results of bench or run, and {} is a trace"
                                             : "{} is for traces of linn record, and {} is not one"),
                    option->get_name(), old_path_)};
            }
        }
    }

    report::document document() const {
        return are_traces_ ? report::trace_compare_document(trace_result_, top_)
                           : report::compare_document(result_);
    }

    void compare_pair() {
        trace_options_.per = unit_of(per_);
        trace_options_.limits = limits_of(fail_over_);
        if (new_path_.empty()) {
            throw wrong_arguments{old_path_.empty() ? "missing OLD" : "missing NEW"};
        }
        are_traces_ = begins_as_trace(old_path_);
        if (are_traces_ != begins_as_trace(new_path_)) {
            try {
                const trace_file other{are_traces_ ? new_path_ : old_path_};
            } catch (const unusable_input& error) {
                throw unusable_input{fmt::format("{}, and {} is a trace: give two of a kind", error.what(),
                                                 are_traces_ ? old_path_ : new_path_)};
            }
        }
        check_kind();
        const std::string problem = are_traces_ ? compare_traces() : compare_results();
        if (!problem.empty()) {
            throw unusable_input{problem};
        }
    }

    std::string compare_results() {
        result_file old_file = read_result_file(old_path_);
        result_file new_file = read_result_file(new_path_);
        check_names(old_file, new_file);
        options_.threshold = threshold_percent_.value_or(usual_threshold_percent) / 100;
        result_ = compare_files(std::move(old_file), std::move(new_file), options_);
        return result_.problem;
    }

    std::string compare_traces() {
        trace_options_.threshold = threshold_percent_.value_or(0) / 100;
        progress_line line;
        symbolizer symbols{where_};
        trace_profile old_trace = profile_trace(old_path_, naming_by(symbols), show_reading(line));
        trace_profile new_trace = profile_trace(new_path_, naming_by(symbols), show_reading(line));
        trace_result_ = tool::compare_traces(std::move(old_trace), std::move(new_trace), trace_options_);
        return trace_result_.problem;
    }

    report_files files_;
    bool are_traces_ = false;
    std::string old_path_;
    std::string new_path_;
    file_comparison result_;
    compare_options options_;
    std::optional<double> threshold_percent_;
    std::string fail_on_ = "regression";
    // Of two traces.
    symbol_options where_;
    trace_comparison trace_result_;
    trace_compare_options trace_options_;
    std::string per_ = "run";
    std::string fail_over_;
    std::size_t top_ = 10;
};

std::unique_ptr<command> make_compare(CLI::App& program) {
    return std::make_unique<compare_command>(program);
}

} // namespace linn::tool
