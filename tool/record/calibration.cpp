// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include "../measure/files.hpp"
#include "../measure/process.hpp"
#include "../measure/ticks.hpp"
#include "collector.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace linn::tool {
namespace {

constexpr int rounds = 3;

/// Takes chunks and forgets them, after the work that a file makes.
struct forgetting_taker final : chunk_taker {
    void take(const chunk_frame& frame, frame_compressor& compressor) override {
        frame_header header = frame.header;
        compressor.compress(frame.payload, 1, header);
    }
    std::string problem() override { return {}; }
};

/// Runs the helper; returns the nanoseconds an event that it prints, or a negative number.
double run_once(const signal_desk& desk, const std::vector<std::string>& environment) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    child_program child{desk};
    const std::string program = companion("linn-record-cost").string();
    // Its only output is a line to the descriptor that it is told, so that ours stay untouched.
    ::fcntl(ends[1], F_SETFD, 0);
    const std::string failed = child.start(program, {program, std::to_string(ends[1])}, environment);
    ::close(ends[1]);
    double cost = -1;
    if (failed.empty()) {
        char text[64]{};
        const ssize_t got = ::read(ends[0], text, sizeof text);
        const program_end end = child.wait();
        if (got > 0 && end.exit_status == 0) {
            std::from_chars(text, text + got, cost);
        }
    }
    ::close(ends[0]);
    return cost;
}

} // namespace

clocked_cost clocked(const wire::ring_header& header) {
    // Only processes that were left behind still add to them, whose few samples do not matter.
    const std::uint64_t samples = header.cost_samples.load(std::memory_order_relaxed);
    const auto ticks = static_cast<double>(header.cost_ticks.load(std::memory_order_relaxed));
    return {samples, samples == 0 ? 0 : ticks / static_cast<double>(samples)};
}

double calibrated_cost::unseen_ns(double ticks_per_ns) const {
    return by_clock.samples == 0 ? 0 : std::max(0.0, ns - by_clock.ticks / ticks_per_ns);
}

calibrated_cost calibrate_event_cost(const signal_desk& desk, const std::filesystem::path& library) {
    ring_file ring;
    forgetting_taker taker;
    if (!ring.create(256, {}).empty()) {
        return {};
    }
    collector taking{ring, taker};
    taking.start();
    const std::vector<std::string> bare = child_environment("");
    const std::vector<std::string> recorded = child_environment(library.string(), {ring.variable()});
    double without = std::numeric_limits<double>::max();
    double with = without;
    for (int i = 0; i != rounds; ++i) {
        const double a = run_once(desk, bare);
        const double b = run_once(desk, recorded);
        if (a < 0 || b < 0) {
            return {};
        }
        without = std::min(without, a);
        with = std::min(with, b);
    }
    taking.finish();
    if (taking.result().events == 0) {
        return {};
    }
    return {std::max(0.0, with - without), clocked(ring.ring().header())};
}

// -- the time stamp counter --------------------------------------------------------------------------

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

} // namespace linn::tool
