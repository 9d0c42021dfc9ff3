// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../analysis/accumulator.hpp"
#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/suggest.hpp"
#include "../pools/plan.hpp"
#include "../program/elf_file.hpp"
#include "../record/recorder.hpp"
#include "../report/commands/reports.hpp"
#include "../report/terminal.hpp"
#include "../run/launch.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/trace_file.hpp"
#include "../try/trial.hpp"
#include "command.hpp"
#include "report_files.hpp"
#include "run_arguments.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

namespace linn::tool {
namespace {

constexpr const char* try_footer =
    "Everything after -- belongs to the program, which runs many times. Without TRACE it is recorded\n"
    "first.\n"
    "\n"
    "Exit status: 0 for any answer; the program's own if it fails; 1 if it cannot be measured or the\n"
    "trace is damaged; 2 if there is no such program, trace or option; 128+n if signal n stopped it.\n"
    "\n"
    "Examples:\n"
    "  linn try -- ./simulate 1000                      record, then try what the trace suggests\n"
    "  linn try simulate.linn -- ./simulate 1000        the same, recorded before\n"
    "  linn try --type Particle --budget 300 -- ./simulate 1000\n"
    "  linn try --plan simulate.toml -- ./simulate 1000\n"
    "  linn pools --plan simulate.toml -- ./simulate 1000\n"
    "  linn try --json - -- ./simulate 1000 | jq -r .verdict\n";

std::string build_id_of(const std::filesystem::path& file) {
    const auto elf = elf_file::open(file.string());
    return elf == nullptr ? std::string{} : elf->build_id();
}

/// Why what a trace says does not hold for the program that will run: it is of another program, or of another build of it. Empty:
/// it is of this one. `file`: the program's; `words`: the program and its arguments, any of which may name the recorded program, as
/// behind `env` or `taskset`.
std::string why_other_program(const std::string& trace, const trace_info& info,
                              const std::filesystem::path& file, const std::vector<std::string>& words) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    const std::string id = build_id_of(real);
    if (!id.empty() && std::ranges::find(info.modules, id, &trace_module::build_id) != info.modules.end()) {
        return {};
    }
    const std::set<std::string> names{file.filename().string(), real.filename().string()};
    std::set<std::string> recorded;
    for (const trace_process& p : info.processes) {
        const std::string name = program_name(p.executable);
        const auto module = std::ranges::find(info.modules, p.executable, &trace_module::path);
        if (names.contains(name) && module != info.modules.end() && !module->build_id.empty()) {
            return fmt::format("{} was recorded from another build of {} (build id {} then, {} now): record "
                               "it again with linn record",
                               trace, name, module->build_id, id.empty() ? "none" : id);
        }
        recorded.insert(name);
    }
    if (!info.command.empty()) {
        recorded.insert(program_name(info.command.front()));
    }
    const auto is_recorded = [&](const std::string& name) { return recorded.contains(name); };
    const bool is_named =
        std::ranges::any_of(names, is_recorded) || std::ranges::any_of(words, [&](const std::string& word) {
            return !word.empty() && is_recorded(program_name(word));
        });
    return is_named || recorded.empty()
               ? std::string{}
               : fmt::format(
                     "{} is a recording of {}, not of {}: record the program that runs, with linn record",
                     trace, program_name(recorded_program(info)), file.filename().string());
}

/// A signal came while nothing was measured yet.
struct stopped {
    int signal;
};

} // namespace

class try_command final : public command {
public:
    explicit try_command(CLI::App& program)
        : command{program, "try", "Measure what pools gain on your own program, unmodified", try_footer},
          files_{app(), [this] { return report::try_document(result_, words_); }} {
        CLI::App& arguments = app();
        arguments.prefix_command();
        add_value(arguments, "TRACE", trace_, "FILE", "a trace of this program by linn record");
        add_words(arguments, "--type", wanted_.types, "NAME",
                  "try only types with this in their name; may be repeated");
        add_value(arguments, "--plan", plan_file_, "FILE",
                  "write the plan of the pools that gain, for linn pools", writable_file());
        arguments.add_flag("--litter", wanted_.wants_litter,
                           "start each run on a fragmented heap, like that of a server after days");
        // The first run and the counting one warm the caches, and three parts share the budget.
        options_.warm_up_rounds = 0;
        options_.budget = std::chrono::seconds{180};
        options_.precision = 0.0025;
        measuring_.add();
    }

    int run() override {
        check();
        program_ = find_served_program(words_.front(), false);
        if (!program_.problem.empty()) {
            return refuse(program_.problem, program_.is_usage_error ? exit_usage : exit_failure);
        }
        const interrupt_guard guard; // before the first temporary file
        try {
            return trace_.empty() ? record_and_measure(guard) : measure(trace_, guard);
        } catch (const stopped& by) {
            return refuse("stopped before anything was measured", 128 + by.signal);
        }
    }

private:
    void check() {
        const std::vector<std::string> left = app().remaining();
        if (trace_ == separator_word) { // there is no trace
            trace_.clear();
        } else if (left.empty() || left.front() != separator_word) {
            throw wrong_arguments{"missing program: linn try [TRACE] [options] -- PROG ARGS..."};
        }
        words_ = program_words(app());
        if (!options_.launch.client.empty() && trace_.empty()) {
            throw wrong_arguments{"--client: record the server first, with linn record, and give the TRACE"};
        }
        measuring_.check();
    }

    int record_and_measure(const interrupt_guard& guard) {
        run_folder folder;
        record_options recording;
        recording.command = words_;
        recording.file = folder.records().parent_path() / "recorded.linn";
        recording.input = options_.launch.input.empty() ? "/dev/null" : options_.launch.input;
        recording.baseline = second_run_when::never;
        say("recording " + words_.front());
        const record_result recorded = record_program(recording);
        if (recorded.stopped_by != 0) {
            throw stopped{recorded.stopped_by};
        }
        if (!recorded.problem.empty() && recorded.was_started && recorded.exit_status == 0) {
            return refuse(recorded.problem);
        }
        if (!recorded.was_started) {
            return refuse(recorded.problem, recorded.is_usage_error ? exit_usage : exit_failure);
        }
        if (recorded.exit_status != 0 && !options_.ignore_exit_status) {
            return refuse(fmt::format("the program failed while it was recorded: {}", recorded.end.ending),
                          recorded.exit_status);
        }
        return measure(recording.file.string(), guard);
    }

    int measure(const std::string& trace, const interrupt_guard& guard) {
        progress_line line;
        work_progress now;
        now.doing = "reading the trace";
        line.show(now);
        try_candidates candidates = candidates_of(trace, guard);
        candidates.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
        if (!wanted_.types.empty() && candidates.list.empty() && candidates.left_out.empty()) {
            throw wrong_arguments{fmt::format("no type that the program allocates has '{}' in its name",
                                              fmt::join(wanted_.types, "' or '"))};
        }
        const run_progress show = [&](const work_progress& p) { line.show(now = p); };
        const run_notice tell = [&](const std::string& text) { line.tell(text); };
        const run_notice warn = [&](const std::string& text) {
            line.clear();
            say(text);
        };
        const std::function<void()> tick = [&] { line.show(now); };
        result_ = try_pools(options_, std::move(candidates), world_of(options_, words_, guard, tick),
                            program_.library, show, tell, warn);
        line.clear();
        result_.trace = trace_;
        result_.plan.program = std::filesystem::path{words_.front()}.filename().string();
        if (result_.plan.note.empty()) {
            result_.plan.note = fmt::format("linn try: {}", report::try_verdict(result_));
        }
        return deliver();
    }

    try_candidates candidates_of(const std::string& trace, const interrupt_guard& guard) const {
        const auto go_on = [&](auto&&...) {
            if (const int signal = guard.poll(); signal != 0) {
                throw stopped{signal};
            }
            return true;
        };
        refuse_corrupt(trace);
        trace_reader reader{trace};
        if (const std::string why = why_other_program(trace, reader.info(), program_.file, words_);
            !why.empty()) {
            throw unusable_input{why};
        }
        trace_analysis analysis = analyse_trace(reader, go_on);
        symbolizer symbols;
        advise_parts parts;
        parts.names = naming_by(symbols);
        parts.names.name = [&](const allocation_site& site) {
            go_on();
            return symbols.name(site);
        };
        parts.progress = go_on;
        return find_candidates(advise(std::move(analysis), parts), wanted_);
    }

    int deliver() const {
        if (!result_.problem.empty()) {
            refuse(result_.problem);
        }
        const bool has_something = !report::try_verdict(result_).empty() || !result_.deciding.rows.empty();
        if (has_something) {
            const std::string next = write_plan();
            files_.deliver();
            if (!next.empty() && result_.problem.empty()) {
                say(next);
            }
        }
        if (result_.interrupted_by != 0) {
            return has_something
                       ? 128 + result_.interrupted_by
                       : refuse("stopped before anything was measured", 128 + result_.interrupted_by);
        }
        if (result_.problem.empty()) {
            return exit_success;
        }
        if (result_.status) {
            return *result_.status;
        }
        return result_.is_usage_error ? exit_usage : exit_failure;
    }

    std::string write_plan() const {
        if (result_.plan.sites.empty()) {
            return plan_file_.empty() ? "" : fmt::format("no plan: {} is not written", plan_file_);
        }
        if (plan_file_.empty()) {
            return fmt::format(
                "to use these pools: run again with --plan FILE, then linn pools --plan FILE -- {}",
                shell_words(words_));
        }
        if (std::string problem = write_atomically(plan_file_, plan_text(result_.plan)); !problem.empty()) {
            throw std::runtime_error{problem};
        }
        return fmt::format("next: linn pools --plan {} -- {}", shell_file(plan_file_), shell_words(words_));
    }

    report_files files_;
    run_options options_;
    run_arguments measuring_{app(), options_};
    candidate_options wanted_;
    try_result result_;
    std::vector<std::string> words_; // the program and what belongs to it
    served_program program_;         ///< that these start
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::string trace_;
    std::string plan_file_;
};

std::unique_ptr<command> make_try(CLI::App& program) {
    return std::make_unique<try_command>(program);
}

} // namespace linn::tool
