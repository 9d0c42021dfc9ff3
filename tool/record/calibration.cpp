// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"

#include "../measure/companion.hpp"
#include "../measure/process.hpp"
#include "collector.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>

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

} // namespace linn::tool
