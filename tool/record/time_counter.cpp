// SPDX-License-Identifier: Apache-2.0
#include "time_counter.hpp"

#include "../measure/process.hpp"
#include "../measure/ticks.hpp"

#include <sched.h>

#include <cmath>
#include <fstream>
#include <string>
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
