// SPDX-License-Identifier: Apache-2.0
#include "recording_parts.hpp"

#include <linn/version.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

namespace linn::tool {
namespace {

/// Of the events of a program, to know what recording one costs.
constexpr std::uint64_t fewest_samples = 32;

} // namespace

wire::ring_options ring_options_of(const record_options& o) {
    wire::ring_options r;
    r.depth = o.depth;
    r.clock = o.clock == "every8" ? wire::clock_mode::every8
              : o.clock == "none" ? wire::clock_mode::none
                                  : wire::clock_mode::tsc;
    r.policy = o.drops_when_full ? wire::when_full::drop : wire::when_full::block;
    r.unwinder = o.unwinder == "libunwind" ? wire::unwinder_choice::libunwind
                 : o.unwinder == "none"    ? wire::unwinder_choice::none
                                           : wire::unwinder_choice::own;
    r.fills_only = o.fills_only;
    r.smallest_fill = o.smallest_fill;
    r.sample_bytes = o.sample_bytes;
    r.fills = o.sample_bytes == 0;
    r.rtti = o.looks_for_types;
    o.only_executable.copy(r.only, sizeof r.only - 2);
    return r;
}

void occupy_standard_streams() {
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

recording_start start_of(const record_options& options, const calibrated_cost& calibrated,
                         const machine_info& machine) {
    recording_start s;
    s.event_cost_ns = calibrated.ns;
    s.tool = fmt::format("{}.{}.{}", LINN_VERSION_MAJOR, LINN_VERSION_MINOR, LINN_VERSION_PATCH);
    s.started = time_stamp();
    s.machine = fmt::format("{}, {} CPUs, {}", machine.cpu_model, machine.cpus, machine.kernel);
    s.load_per_cpu = load_per_cpu();
    s.clock = options.clock;
    s.unwinder = options.unwinder;
    s.when_full = options.drops_when_full ? "drop" : "block";
    s.depth = options.depth;
    s.contents = options.fills_only ? "fills" : "all";
    s.smallest_fill = options.smallest_fill;
    s.sample_bytes = options.sample_bytes;
    s.ticks_per_ns = machine.ticks_per_ns;
    return s;
}

void count_events(recording_end& end, const collected& got, const measured_span& took) {
    // Over a long run the rate is known better than from the tenth of a second before it.
    if (took.ns > 1'000'000'000) {
        end.ticks_per_ns = static_cast<double>(took.ticks) / static_cast<double>(took.ns);
    }
    end.events = got.events;
    end.dropped = got.dropped;
    end.cut_stacks = got.cut_stacks;
    end.chunks = got.chunks;
}

void note_event_cost(recording_end& end, const record_options& options, const recording_start& start,
                     const calibrated_cost& calibrated, const wire::ring_header& header) {
    // Of what --fills looks at, most is no event.
    if (const clocked_cost cost = clocked(header); cost.samples >= fewest_samples && !options.fills_only) {
        const double rate = end.ticks_per_ns > 0 ? end.ticks_per_ns : start.ticks_per_ns;
        end.event_cost_ns = cost.ticks / rate + calibrated.unseen_ns(rate);
        end.event_cost_samples = cost.samples;
    }
}

std::vector<std::string> warnings_of(const record_options& options, const recording_end& end,
                                     const collected& got, const wire::ring_header& header, bool is_whole) {
    std::vector<std::string> warnings;
    if (end.dropped != 0 && is_whole) {
        warnings.push_back(
            options.drops_when_full
                ? fmt::format("{} events were dropped, because the program was faster than the writing; "
                              "--when-full block keeps them all",
                              end.dropped)
                : fmt::format("{} events were lost", end.dropped));
    }
    if (got.damaged_chunks != 0) {
        warnings.push_back(
            fmt::format("{} chunks were cut short, because the program wrote over them", got.damaged_chunks));
    }
    const std::uint32_t unwinders = header.unwinder_got.load(std::memory_order_relaxed);
    if (options.unwinder == "own" && (unwinders & 1u << unsigned(wire::unwinder_choice::libunwind)) != 0) {
        warnings.emplace_back(
            "stacks came from libunwind, several times slower than linn's own unwinder, which needs x86-64 "
            "and glibc 2.35");
    }
    if (options.unwinder != "none" && (unwinders & 1u << unsigned(wire::unwinder_choice::none)) != 0) {
        warnings.emplace_back(
            "there was no unwinder: each stack is its innermost call only; install libunwind8");
    }
    return warnings;
}

} // namespace linn::tool
