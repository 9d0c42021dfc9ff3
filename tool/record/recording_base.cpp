// SPDX-License-Identifier: Apache-2.0
#include "recording_base.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/ticks.hpp"

#include <linn/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
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

} // namespace

standard_streams_taken::standard_streams_taken() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) < 0) {
            static_cast<void>(
                ::open("/dev/null", O_RDWR | O_CLOEXEC)); // the lowest number that is free: this one
        }
    }
}

double load_per_cpu() {
    double load = 0;
    const unsigned cpus = std::thread::hardware_concurrency();
    return cpus != 0 && ::getloadavg(&load, 1) == 1 ? load / cpus : 0;
}

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
    r.fills_only = o.fills_only;
    r.smallest_fill = o.smallest_fill;
    r.sample_bytes = o.sample_bytes;
    r.fills = o.sample_bytes == 0;
    r.ticks_per_ns = start_.ticks_per_ns;
    r.times_calls = start_.counter == counter_state::steady;
    o.only_executable.copy(r.only, sizeof r.only - 1);
    return r;
}

void recording_base::start_from(const machine_info& machine) {
    recording_start& s = start_;
    s.tool = fmt::format("{}.{}.{}", LINN_VERSION_MAJOR, LINN_VERSION_MINOR, LINN_VERSION_PATCH);
    s.started = time_stamp();
    s.machine = fmt::format("{}, {} CPUs, {}", machine.cpu_model, machine.cpus, machine.kernel);
    s.load_per_cpu = load_per_cpu();
    s.depth = options_.depth;
    s.contents = options_.fills_only ? "fills" : "all";
    s.smallest_fill = options_.smallest_fill;
    s.sample_bytes = options_.sample_bytes;
    s.ticks_per_ns = machine.ticks_per_ns;
    s.counter = options_.fills_only ? counter_state::unknown : check_counter();
    s.page_fault_ns = s.counter == counter_state::steady ? measure_page_fault_ns() : 0;
}

bool recording_base::open_trace() {
    std::string problem = trace_.open(options_.file, version_for(options_.sample_bytes));
    return problem.empty() || fail(std::move(problem));
}

void recording_base::begin_trace() {
    start_ns_ = now_ns();
    start_.start_ticks = ticks();
    trace_.write_start(start_);
}

void recording_base::start_collecting(pid_t pid) {
    const auto only_pid = options_.follows ? 0 : static_cast<std::uint32_t>(pid);
    watcher_ = watch_ ? watch_(ring_, options_.file, only_pid) : std::jthread{};
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
    note_event_cost();
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
    // Over a long run the rate is known better than from the tenth of a second before it.
    if (took_ns > 1'000'000'000) {
        e.exact_ticks_per_ns =
            static_cast<double>(end.ticks - start_.start_ticks) / static_cast<double>(took_ns);
    }
    static_cast<recorded_events&>(e) = got;
    e.stopped_at_ns = got.stopped_ns > start_ns_ ? got.stopped_ns - start_ns_ : 0;
    e.times = wire::times_of(ring_.ring().header());
}

void recording_base::note_event_cost() {
    recording_end& e = result_.end;
    // Most of the blocks that --fills looks at are no events.
    // Only processes that were left behind still add to them, whose few samples do not matter.
    const wire::ring_header& header = ring_.ring().header();
    const std::uint64_t samples = header.cost_samples.load(std::memory_order_relaxed);
    if (samples >= fewest_samples && !options_.fills_only) {
        const double rate = e.exact_ticks_per_ns > 0 ? e.exact_ticks_per_ns : start_.ticks_per_ns;
        const auto ticks = static_cast<double>(header.cost_ticks.load(std::memory_order_relaxed));
        e.event_cost_ns = ticks / static_cast<double>(samples) / rate;
        e.event_cost_samples = samples;
    }
}

void recording_base::warn_of_events() {
    const recording_end& end = result_.end;
    const collected& got = collector_->result();
    const wire::ring_header& header = ring_.ring().header();
    std::vector<std::string>& warnings = result_.warnings;
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
    if (header.uses_libunwind.load(std::memory_order_relaxed)) {
        warnings.emplace_back(
            "stacks came from libunwind, several times slower than linn's own unwinder, which needs x86-64 "
            "and glibc 2.35");
    }
    if (header.has_no_unwinder.load(std::memory_order_relaxed)) {
        warnings.emplace_back(
            "there was no unwinder: each stack is its innermost call only; install libunwind8");
    }
}

} // namespace linn::tool
