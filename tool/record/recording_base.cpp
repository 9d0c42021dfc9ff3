// SPDX-License-Identifier: Apache-2.0
#include "recording_base.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/quantity.hpp"
#include "../measure/ticks.hpp"

#include <linn/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace linn::tool {
namespace {

/// Processors whose counters differ by more would make short calls long, or negative.
constexpr double most_difference_ns = 2000;
/// The rate is known this well, from the tenth of a second that it was measured over.
constexpr double rate_error = 1e-3;
constexpr unsigned most_processors = 64;
constexpr int tries = 16;

bool has_constant_rate() {
#if defined(__x86_64__) || defined(__i386__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(0x8000'0007, &a, &b, &c, &d) != 0 && (d & 1u << 8) != 0) { // invariant counter
        return true;
    }
    // Some virtual machines hide it; the kernel watches the counter that it uses.
    std::ifstream source{"/sys/devices/system/clocksource/clocksource0/current_clocksource"};
    std::string name;
    return source >> name && name == "tsc";
#else
    return true;
#endif
}

counter_reading read_both() {
    counter_reading best;
    best.width_ns = 1e18;
    for (int i = 0; i != tries; ++i) {
        const std::uint64_t before = now_ns();
        const std::uint64_t counted = ticks();
        const std::uint64_t after = now_ns();
        if (const auto width = static_cast<double>(after - before); width < best.width_ns) {
            best = {static_cast<double>(before) + width / 2, static_cast<double>(counted), width};
        }
    }
    return best;
}

/// Of the events of a program, to know what recording one costs.
constexpr std::uint64_t fewest_samples = 32;

} // namespace

counter_state judge_counter(bool is_constant, double ticks_per_ns,
                            std::span<const counter_reading> readings) {
    if (!is_constant) {
        return counter_state::not_constant;
    }
    for (const counter_reading& r : readings) {
        const counter_reading& first = readings.front();
        const double passed = r.ns - first.ns;
        const double counted = (r.ticks - first.ticks) / ticks_per_ns;
        const double allowed =
            most_difference_ns + r.width_ns + first.width_ns + rate_error * std::fabs(passed);
        if (std::fabs(counted - passed) > allowed) {
            return counter_state::differs;
        }
    }
    return counter_state::steady;
}

counter_state check_counter(double ticks_per_ns) {
    std::vector<counter_reading> readings;
    // Of a thread that ends: this one keeps its processors.
    std::thread{[&] {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
            return;
        }
        for (unsigned cpu = 0; cpu != CPU_SETSIZE && readings.size() != most_processors; ++cpu) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            if (CPU_ISSET(cpu, &allowed) && ::sched_setaffinity(0, sizeof one, &one) == 0) {
                readings.push_back(read_both());
            }
        }
    }}.join();
    return judge_counter(has_constant_rate(), ticks_per_ns, readings);
}

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

recording_base::recording_base(const record_options& options, const announce_function& announce,
                               recording_watcher* watcher)
    : options_(options),
      announce_(announce),
      watcher_(watcher) {}

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
    o.only_executable.copy(r.only, sizeof r.only - 2);
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
    s.counter = options_.fills_only ? counter_state::unknown : check_counter(s.ticks_per_ns);
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

void recording_base::start_collecting(std::uint32_t only_pid) {
    collector_->leave_out_all_but(only_pid);
    collector_->start(std::clamp(std::thread::hardware_concurrency() / 4, 1u, 4u));
}

void recording_base::stop_watching() {
    if (watcher_ != nullptr) {
        watcher_->end();
    }
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
    e.events = got.events;
    e.dropped = got.dropped;
    e.damaged_chunks = got.damaged_chunks;
    e.unwritten = got.unwritten;
    e.stopped_at_ns = got.stopped_ns > start_ns_ ? got.stopped_ns - start_ns_ : 0;
    e.cut_stacks = got.cut_stacks;
    e.chunks = got.chunks;
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
    result_.event_cost_ns = e.event_cost_ns;
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
