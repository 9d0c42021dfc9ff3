// SPDX-License-Identifier: Apache-2.0
#include "../advise/advice.hpp"
#include "../analysis/accumulator.hpp"
#include "../measure/files.hpp"
#include "../measure/quantity.hpp"
#include "../measure/suggest.hpp"
#include "../profile/trace_profile.hpp"
#include "../record/collector.hpp"
#include "../record/recorder.hpp"
#include "../report/commands/reports.hpp"
#include "../report/render/render.hpp"
#include "../symbols/cxx_name.hpp"
#include "../symbols/symbolizer.hpp"
#include "../trace/event.hpp"
#include "../trace/info.hpp"
#include "../trace/trace_file.hpp"
#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <thread>

namespace linn::tool {
namespace {

using clock = std::chrono::steady_clock;
using figures::counted;
using figures::unit;
using figures::written;
using namespace std::chrono_literals;

constexpr clock::duration between_drawings = 1s;
constexpr int share_of_time = 10;        // drawing takes at most one part in so many
constexpr std::size_t lines_of_text = 8; // on the screen, besides the rows of the table
constexpr std::size_t letters_of_type = 60;

bool is_screen() {
    const char* const kind = std::getenv("TERM");
    return terminal_size(STDERR_FILENO) && kind != nullptr && std::string_view{kind} != "dumb";
}

/// "2.0 s: live 7.12 MiB in 6295 blocks, of 40.2 k allocated; most of it is leaked_node".
std::string lead_of(const trace_view& view, clock::duration since) {
    return fmt::format("{}: live {} in {}, of {} allocated{}",
                       written(unit::nanoseconds, std::chrono::duration<double, std::nano>{since}.count()),
                       written(unit::bytes, static_cast<double>(view.all.bytes)),
                       counted(view.all.blocks, "block"), counted(view.allocated.blocks, "block"),
                       view.types.empty()
                           ? std::string{}
                           : "; most of it is " + short_type(view.types.front().label, letters_of_type));
}

/// Draws what a program holds by type, as `linn trace --leaks` does, again each second while the program is recorded. Each time it
/// reads the recording so far from its beginning: the file, and what the program's threads have not handed over yet. This
/// takes at most a tenth of the time, so a long recording is drawn less often.
class live_tables {
public:
    std::jthread begin(const ring_file& ring, const std::filesystem::path& trace, std::uint32_t only_pid) {
        ring_ = &ring;
        trace_ = trace;
        only_pid_ = only_pid;
        begun_ = clock::now();
        return std::jthread{[this](const std::stop_token& stop) { work(stop); }};
    }

private:
    void work(const std::stop_token& stop) {
        clock::duration pause = between_drawings;
        for (;;) {
            std::unique_lock lock{mutex_};
            wakes_.wait_for(lock, stop, pause, [] { return false; });
            if (stop.stop_requested()) {
                return;
            }
            const clock::time_point began = clock::now();
            draw(stop);
            pause = std::max(between_drawings, share_of_time * (clock::now() - began));
        }
    }

    void draw(const std::stop_token& stop) {
        try {
            trace_reader reader{trace_, may_be_sample, frames_in_ring()};
            accumulator counted{reader.info().sample_bytes};
            reader.read([&](std::span<const event> events) { counted.take(events); },
                        [&](double) { return !stop.stop_requested(); });
            if (stop.stop_requested()) {
                return;
            }
            show(name_profile(trace_, counted.finish(reader.info()), naming_by(symbols_)));
        } catch (const unusable_input&) {
            // Nothing was written yet, or the user has moved the file.
        }
    }

    void show(const trace_profile& profile) const {
        const trace_view view = look_at(profile, block_filter::leaks);
        std::string lead = lead_of(view, clock::now() - begun_);
        if (!is_screen()) {
            write_to_stderr(fmt::format("linn record: {}\n", lead));
            return;
        }
        const std::size_t height = terminal_size(STDERR_FILENO).value_or(winsize{}).ws_row;
        const std::size_t rows = height > lines_of_text ? height - lines_of_text : 1;
        report::document d{.command = "linn record", .lead = std::move(lead)};
        d.add_section("types", "Types").add(report::held_types(view, rows));
        // From the upper left corner, over what was there.
        write_to_stderr(fmt::format("\033[H\033[J{}", report::render_terminal(d, style_of_stderr())));
    }

    /// What the threads have not handed over yet. A chunk that is handed over before the file is read is then there twice, and
    /// the reader takes the one in the file.
    std::vector<unsigned char> frames_in_ring() const {
        std::vector<unsigned char> frames;
        std::vector<unsigned char> copy;
        const wire::ring& ring = ring_->ring();
        for (std::uint32_t i = 0; i != ring.chunk_count(); ++i) {
            if (!copy_owned(ring, i, copy)) {
                continue;
            }
            chunk_frame frame = frame_of_chunk(copy);
            if (frame.payload.empty() || (only_pid_ != 0 && frame.header.pid != only_pid_)) {
                continue;
            }
            frame.header.describe(frame.payload);
            const auto head = frame.header.pack();
            frames.insert(frames.end(), head.begin(), head.end());
            frames.insert(frames.end(), frame.payload.begin(), frame.payload.end());
        }
        return frames;
    }

    const ring_file* ring_ = nullptr;
    std::filesystem::path trace_;
    std::uint32_t only_pid_ = 0; ///< 0: all processes are recorded
    std::chrono::steady_clock::time_point begun_;
    symbolizer symbols_;
    std::mutex mutex_;
    std::condition_variable_any wakes_;
};

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
    "  linn record --sample 524288 -- ./server a sample, cheap enough for production\n"
    "  linn record --pid 1234 --duration 60    a program that runs already, for a minute\n"
    "  linn record --depth 8 -- ./server --port 7777\n";

} // namespace

class record_command final : public command {
public:
    explicit record_command(CLI::App& program)
        : command{program, "record", "Record what a program allocates, for advise and trace", record_footer} {
        CLI::App& arguments = app();
        arguments.prefix_command();
        add_value(arguments, "-o,--output", file_, "FILE",
                  "the trace to write (default: PROG.linn in this directory)", writable_file());
        add_value(arguments, "--depth", options_.depth, "COUNT",
                  "innermost calls that a stack keeps (default 16)", whole_number(1, most_recorded_depth));
        add_value(arguments, "--sample", options_.sample_bytes, "BYTES",
                  "record a sample, about one block in BYTES allocated: advise and trace then give estimates "
                  "with intervals (524288 suits production)",
                  whole_number(1, sampling::most_mean));
        arguments.add_flag("--live", is_live_,
                           "each second, show what the program holds by type; without a terminal, a line on "
                           "standard error");
        arguments.add_flag("--no-follow{false}", options_.follows,
                           "record only PROG, not the processes that it starts");
        CLI::Option* const waits = arguments.add_flag(
            "--wait", options_.waits_for_all, "record until everything that PROG started has ended too");
        CLI::Option* const baseline = arguments.add_flag(
            "--baseline", has_baseline_,
            "always run PROG again without recording, its output thrown away, to measure its CPU time "
            "(default: if it reads no pipe, writes up to 8 KiB to files, hardly waits and ends in a minute)");
        CLI::Option* const no_baseline =
            arguments.add_flag("--no-baseline", has_no_baseline_, "run PROG only once")->excludes(baseline);
        arguments.add_flag("-q,--quiet", is_quiet_, "print only errors and warnings");
        CLI::Option* const pid =
            add_value(arguments, "--pid,-p,--attach", options_.attach_to, "PID",
                      "record a program that runs already, instead of PROG, until Ctrl-C; it runs on then",
                      whole_number(1, std::uint64_t{1} << 30))
                ->excludes(waits)
                ->excludes(baseline)
                ->excludes(no_baseline);
        add_value(arguments, "--duration", options_.duration_s, "SECONDS",
                  "with --pid: end the recording after so many seconds", number(0.001, 1e9))
            ->needs(pid);
    }

    /// What the program returned, or 128 and the signal's number; 1 and 2 also where the recording failed.
    int run() override {
        check();
        if (!is_quiet_) {
            options_.announce = [this](const std::string& what) { say(what); };
        }
        std::optional<live_tables> view;
        if (is_live_) {
            view.emplace();
            options_.watch = std::bind_front(&live_tables::begin, &*view);
        }
        const record_result result = record_program(options_);
        if (!result.problem.empty()) {
            refuse(result.problem);
        }
        tell(result);
        if (!result.was_started) {
            return result.is_usage_error ? exit_usage : exit_failure;
        }
        const bool failed = result.exit_status == 0 && !result.problem.empty();
        return failed ? static_cast<int>(exit_failure) : result.exit_status;
    }

private:
    void check() {
        options_.file = file_; // of a process, without one, by the program's name, which is not known yet
        if (options_.attach_to == 0) {
            options_.command = program_words(app());
            if (file_.empty()) {
                options_.file = std::filesystem::path{options_.command.front()}.filename().string() + ".linn";
            }
        } else if (!app().remaining().empty()) {
            throw wrong_arguments{
                "--pid records a program that runs already: leave out PROG and its arguments"};
        }
        options_.baseline = has_baseline_                                    ? second_run_when::always
                            : has_no_baseline_ || options_.sample_bytes != 0 ? second_run_when::never
                                                                             : second_run_when::harmless;
    }

    void tell(const record_result& result) const {
        const recording_end& end = result.end;
        for (const std::string& warning : result.warnings) {
            warn(warning);
        }
        if (is_quiet_ || !result.was_started || end.events == 0) {
            return;
        }
        const std::string file = result.file.string();
        say(fmt::format("{} of {}{}, {}: {}", counted(end.events, "event"), counted(result.threads, "thread"),
                        result.processes > 1 ? " in " + counted(result.processes, "process") : "", file,
                        written(unit::bytes, static_cast<double>(result.file_bytes))));
        if (result.baseline.cpu_ns > 0) {
            say(fmt::format("{} of CPU time with the recording, {} without",
                            written(unit::nanoseconds, end.user_ns + end.system_ns),
                            written(unit::nanoseconds, result.baseline.cpu_ns)));
        } else if (!result.no_baseline.empty()) {
            say(fmt::format("not run again to measure its CPU time, because {}; the trace has {}",
                            result.no_baseline,
                            end.event_cost_ns > 0 ? fmt::format("an estimate ({} an event)",
                                                                written(unit::nanoseconds, end.event_cost_ns))
                                                  : "no estimate: too few events were timed"));
        }
        if (result.problem.empty()) {
            say(fmt::format("next: linn advise {}", shell_file(file)));
        }
    }

    record_options options_;
    std::string file_;
    bool is_live_ = false;
    bool is_quiet_ = false;
    bool has_baseline_ = false;
    bool has_no_baseline_ = false;
};

std::unique_ptr<command> make_record(CLI::App& program) {
    return std::make_unique<record_command>(program);
}

} // namespace linn::tool
