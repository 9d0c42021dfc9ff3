// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include "../measure/files.hpp"
#include "../measure/machine.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/ticks.hpp"
#include "../program/executable.hpp"
#include "../trace/event.hpp"
#include "child_program.hpp"
#include "collector.hpp"
#include "recording_base.hpp"

#include <linn/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

namespace linn::tool {
namespace {

/// Whether the kernel takes the time stamp counter for a clock: only where its rate is constant, and the processors agree.
counter_state check_counter() {
#if defined(__x86_64__) || defined(__i386__)
    std::ifstream clocks{"/sys/devices/system/clocksource/clocksource0/available_clocksource"};
    for (std::string name; clocks >> name;) {
        if (name == "tsc") {
            return counter_state::steady;
        }
    }
    return counter_state::not_constant;
#else
    return counter_state::steady;
#endif
}

/// Of the events of a program, to know what recording one costs.
constexpr std::uint64_t fewest_samples = 32;

namespace fs = std::filesystem;

/// How long processes may still be about to end when the program has: not waited for, but not cut off either.
constexpr std::chrono::milliseconds grace{100};
/// How long they may take to end by a signal.
constexpr std::chrono::milliseconds farewell{500};

constexpr double longest_ns = 60e9;
/// A program that used less of its time than this waited: for a user, a network, a clock.
constexpr double least_busy = 0.5;
/// Starting a process takes milliseconds, in which it uses no CPU time of its own.
constexpr double begin_ns = 50e6;
constexpr std::uint64_t page_bytes = 4096;
/// The second run may take this share of the first run's estimated time without recording, and so much more than all of it.
constexpr double least_share = 0.5;
constexpr double most_share = 1.2;
constexpr double noise_ns = 20e6;
constexpr const char* how_to = " (--baseline runs it anyway)"; // where it would be measured then

double cpu_ns(const program_outcome& end) {
    return end.user_ns + end.system_ns;
}

/// Whether standard input can be read once only: a pipe or a socket. A program that is run twice reads a file from the same place again.
bool is_input_read_once() {
    struct stat input{};
    return ::fstat(STDIN_FILENO, &input) == 0 && (S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

/// Bytes of the files behind standard output and standard error, of one file once; 0 where they are none.
std::uint64_t output_file_bytes() {
    std::uint64_t bytes = 0;
    struct stat last{};
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        if (struct stat s{}; ::fstat(stream, &s) == 0 && S_ISREG(s.st_mode) &&
                             (s.st_ino != last.st_ino || s.st_dev != last.st_dev)) {
            bytes += static_cast<std::uint64_t>(s.st_size);
            last = s;
        }
    }
    return bytes;
}

/// Runnable threads per processor, over the last minute; 0: not known.
double load_per_cpu() {
    double load = 0;
    const unsigned cpus = std::thread::hardware_concurrency();
    return cpus != 0 && ::getloadavg(&load, 1) == 1 ? load / cpus : 0;
}

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
        program_ = reach_program(options_.command.front());
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
        start_.directory = fs::read_symlink("/proc/self/cwd", error).string(); // also one that was removed
        if (std::string problem = ring_.create(ring_chunks, ring_options()); !problem.empty()) {
            return fail(problem);
        }
        return begin_trace();
    }

    void record() {
        input_place_ = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
        output_before_ = output_file_bytes();
        child_program child{desk_, options_.waits_for_all};
        const std::vector<int> silent(options_.input.empty() ? 0 : 1, STDOUT_FILENO);
        if (std::string problem =
                child.start(program_.file, options_.command,
                            child_environment(preloaded_first(library_.string()), {ring_.variable()}),
                            options_.input, silent);
            !problem.empty()) {
            result_.problem = std::move(problem);
            remove_trace();
            return;
        }
        result_.was_started = true;
        start_collecting(child.pid()); // only now, when it is known what to leave out
        program_end end = child.wait();
        const std::uint64_t program_ended_ns = now_ns();
        wait_for_others(child, end);
        const instant ended = now();
        watcher_ = {};
        collector_->finish();
        note(end, options_.waits_for_all ? ended.ns : program_ended_ns);
        conclude(ended);
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

    void note(const program_end& end, std::uint64_t ended_ns) {
        recording_end& e = result_.end;
        static_cast<program_outcome&>(e) = end;
        e.stopped = collector_->problem();
        e.duration_ns = ended_ns - start_ns_; // events count from there, too
        e.ran_on = !left_.empty();
        first_ = end;
        const bool was_cut_off = options_.waits_for_all && waiting_stopped_by_ != 0 && end.exit_status == 0;
        result_.exit_status = was_cut_off ? 128 + waiting_stopped_by_ : end.exit_status;
        result_.stopped_by = end.stopped_by;
    }

    void warn() {
        const recording_end& e = result_.end;
        const auto add = [&](std::string text) { result_.warnings.push_back(std::move(text)); };
        if (!left_.empty()) {
            add(fmt::format(
                "{} not recorded any further: {}{}",
                figures::counted(left_.size(), "process still runs and is", "processes still run and are"),
                fmt::join(left_, ", "), options_.waits_for_all ? "" : "; linn record --wait waits for them"));
        }
        if (e.events != 0) {
            return;
        }
        if (ring_.ring().header().images.load(std::memory_order_relaxed) == 0) {
            if (result_.problem.empty()) {
                result_.problem =
                    "nothing was recorded: the recorder was not loaded into it, or found no way back to linn "
                    "(does it clear its environment, change its user or its root, or start something "
                    "static?)";
            }
        } else if (options_.sample_bytes != 0) {
            add(fmt::format("no block is in the sample: the program allocated too little for --sample {}",
                            options_.sample_bytes));
        } else if (result_.problem.empty()) {
            add(fmt::format("nothing was recorded: {} allocates nothing, or from a heap of its own",
                            program_.file.filename().string()));
        }
    }

    /// Why the program is not run again unasked, as the end of a sentence; empty: it is. Not what may have had an effect that
    /// a second run would repeat, nor what waited for something, nor what takes long.
    std::string why_not_again() const {
        if (is_input_read_once()) {
            return "its standard input is a pipe, which can be read once";
        }
        if (first_.was_told || first_.exit_status >= 128) {
            return "it was ended by a signal";
        }
        if (first_.had_orphans || !left_.empty()) {
            return "it left processes behind";
        }
        // Each of the two files may end in a page of its own.
        const std::uint64_t output_bytes = std::max(output_file_bytes(), output_before_) - output_before_;
        if (first_.written_bytes > output_bytes + 2 * page_bytes) {
            return fmt::format("it wrote {} to files{}", figures::bytes_text(first_.written_bytes), how_to);
        }
        if (first_.wall_ns > longest_ns) {
            return fmt::format("it took {}{}", figures::seconds_text(first_.wall_ns * 1e-9), how_to);
        }
        // On a busy machine it also waited for its turn, which is known of its first thread only.
        const double ran_ns =
            cpu_ns(first_) + std::max(first_.queued_ns, cpu_ns(first_) * (load_per_cpu() - 1));
        if (first_.wall_ns > begin_ns && ran_ns < least_busy * (first_.wall_ns - begin_ns)) {
            return fmt::format("it waited most of the time{}", how_to);
        }
        return {};
    }

    /// Why the second run is no measure of the first, as the end of a sentence; empty: it is one.
    std::string why_not_comparable(const program_end& second) const {
        using figures::unit;
        using figures::written;
        if (second.was_told) {
            return "it was interrupted";
        }
        if (second.exit_status != first_.exit_status) {
            return fmt::format("it ended otherwise: {}, not {}", second.ending, first_.ending);
        }
        const double recorded = cpu_ns(first_);
        const double expected = cost_by_estimate(result_.end).cpu_ns;
        const double took = cpu_ns(second);
        if (took < least_share * expected - noise_ns) {
            return fmt::format("it took {} of CPU time where about {} were expected, so it did less",
                               written(unit::nanoseconds, took), written(unit::nanoseconds, expected));
        }
        if (took > most_share * recorded + noise_ns) {
            return fmt::format("it took {} of CPU time, more than the {} with the recording",
                               written(unit::nanoseconds, took), written(unit::nanoseconds, recorded));
        }
        return {};
    }

    /// For a program that is only timed. Without a library or shared memory it is not.
    std::vector<std::string> timer_environment(ring_file& ring) const {
        std::string problem;
        const std::string library = preload_companion("liblinn-sample.so", problem).string();
        wire::ring_options o = ring_options();
        o.sample_bytes = sampling::most_mean;
        if (!o.times_calls || !problem.empty() || !ring.create(timer_chunks, o).empty()) {
            return child_environment(preloaded_first({}));
        }
        return child_environment(preloaded_first(library), {ring.variable()});
    }

    /// Runs the program without recording; why there is no baseline then, or an empty string.
    std::string second_run_problem() {
        if (options_.baseline == second_run_when::harmless) {
            if (result_.end.events == 0) { // there is nothing to subtract
                return {};
            }
            if (std::string why = why_not_again(); !why.empty()) {
                return why;
            }
        }
        options_.announce(
            fmt::format("running it again without recording to measure its CPU time{}",
                        options_.baseline == second_run_when::harmless ? " (--no-baseline skips this)" : ""));
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
        if (std::string why = why_not_comparable(second); !why.empty()) {
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
    program_end first_;
};

} // namespace

bool recording_base::find_library() {
    std::string problem;
    library_ =
        preload_companion(options_.sample_bytes == 0 ? "liblinn-record.so" : "liblinn-sample.so", problem);
    return problem.empty() || fail(problem);
}

wire::ring_options recording_base::ring_options() const {
    const record_options& o = options_;
    wire::ring_options r;
    r.depth = o.depth;
    r.sample_bytes = o.sample_bytes;
    r.ticks_per_ns = start_.ticks_per_ns;
    r.times_calls = start_.counter == counter_state::steady;
    return r;
}

void recording_base::start_from(const machine_info& machine) {
    recording_start& s = start_;
    s.tool = fmt::format("{}.{}.{}", LINN_VERSION_MAJOR, LINN_VERSION_MINOR, LINN_VERSION_PATCH);
    s.started = time_stamp();
    s.machine = fmt::format("{}, {} CPUs, {}", machine.cpu_model, machine.cpus, machine.kernel);
    s.depth = options_.depth;
    s.sample_bytes = options_.sample_bytes;
    s.ticks_per_ns = machine.ticks_per_ns;
    s.counter = check_counter();
    s.page_fault_ns = s.counter == counter_state::steady ? measure_page_fault_ns() : 0;
}

bool recording_base::begin_trace() {
    if (std::string problem = trace_.open(options_.file, version_for(options_.sample_bytes));
        !problem.empty()) {
        return fail(std::move(problem));
    }
    start_ns_ = now_ns();
    start_.start_ticks = ticks();
    trace_.write_start(start_);
    return true;
}

void recording_base::start_collecting(pid_t pid) {
    const auto only_pid = options_.follows ? 0 : static_cast<std::uint32_t>(pid);
    watcher_ = options_.watch ? options_.watch(ring_, options_.file, only_pid) : std::jthread{};
    collector_.emplace(ring_, &trace_, only_pid);
    // One thread keeps up with a few busy threads of the program.
    collector_->start(std::clamp(std::thread::hardware_concurrency() / 4, 1u, 4u));
}

void recording_base::remove_trace() const {
    std::error_code error;
    std::filesystem::remove(options_.file, error);
}

recording_base::instant recording_base::now() {
    return {ticks(), now_ns()};
}

void recording_base::conclude(const instant& end) {
    count_events(end);
    trace_.write_end(result_.end);
    result_.file = options_.file;
    result_.file_bytes = trace_.bytes();
    result_.threads = collector_->result().threads.size();
    result_.processes = collector_->result().images.size();
    if (!trace_.problem().empty()) {
        result_.problem = trace_.problem() +
                          ". The recording ends there, the program went on; what was recorded "
                          "before can be used";
    }
    warn_of_events();
}

void recording_base::count_events(const instant& end) {
    const std::uint64_t took_ns = end.ns - start_ns_;
    const collected& got = collector_->result();
    recording_end& e = result_.end;
    // Over a long run the rate is known better than from the millisecond before it.
    if (took_ns > 1'000'000'000) {
        e.exact_ticks_per_ns =
            static_cast<double>(end.ticks - start_.start_ticks) / static_cast<double>(took_ns);
    }
    static_cast<recorded_events&>(e) = got;
    e.stopped_at_ns = got.stopped_ns > start_ns_ ? got.stopped_ns - start_ns_ : 0;
    const wire::ring_header& header = ring_.ring().header();
    e.times = wire::times_of(header);
    // Only processes that were left behind still add to them, whose few samples do not matter.
    const std::uint64_t samples = header.cost_samples.load(std::memory_order_relaxed);
    if (samples >= fewest_samples) {
        const double rate = e.exact_ticks_per_ns > 0 ? e.exact_ticks_per_ns : start_.ticks_per_ns;
        const auto ticks = static_cast<double>(header.cost_ticks.load(std::memory_order_relaxed));
        e.event_cost_ns = ticks / static_cast<double>(samples) / rate;
        e.event_cost_samples = samples;
    }
}

void recording_base::warn_of_events() {
    const recording_end& end = result_.end;
    const collected& got = collector_->result();
    if (end.dropped != 0 && result_.problem.empty()) {
        result_.problem =
            fmt::format("{} of {} lost: the recorder had no memory for them in the program", end.dropped,
                        figures::counted(end.dropped + end.events, "event was", "events were"));
    }
    if (got.damaged_chunks != 0 && result_.problem.empty()) {
        result_.problem = fmt::format("{} cut short, because the program wrote over {}",
                                      figures::counted(got.damaged_chunks, "chunk was", "chunks were"),
                                      figures::agreeing(got.damaged_chunks, "it", "them"));
    }
#if !defined(__x86_64__)
    result_.warnings.emplace_back(
        "stacks came from libgcc, several times slower than linn's own unwinder, which needs x86-64");
#endif
}

record_result record_program(const record_options& options) {
    return options.attach_to != 0 ? record_running_program(options) : recording{options}.run();
}

} // namespace linn::tool
