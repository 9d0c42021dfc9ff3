// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../analysis/accumulator.hpp"
#include "../profile/trace_profile.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/info.hpp"
#include "../trace/trace_file.hpp"
#include "command.hpp"
#include "report_files.hpp"

namespace linn::tool {
namespace {

constexpr const char* advise_footer =
    "Exit status:\n"
    "  0    done, for any answer\n"
    "  1    the trace is damaged; a result cannot be written; or pools would remove what --fail-over says\n"
    "  2    the file is not a trace, or the arguments are wrong\n"
    "\n"
    "Examples:\n"
    "  linn record -- ./simulate 1000\n"
    "  linn advise simulate.linn\n"
    "  linn advise simulate.linn --type Particle\n"
    "  linn advise simulate.linn --html advice.html\n"
    "  linn advise simulate.linn --json - | jq '.types[] | {type: .label, use, time_share}'\n";

} // namespace

class advise_command final : public command {
public:
    explicit advise_command(CLI::App& program)
        : command{program, "advise", "Say which types of a recorded program need a pool, if any",
                  advise_footer},
          files_{app(), [this] { return report::advise_document(result_, view_); }} {
        CLI::App& arguments = app();
        add_value(arguments, "TRACE", trace_, "FILE", "what linn record wrote")->required();
        add_value(arguments, "--top", view_.top, "N", "types in the table (default 10)",
                  whole_number(1, 1'000'000));
        add_value(arguments, "--type", view_.only_type, "NAME",
                  "details of the types that have this in their name");
        add_value(arguments, "--threshold", threshold_percent_, "PERCENT",
                  "the share of the CPU time that decides the answer (default 2)", number(0, 100));
        add_symbol_options(app(), where_.debug_folders, where_.use_debuginfod);
        add_value(arguments, "--fail-over", fail_over_percent_, "PERCENT",
                  "exit with 1 if pools would remove at least this share of the CPU time", number(0, 100));
    }

    int run() override {
        result_ = ask();
        files_.deliver();
        return fails() ? exit_failure : exit_success;
    }

private:
    advice ask() {
        progress_line line;
        refuse_corrupt(trace_);
        trace_reader reader{trace_, may_be_sample};
        trace_analysis analysis = analyse_trace(reader, show_reading(line));

        symbolizer symbols{where_};
        advise_parts parts;
        parts.names = naming_by(symbols);
        parts.progress = [&](const char* doing, double share) { line.show(doing, share); };
        return advise(std::move(analysis), parts, threshold_percent_ / 100);
    }

    bool fails() const {
        return fail_over_percent_ >= 0 && judge(result_, fail_over_percent_ / 100) == pool_answer::yes;
    }

    report::advise_view view_;
    std::string trace_;
    symbol_options where_;
    double threshold_percent_ = worth_a_pool * 100;
    double fail_over_percent_ = -1;
    advice result_;
    report_files files_;
};

std::unique_ptr<command> make_advise(CLI::App& program) {
    return std::make_unique<advise_command>(program);
}

} // namespace linn::tool
