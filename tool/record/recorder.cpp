// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../program/executable.hpp"
#include "../trace/sampling.hpp"
#include "child_program.hpp"
#include "collector.hpp"
#include "recording_base.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

/// How long processes may still be about to end when the program has: not waited for, but not cut off either.
constexpr std::chrono::milliseconds grace{100};
/// How long they may take to end by a signal.
constexpr std::chrono::milliseconds farewell{500};

/// For processes that write nothing but what they are.
constexpr std::size_t timer_chunks = 1024;

/// One recording from its checks to its end.
class recording : recording_base {
public:
    using recording_base::recording_base;

    record_result run() {
        if (!check()) {
            return std::move(result_);
        }
        if (prepare()) {
            record();
        }
        if (result_.was_started && result_.problem.empty() && options_.baseline != second_run_when::never) {
            result_.no_baseline = second_run_problem();
            if (!result_.no_baseline.empty()) {
                result_.baseline = {};
            }
        }
        return std::move(result_);
    }

private:
    bool check() {
        program_ = reach_program(options_.command.front(), preload_kind::recorder);
        if (!program_.problem.empty()) {
            result_.is_usage_error = program_.is_usage_error;
            return fail(program_.problem);
        }
        if (!find_library()) {
            return false;
        }
        if (!program_.info.private_heap.empty()) {
            result_.warnings.push_back(
                fmt::format("{} has {} compiled in: what that does not take from malloc is not seen",
                            program_.file.string(), program_.info.private_heap));
        }
        if (options_.baseline == second_run_when::always && is_input_read_once()) {
            result_.is_usage_error = true;
            return fail("--baseline runs the program twice, and a pipe on standard input can be read once: "
                        "save what comes through it to a file, and give that: < FILE");
        }
        return true;
    }

    /// Everything that is known before the program starts.
    bool prepare() {
        start_from(inspect_machine());
        start_.command = options_.command;
        std::error_code error;
        start_.directory = fs::current_path(error).string();
        if (std::string problem = ring_.create(ring_chunks, ring_options()); !problem.empty()) {
            return fail(problem);
        }
        return open_trace();
    }

    std::vector<std::string> environment() const {
        return child_environment(preloaded_first(library_.string()), {ring_.variable()});
    }

    void record() {
        input_place_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
        output_before_ = output_file_bytes();
        begin_trace();
        child_program child{desk_, options_.waits_for_all};
        const std::vector<int> silent(options_.input.empty() ? 0 : 1, STDOUT_FILENO);
        if (std::string problem =
                child.start(program_.file, options_.command, environment(), options_.input, silent);
            !problem.empty()) {
            result_.problem = std::move(problem);
            remove_trace();
            return;
        }
        result_.was_started = true;
        start_collecting(child.pid()); // only now, when it is known what to leave out
        program_end end = child.wait();
        wait_for_others(child, end);
        first_.has_left_processes = end.had_orphans || !left_.empty();
        const instant ended = now();
        end_collecting();
        note(end, ended.ns);
        conclude(ended);
        first_.events = result_.end.events;
        first_.event_cost_ns = result_.end.event_cost_ns;
        warn();
    }

    /// A signal ends the waiting. Those that were waited for get it too, and a moment to end by it.
    void wait_for_others(child_program& child, program_end& end) {
        auto last = std::chrono::steady_clock::now() + grace;
        for (;;) {
            left_ = collector_->living_processes();
            child.collect(end);
            const bool has_limit = !options_.waits_for_all || waiting_stopped_by_ != 0;
            if (left_.empty() || (has_limit && std::chrono::steady_clock::now() > last)) {
                return;
            }
            const std::optional<siginfo_t> stop = desk_.wait_for_stop(std::chrono::milliseconds{10});
            if (!stop) {
                continue;
            }
            end.was_told = true;
            end.stopped_by = waiting_stopped_by_ = stop->si_signo;
            last = std::chrono::steady_clock::now() + farewell;
            for (const std::uint32_t pid : left_) {
                if (options_.waits_for_all && came_from_process(*stop)) {
                    ::kill(static_cast<pid_t>(pid), stop->si_signo);
                }
            }
        }
    }

    void note(const program_end& end, std::uint64_t ns_now) {
        recording_end& e = result_.end;
        static_cast<program_outcome&>(e) = end;
        e.stopped = collector_->problem();
        e.duration_ns = options_.waits_for_all ? ns_now - start_ns_ : static_cast<std::uint64_t>(end.wall_ns);
        e.processes_left = left_.size();
        first_.end = end;
        first_.output_bytes = output_file_bytes() - std::min(output_before_, output_file_bytes());
        first_.load_per_cpu = std::max(start_.load_per_cpu, load_per_cpu());
        const bool was_cut_off = options_.waits_for_all && waiting_stopped_by_ != 0 && end.exit_status == 0;
        result_.exit_status = was_cut_off ? 128 + waiting_stopped_by_ : end.exit_status;
        result_.stopped_by = end.stopped_by;
    }

    void warn() {
        const recording_end& e = result_.end;
        const wire::ring_header& header = ring_.ring().header();
        const auto add = [&](std::string text) { result_.warnings.push_back(std::move(text)); };
        if (!left_.empty()) {
            add(fmt::format(
                "{} not recorded any further: {}{}",
                figures::counted(left_.size(), "process still runs and is", "processes still run and are"),
                fmt::join(left_, ", "), options_.waits_for_all ? "" : "; --wait waits for them"));
        }
        const bool was_there = header.images.load(std::memory_order_relaxed) != 0;
        if (e.events == 0 && options_.sample_bytes != 0 && was_there) {
            add(fmt::format("no block is in the sample: the program allocated too little for --sample {}",
                            options_.sample_bytes));
        }
        const bool may_be_silent = (options_.fills_only || options_.sample_bytes != 0) && was_there;
        if (e.events == 0 && result_.problem.empty() && !may_be_silent) {
            explain_silence();
        }
    }

    void explain_silence() {
        const std::string name = program_.file.filename().string();
        if (options_.only_executable.empty() &&
            ring_.ring().header().images.load(std::memory_order_relaxed) == 0) {
            result_.problem =
                "nothing was recorded: the recorder was not loaded into it, or found no way back "
                "to linn (does it "
                "clear its environment, change its user or its root, or start something static?)";
            return;
        }
        result_.warnings.push_back(
            "nothing was recorded: " +
            (options_.only_executable.empty()
                 ? fmt::format("{} allocates nothing, or from a heap of its own", name)
                 : fmt::format("no program named {} allocated anything", options_.only_executable)));
    }

    /// For a program that is only timed. Without a library or shared memory it is not.
    std::vector<std::string> timer_environment(ring_file& ring) const {
        std::string problem;
        const std::string library = preload_companion("liblinn-sample.so", problem).string();
        wire::ring_options o = ring_options();
        o.sample_bytes = sampling::most_mean;
        o.fills = o.fills_only = false;
        if (!o.times_calls || !problem.empty() || !ring.create(timer_chunks, o).empty()) {
            return child_environment(preloaded_first({}));
        }
        return child_environment(preloaded_first(library), {ring.variable()});
    }

    /// Runs the program without recording; why there is no baseline then, or an empty string.
    std::string second_run_problem() {
        if (options_.baseline == second_run_when::harmless) {
            // Without events there is nothing to subtract, and --fills hardly disturbs.
            if (result_.end.events == 0 || options_.fills_only) {
                return {};
            }
            if (std::string why = why_not_again(first_); !why.empty()) {
                return why;
            }
        }
        announce_(
            fmt::format("running it again without recording, to know its own CPU time{}",
                        options_.baseline == second_run_when::harmless ? " (--no-baseline: do not)" : ""));
        if (input_place_ >= 0) {
            ::lseek(STDIN_FILENO, input_place_, SEEK_SET);
        }
        // Calls are timed where the recorder does nothing else; the sampler is that, with a sample that has no block.
        ring_file times;
        const std::vector<std::string> environment_of_timer = timer_environment(times);
        collector collects{times, nullptr}; // what threads claimed that have ended
        if (times.ring()) {
            collects.start();
        }
        child_program child{desk_};
        const std::filesystem::path input = input_place_ >= 0 ? "" : "/dev/null";
        if (std::string problem = child.start(program_.file, options_.command, environment_of_timer, input,
                                              {STDOUT_FILENO, STDERR_FILENO});
            !problem.empty()) {
            return problem;
        }
        const program_end second = child.wait();
        if (std::string why = why_not_comparable(first_, second); !why.empty()) {
            return "the second run cannot be used: " + why;
        }
        result_.baseline = {second.user_ns + second.system_ns, second.wall_ns, second.system_ns,
                            second.page_faults,
                            times.ring() ? wire::times_of(times.ring().header()) : call_times{}};
        return trace_.add_second_run(result_.baseline);
    }

    reached_program program_;
    std::vector<std::uint32_t> left_; ///< processes that still ran at the end
    int waiting_stopped_by_ = 0;      ///< a signal that came when the program had ended
    off_t input_place_ = -1;          ///< of standard input, before the program read it
    std::uint64_t output_before_ = 0; ///< bytes of the files that the program writes to without opening them
    recorded_run first_;
};

} // namespace

record_result record_program(const record_options& options, const announce_function& announce,
                             const watch_function& watch) {
    return recording{options, announce, watch}.run();
}

} // namespace linn::tool
